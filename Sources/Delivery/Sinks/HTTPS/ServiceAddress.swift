import CCurl
import Glibc

/// The address of the service: `https://host[:port][/path]`, or plain `http` to this machine itself (SPEC §7).
public struct ServiceAddress: Hashable, Sendable, CustomStringConvertible {
    /// The reason why a text is not a valid address.
    public enum Invalid: Error, Hashable, Sendable, CustomStringConvertible {
        case notAnAddress
        case notHTTPS
        case carriesMoreThanAPath

        public var description: String {
            switch self {
            case .notAnAddress: "not an address such as https://api.example.org"
            case .notHTTPS: "must begin with https:// (http:// is allowed to 127.0.0.1, ::1 and localhost only)"
            case .carriesMoreThanAPath: "must not contain a user, a password, a query or a fragment"
            }
        }
    }

    /// The address without a trailing slash.
    public let description: String
    /// Whether the service is on this machine, where plain HTTP is allowed and no proxy is used.
    public let isLoopback: Bool

    /// Parsed by libcurl's own parser (libcurl-url(3)), so that the check and the connection agree.
    public init(_ text: String) throws(Invalid) {
        guard let url = curl_url() else { throw .notAnAddress }
        defer { curl_url_cleanup(url) }
        guard !text.utf8.contains(0), curl_url_set(url, CURLUPART_URL, text, 0) == CURLUE_OK,
            let scheme = part(CURLUPART_SCHEME, of: url), let host = part(CURLUPART_HOST, of: url)
        else { throw .notAnAddress }
        let strangers = [CURLUPART_USER, CURLUPART_PASSWORD, CURLUPART_QUERY, CURLUPART_FRAGMENT]
        guard strangers.allSatisfy({ part($0, of: url) == nil }) else { throw .carriesMoreThanAPath }
        isLoopback = namesThisMachine(host)
        guard scheme == "https" || (scheme == "http" && isLoopback) else { throw .notHTTPS }
        var address = part(CURLUPART_URL, of: url) ?? text
        while address.hasSuffix("/") { address.removeLast() }
        description = address
    }
}

private func part(_ which: CURLUPart, of url: OpaquePointer) -> String? {
    var text: UnsafeMutablePointer<CChar>?
    guard curl_url_get(url, which, &text, 0) == CURLUE_OK, let text else { return nil }
    defer { curl_free(text) }
    return String(cString: text)
}

/// Only numeric loopback addresses and the one name that libcurl never resolves.
private func namesThisMachine(_ host: String) -> Bool {
    var address = in_addr()
    if inet_pton(AF_INET, host, &address) == 1 { return UInt32(bigEndian: address.s_addr) >> 24 == 127 }
    return host == "[::1]" || host == "localhost"
}
