/// What a test can ask of the hardware while it runs, one line each.
enum ControlCommand: Equatable {
    /// Only tells how things are.
    case status
    /// The next so many messages are not acknowledged, after so many that still are. Of a combined transfer, the first
    /// message that fails is the last one that is tried.
    case nak(Int, after: Int = 0)
    /// Whether the chip has been taken away. One thing is wrong at a time, and 0 puts right whatever it is.
    case gone(Bool)
    /// Whether something holds the bus low; 0 as above.
    case stuck(Bool)
    /// What WHO_AM_I answers.
    case identity(UInt8)
    case motion(SimulatedMotion.Kind)
    /// The chip loses its power and gets it back.
    case power

    /// How each is written, for who got it wrong.
    static let usage = """
        status | nak COUNT [AFTER] | gone 0|1 | stuck 0|1 | identity BYTE | motion \(SimulatedMotion.Kind.names) | power
        """

    /// Nil for what is no command.
    init?(_ line: String) {
        let words = line.split { $0 == " " || $0 == "\n" }.map(String.init)
        switch (words.first, words.count) {
        case ("status", 1): self = .status
        case ("power", 1): self = .power
        case ("nak", 2...3):
            guard let next = Int(words[1]), next > 0, let after = Int(words.count > 2 ? words[2] : "0"), after >= 0
            else { return nil }
            self = .nak(next, after: after)
        case ("gone", 2):
            guard let state = Self.state(words[1]) else { return nil }
            self = .gone(state)
        case ("stuck", 2):
            guard let state = Self.state(words[1]) else { return nil }
            self = .stuck(state)
        case ("identity", 2):
            guard let value = Self.byte(words[1]) else { return nil }
            self = .identity(value)
        case ("motion", 2):
            guard let kind = SimulatedMotion.Kind(rawValue: words[1]) else { return nil }
            self = .motion(kind)
        default: return nil
        }
    }

    private static func state(_ word: String) -> Bool? {
        switch word {
        case "0": false
        case "1": true
        default: nil
        }
    }

    /// Decimal, or hexadecimal after 0x.
    private static func byte(_ word: String) -> UInt8? {
        word.hasPrefix("0x") ? UInt8(word.dropFirst(2), radix: 16) : UInt8(word)
    }
}
