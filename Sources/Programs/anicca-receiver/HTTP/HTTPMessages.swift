/// The headers of a request.
struct HTTPHead: Sendable {
    /// By their names in lower case.
    private let values: [String: [String]]
    private let version: String

    init(_ headers: [(name: String, value: String)], version: String) {
        values = Dictionary(grouping: headers) { $0.name.lowercased() }.mapValues { $0.map(\.value) }
        self.version = version
    }

    /// The value of a header; its name is in lower case.
    subscript(name: String) -> String? { values[name]?.first }

    /// An ambiguity that two readers of the request may interpret differently (RFC 9112 §3.2 and §6.3); nil for none.
    var fault: String? {
        let once = ["Host", "Content-Length", "Transfer-Encoding", "Content-Type", "Authorization", "Idempotency-Key"]
        if let twice = once.first(where: { values[$0.lowercased(), default: []].count > 1 }) {
            return "\(twice) is there twice"
        }
        if self["host"] == nil, version == "HTTP/1.1" { return "Host is missing" }
        let hasTwoEnds = self["content-length"] != nil && self["transfer-encoding"] != nil
        return hasTwoEnds ? "Content-Length and Transfer-Encoding are both there" : nil
    }
}

/// A request with its complete body.
struct HTTPRequest: Sendable {
    /// As sent; methods are in upper case.
    let method: String
    /// Without the query, percent-decoded.
    let path: String
    let authorization: String?
    let contentType: String?
    let idempotencyKey: String?
    /// Nil if it was longer than the server accepts.
    let body: [UInt8]?
}

struct HTTPResponse: Sendable {
    var status: Int
    var headers: [String: String] = [:]
    var body: [UInt8] = []
    /// Whether the connection is closed without an answer.
    var hangsUp = false
}
