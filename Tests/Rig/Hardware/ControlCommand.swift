import SimulatedBus

/// A command of a test to the running hardware, one line each.
enum ControlCommand: Equatable {
    /// Only reports the state.
    case status
    /// The next messages, as many as the first number, are not acknowledged, after `after` ones that still are. A
    /// combined transfer ends with its first message that fails.
    case nak(Int, after: Int = 0)
    /// Whether the chip has been removed. There is one fault at a time, and 0 ends any of them.
    case gone(Bool)
    /// Whether the bus is held low; 0 as above.
    case stuck(Bool)
    /// The value of WHO_AM_I.
    case identity(UInt8)
    case motion(SimulatedMotion.Kind)
    /// Another kind of chip is wired in place of the present one: an id of `SimulatedIMU.all`.
    case chip(String)
    /// The chip loses its power and gets it back.
    case power

    /// The syntax of the commands, for an error message.
    static let usage = """
        status | nak COUNT [AFTER] | gone 0|1 | stuck 0|1 | identity BYTE | motion \(SimulatedMotion.Kind.names) | chip ID | \
        power
        """

    /// Nil for a line that is no command.
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
        case ("chip", 2):
            guard SimulatedIMU(words[1]) != nil else { return nil }
            self = .chip(words[1])
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
