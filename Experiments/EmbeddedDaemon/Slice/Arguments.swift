import CGlibc

/// The words of the command line.
struct Arguments {
    /// The directory of the key and the store.
    var store = ""
    /// Ends after so many windows; nil goes on.
    var windows: Int?
    /// The node of an I²C bus; nil for the simulated one.
    var bus: String?
    /// Whether time leaps from one wake-up to the next.
    var isVirtual = false
    /// Whether the program stops after the first commit and at the end until it is sent SIGCONT, to be measured.
    var stops = false
    /// So many times more the judgement of a window, and a commit of the session's state, to be measured.
    var judgements = 0
    var commits = 0

    static let usage = """
        usage: aniccad-embedded --store DIR [--windows N] [--bus /dev/i2c-N] [--virtual] [--stops]
               [--judgements N] [--commits N]
        """

    init(_ words: [String]) throws(StartError) {
        var rest = words[...]
        while let word = rest.popFirst() {
            switch word {
            case "--store": store = try Self.value(of: word, &rest)
            case "--windows": windows = try Self.number(of: word, &rest)
            case "--bus": bus = try Self.value(of: word, &rest)
            case "--virtual": isVirtual = true
            case "--stops": stops = true
            case "--judgements": judgements = try Self.number(of: word, &rest)
            case "--commits": commits = try Self.number(of: word, &rest)
            default: throw StartError(message: "unknown word \(word)\n" + Self.usage)
            }
        }
        if store.isEmpty { throw StartError(message: "--store is missing\n" + Self.usage) }
    }

    private static func value(of option: String, _ rest: inout ArraySlice<String>) throws(StartError) -> String {
        guard let value = rest.popFirst() else { throw StartError(message: "\(option) takes a value\n" + usage) }
        return value
    }

    private static func number(of option: String, _ rest: inout ArraySlice<String>) throws(StartError) -> Int {
        guard let number = Int(try value(of: option, &rest)), number >= 0 else {
            throw StartError(message: "\(option) takes a whole number\n" + usage)
        }
        return number
    }
}
