/// Reads a whole field as a decimal number: digits with an optional sign, fraction and exponent (`-1.25E-2`).
///
/// Written here rather than taken from strtod(3), whose decimal point follows the process's locale and which also
/// takes hexadecimal, `nan` and `inf`. A decimal comma counts as a point: a comma that reaches a field does not
/// separate fields. Exact to a few parts in 10¹⁵.
///
/// - Returns: nil for anything else, and for a number too large for a `Double`.
func decimalNumber(_ text: ArraySlice<UInt8>) -> Double? {
    var digits = text
    let isNegative = takeSign(&digits)
    var value = 0.0
    var count = 0
    var scale = 0
    while let digit = takeDigit(&digits) {
        value = value * 10 + Double(digit)
        count += 1
    }
    if digits.first == UInt8(ascii: ".") || digits.first == UInt8(ascii: ",") {
        digits.removeFirst()
        while let digit = takeDigit(&digits) {
            value = value * 10 + Double(digit)
            count += 1
            scale -= 1
        }
    }
    guard count > 0, let exponent = takeExponent(&digits), digits.isEmpty else { return nil }
    scale += exponent
    for _ in 0..<abs(scale) {
        if scale < 0 { value /= 10 } else { value *= 10 }
    }
    guard value.isFinite else { return nil }
    return isNegative ? -value : value
}

private func takeSign(_ text: inout ArraySlice<UInt8>) -> Bool {
    guard let first = text.first, first == UInt8(ascii: "-") || first == UInt8(ascii: "+") else { return false }
    text.removeFirst()
    return first == UInt8(ascii: "-")
}

private func takeDigit(_ text: inout ArraySlice<UInt8>) -> UInt8? {
    guard let first = text.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else { return nil }
    text.removeFirst()
    return first - UInt8(ascii: "0")
}

/// 0 where there is no exponent; nil where it is broken or beyond ±999.
private func takeExponent(_ text: inout ArraySlice<UInt8>) -> Int? {
    guard let first = text.first else { return 0 }
    guard first == UInt8(ascii: "e") || first == UInt8(ascii: "E") else { return nil }
    text.removeFirst()
    let isNegative = takeSign(&text)
    var exponent = 0
    var count = 0
    while let digit = takeDigit(&text) {
        exponent = exponent * 10 + Int(digit)
        count += 1
        guard exponent <= 999 else { return nil }
    }
    guard count > 0 else { return nil }
    return isNegative ? -exponent : exponent
}
