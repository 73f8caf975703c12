import Program

extension [JSONObject] {
    /// The objects as a JSON array (RFC 8259 §5), one on each line.
    var json: String {
        isEmpty ? "[]" : "[\n" + map(\.description).joined(separator: ",\n") + "\n]"
    }
}
