/// The words of a command line, taken one after another.
///
/// For the small programs: a parsing library would need Foundation, and so too much memory.
public struct CommandWords {
    /// An error in a command line, for its user.
    public struct Problem: Error {
        public let message: String
        public let code: ExitCode

        public init(_ message: String, _ code: ExitCode = .usage) {
            self.message = message
            self.code = code
        }
    }

    /// The words of this program, without its own name.
    ///
    /// - Parameter arguments: Swift has no arguments, not even the name, if it cannot read the memory of the process.
    ///   Running without them would do something other than requested.
    public static func ofProgram(
        _ arguments: [String] = CommandLine.arguments
    ) throws(Problem) -> [String] {
        guard !arguments.isEmpty else {
            throw Problem(
                "the words of the command line cannot be read: /proc/self/maps does not open; see whether /proc is mounted, "
                    + "and whether too many files are open", .systemError)
        }
        return Array(arguments.dropFirst())
    }

    private var rest: ArraySlice<String>

    /// - Parameter words: without the program's own name.
    public init(_ words: [String]) { rest = words[...] }

    /// The next word; nil at the end.
    public mutating func next() -> String? { rest.popFirst() }

    /// The word after an option that requires one.
    public mutating func value(of option: String) throws(Problem) -> String {
        guard let value = rest.popFirst() else { throw Problem("\(option) needs a value") }
        return value
    }

    /// The word after an option, parsed by `parse`. If that returns nil, the error shows `example` as an allowed value.
    public mutating func value<Value>(
        of option: String, example: String, _ parse: (String) -> Value?
    ) throws(Problem) -> Value {
        let text = try value(of: option)
        guard let value = parse(text) else {
            throw Problem("'\(text)' is not a value for \(option); an example is \(example)")
        }
        return value
    }
}
