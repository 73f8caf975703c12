/// Reads a whole field as a decimal number: digits with an optional sign, fraction and exponent (`-1.25E-2`).
///
/// Not strtod(3), whose decimal point depends on the process's locale and which also accepts hexadecimal, `nan` and
/// `inf`. A decimal comma counts as a point: a comma within a field does not separate fields. Exact to a few parts in
/// 10¹⁵.
///
/// - Returns: nil for anything else, and for a number too large for a `Double`.
func decimalNumber(_ text: Bytes) -> Double? {
    var rest = NumberText(text)
    let isNegative = rest.takeSign()
    var value = 0.0
    var count = rest.takeDigits(into: &value)
    var scale = 0
    if rest.next == UInt8(ascii: ".") || rest.next == UInt8(ascii: ",") {
        rest.advance()
        scale = -rest.takeDigits(into: &value)
        count -= scale
    }
    guard count > 0, let exponent = rest.takeExponent(), rest.next == nil else { return nil }
    scale += exponent
    for _ in 0..<abs(scale) {
        if scale < 0 { value /= 10 } else { value *= 10 }
    }
    guard value.isFinite else { return nil }
    return isNegative ? -value : value
}

/// The same for a string.
func decimalNumber(_ text: String) -> Double? {
    var text = text
    return text.withUTF8 { decimalNumber($0[...]) }
}

/// The rest of a number during parsing.
private struct NumberText {
    private let bytes: UnsafeBufferPointer<UInt8>
    private var index: Int
    private let end: Int

    init(_ text: Bytes) { (bytes, index, end) = (text.base, text.startIndex, text.endIndex) }

    var next: UInt8? { index < end ? bytes[index] : nil }

    mutating func advance() { index += 1 }

    mutating func takeSign() -> Bool {
        guard let next, next == UInt8(ascii: "-") || next == UInt8(ascii: "+") else { return false }
        advance()
        return next == UInt8(ascii: "-")
    }

    /// Appends the following digits to a number, and returns how many there are.
    mutating func takeDigits(into value: inout Double) -> Int {
        let start = index
        while index < end {
            let digit = bytes[index] &- UInt8(ascii: "0")
            guard digit <= 9 else { break }
            value = value * 10 + Double(digit)
            index += 1
        }
        return index - start
    }

    /// 0 without an exponent; nil if it is malformed or beyond ±999.
    mutating func takeExponent() -> Int? {
        guard let next else { return 0 }
        guard next == UInt8(ascii: "e") || next == UInt8(ascii: "E") else { return nil }
        advance()
        let isNegative = takeSign()
        var exponent = 0.0
        guard takeDigits(into: &exponent) > 0, exponent <= 999 else { return nil }
        return Int(isNegative ? -exponent : exponent)
    }
}
