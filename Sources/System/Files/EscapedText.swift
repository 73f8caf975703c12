/// The text with every control character (C0, DEL and C1) replaced by an escape as in Swift source.
public func escapingControls(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
        if scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) {
            result.append(contentsOf: scalar.escaped(asASCII: true).unicodeScalars)
        } else {
            result.append(scalar)
        }
    }
    return String(result)
}
