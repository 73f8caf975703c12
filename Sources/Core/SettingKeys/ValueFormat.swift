/// The format of a value in the configuration.
public struct ValueFormat<Value> {
    /// The allowed values, as the end of the sentence "must be …".
    public let allowed: String
    /// The words allowed in a value, to find a misspelled one; empty if values are not words.
    public let words: [String]
    /// Nil when the text is not allowed.
    public let parse: (String) -> Value?
    public let format: (Value) -> String

    public init(
        allowed: String, words: [String] = [], parse: @escaping (String) -> Value?, format: @escaping (Value) -> String
    ) {
        self.allowed = allowed
        self.words = words
        self.parse = parse
        self.format = format
    }
}

extension ValueFormat where Value: FixedWidthInteger {
    /// A whole decimal number.
    public static func number(_ range: ClosedRange<Value>) -> ValueFormat {
        ValueFormat(
            allowed: "a whole number from \(range.lowerBound) to \(range.upperBound)",
            parse: { text in Value(text).flatMap { range.contains($0) ? $0 : nil } },
            format: { String($0) })
    }

    /// One of a few whole numbers.
    public static func number(oneOf values: [Value]) -> ValueFormat {
        ValueFormat(
            allowed: alternatives(values.map { String($0) }),
            parse: { text in Value(text).flatMap { values.contains($0) ? $0 : nil } },
            format: { String($0) })
    }
}

extension ValueFormat where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
    /// One of the names of an enumeration.
    public static var choice: ValueFormat {
        ValueFormat(
            allowed: alternatives(Value.allCases.map(\.rawValue)),
            words: Value.allCases.map(\.rawValue),
            parse: { Value(rawValue: $0) },
            format: \.rawValue)
    }
}

extension ValueFormat<Bool> {
    /// `yes` or `no`.
    public static var yesOrNo: ValueFormat {
        ValueFormat(
            allowed: "yes or no", words: ["yes", "no"],
            parse: { $0 == "yes" ? true : $0 == "no" ? false : nil },
            format: { $0 ? "yes" : "no" })
    }
}

extension ValueFormat<Interval> {
    /// A whole number and a unit.
    public static func interval(_ range: ClosedRange<Interval>) -> ValueFormat {
        ValueFormat(
            allowed: "a time from \(range.lowerBound.settingText) to \(range.upperBound.settingText), "
                + "as a number and ms, s, min, h or d",
            parse: { text in Interval(settingText: text).flatMap { range.contains($0) ? $0 : nil } },
            format: \.settingText)
    }

    /// A whole number of milliseconds, without a unit.
    public static func milliseconds(_ range: ClosedRange<Int64>) -> ValueFormat {
        let number = ValueFormat<Int64>.number(range)
        return ValueFormat(
            allowed: number.allowed,
            parse: { number.parse($0).map(Interval.milliseconds) },
            format: { number.format($0.inMilliseconds) })
    }
}

extension ValueFormat<String> {
    public static var path: ValueFormat {
        ValueFormat(
            allowed: "an absolute path",
            parse: { $0.hasPrefix("/") ? $0 : nil },
            format: { $0 })
    }

    /// A UUID in the form of RFC 9562 section 4, kept in lower case.
    public static var uuid: ValueFormat {
        ValueFormat(
            allowed: "a UUID such as 6f1c2a9e-3b57-4c0d-9e1f-2a7b8c9d0e1f",
            parse: { isUUID($0) ? $0.lowercased() : nil },
            format: { $0 })
    }
}

private func isUUID(_ text: String) -> Bool {
    let groups = text.split(separator: "-", omittingEmptySubsequences: false)
    return groups.map(\.utf8.count) == [8, 4, 4, 4, 12]
        && groups.allSatisfy { $0.utf8.allSatisfy(isHexDigit) }
}

package func isHexDigit(_ byte: UInt8) -> Bool {
    isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | 0x20)
}

package func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

/// `a, b or c`.
package func alternatives(_ names: [String]) -> String {
    guard names.count > 1 else { return names[0] }
    var text = names[0]
    for name in names.dropFirst().dropLast() { text += ", " + name }
    return text + " or " + names[names.count - 1]
}
