/// The words of a command line, taken one after another.
///
/// For the small programs: a parsing library would bring Foundation with it, and cost more memory than they have.
public struct CommandWords {
    /// The error in a command line, for the person who typed it.
    public struct Problem: Error {
        public let message: String

        public init(_ message: String) { self.message = message }
    }

    private var rest: ArraySlice<String>

    /// - Parameter words: without the program's own name.
    public init(_ words: [String]) { rest = words[...] }

    /// The next word; nil at the end.
    public mutating func next() -> String? { rest.popFirst() }

    /// The word after an option that needs one.
    public mutating func value(of option: String) throws(Problem) -> String {
        guard let value = rest.popFirst() else { throw Problem("\(option) needs a value") }
        return value
    }

    /// The word after an option, read by `parse`; `example` shows an allowed value in the error when that returns nil.
    public mutating func value<Value>(
        of option: String, example: String, _ parse: (String) -> Value?
    ) throws(Problem) -> Value {
        let text = try value(of: option)
        guard let value = parse(text) else {
            throw Problem("'\(text)' is no value for \(option): it takes something such as \(example)")
        }
        return value
    }
}
