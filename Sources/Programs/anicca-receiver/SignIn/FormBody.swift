import Foundation

/// A body of `application/x-www-form-urlencoded` (WHATWG URL §5.1), as OAuth sends its requests.
struct FormBody {
    private let values: [String: String]

    /// Nil if it is not UTF-8, or has a name twice (RFC 6749 §3.2).
    init?(_ request: HTTPRequest) {
        let type = request.contentType?.lowercased().split(separator: ";").first
        guard type == "application/x-www-form-urlencoded", let bytes = request.body,
            let text = String(validating: bytes, as: UTF8.self)
        else { return nil }
        var values: [String: String] = [:]
        for pair in text.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let decoded = parts.map { $0.replacing("+", with: " ").removingPercentEncoding }
            guard let name = decoded[0], let value = parts.count == 2 ? decoded[1] : "", values[name] == nil else {
                return nil
            }
            values[name] = value
        }
        self.values = values
    }

    /// A parameter; nil if it is missing or empty, which is the same (RFC 6749 §3.2).
    subscript(_ name: String) -> String? { values[name].flatMap { $0.isEmpty ? nil : $0 } }
}
