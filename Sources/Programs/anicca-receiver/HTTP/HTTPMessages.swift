/// A request whose body has arrived.
struct HTTPRequest: Sendable {
    /// As it was sent; methods are in upper case.
    let method: String
    /// Without the query, percent-decoded.
    let path: String
    let authorization: String?
    let contentType: String?
    let idempotencyKey: String?
    /// Nil when it was longer than the server takes.
    let body: [UInt8]?
}

struct HTTPResponse: Sendable {
    var status: Int
    var headers: [String: String] = [:]
    var body: [UInt8] = []
    /// The connection is closed without a byte of an answer.
    var hangsUp = false
}
