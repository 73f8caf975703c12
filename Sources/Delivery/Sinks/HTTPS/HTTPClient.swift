import CCurl
import CMosquitto
import Glibc
import Core

/// Posts JSON to the service: one blocking request at a time, over one connection that is kept open.
///
/// Certificates are verified, redirects are not followed, and only HTTPS leaves the machine. Errors never contain the
/// token or a body.
public final class HTTPClient {
    /// The security settings of the connection, beyond the certificate authorities of the system.
    public struct Security: Hashable, Sendable {
        /// `sha256//…`, several separated by `;` (CURLOPT_PINNEDPUBLICKEY(3)).
        public var pinnedPublicKey: String?
        /// PEM files of a client certificate and of its key.
        public var clientCertificate: String?
        public var clientKey: String?

        public init() {}
    }

    /// The client cannot be made: out of memory, or libcurl lacks an option needed for security.
    public struct SetUpFailed: Error, CustomStringConvertible {
        public let description: String
    }

    /// The result of a request, with a message for people if it failed.
    public struct Answer: Equatable, Sendable {
        public let reply: DeliveryReply
        /// Empty for a success.
        public let problem: String
        /// The body of a success, or JSON of an error, if it is at most 8 KB long; otherwise empty.
        public var body: [UInt8] = []
    }

    /// The most bytes of an answer's body that are read. Only its beginning is examined.
    public static let answerLimit = 64 * 1024
    /// The most bytes of all header lines of an answer, including interim answers (1xx) and trailers.
    public static let headerLimit = 32 * 1024

    private static let connectTimeoutMilliseconds = 15_000
    /// Once for the process.
    private static let curlStatus = curl_global_init_wiping()

    private let handle: UnsafeMutableRawPointer
    private let address: ServiceAddress
    /// The buffer for libcurl's error text, valid as long as the handle.
    private let explanation = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
    /// The number of the latest TLS alert from the server; 0 for none. Valid as long as the handle.
    private let alert = UnsafeMutablePointer<Int32>.allocate(capacity: 1)

    /// - Parameter token: nil sends without authentication.
    public init(
        _ address: ServiceAddress, token: Secret?, userAgent: String, security: Security = Security()
    ) throws(SetUpFailed) {
        guard HTTPClient.curlStatus == CURLE_OK, let handle = curl_easy_init() else {
            throw SetUpFailed(description: "libcurl cannot start: out of memory?")
        }
        self.handle = handle
        self.address = address
        try restrict()
        try secure(with: security)
        try set(CURLOPT_USERAGENT, userAgent)
        if let token { try signIn(with: token) }
    }

    deinit {
        curl_easy_cleanup(handle)
        explanation.deallocate()
        alert.deallocate()
    }

    /// Sends one request and waits at most `timeout` for its answer.
    public func post(_ path: String, json: [UInt8], idempotencyKey: String, timeout: Interval) -> Answer {
        post(path, json, ["Content-Type: application/json", "Idempotency-Key: \(idempotencyKey)"], timeout)
    }

    /// The same for a form (`application/x-www-form-urlencoded`).
    func post(_ path: String, form: [UInt8], timeout: Interval) -> Answer {
        post(path, form, ["Content-Type: application/x-www-form-urlencoded"], timeout)
    }

    private func post(_ path: String, _ body: [UInt8], _ lines: [String], _ timeout: Interval) -> Answer {
        var headers: UnsafeMutablePointer<curl_slist>?
        defer {
            // libcurl keeps pointers, and must not keep one to freed memory.
            _ = curl_set_pointer(handle, CURLOPT_HTTPHEADER, nil)
            curl_slist_free_all(headers)
        }
        do {
            for line in lines + ["Accept: application/json"] { try append(line, to: &headers) }
            try set(CURLOPT_URL, "\(address)\(path)")
            try set(timeout: timeout)
            try set(CURLOPT_HTTPHEADER, UnsafeMutableRawPointer(headers))
            return try send(body)
        } catch {
            return Answer(reply: .unreachable, problem: error.description)
        }
    }

    /// Requests the head of the base address, to check that a server answers there.
    func head(timeout: Interval) -> ServerReach {
        do {
            try set(CURLOPT_URL, "\(address)/")
            try set(timeout: timeout)
            try set(CURLOPT_NOBODY, 1)
            explanation.pointee = 0
            alert.pointee = 0
            let code = curl_easy_perform(handle)
            try set(CURLOPT_NOBODY, 0)
            guard code == CURLE_OK else { return .unreachable(problem: failure(code).problem) }
            return .answered(address: address.description, status: number(CURLINFO_RESPONSE_CODE))
        } catch {
            return .unreachable(problem: error.description)
        }
    }

    private func append(_ line: String, to headers: inout UnsafeMutablePointer<curl_slist>?) throws(SetUpFailed) {
        guard let longer = curl_slist_append(headers, line) else { throw SetUpFailed(description: "out of memory") }
        headers = longer
    }

    private func send(_ body: [UInt8]) throws(SetUpFailed) -> Answer {
        var beginning = AnswerBeginning()
        explanation.pointee = 0
        alert.pointee = 0
        try set(CURLOPT_POSTFIELDSIZE, body.count)
        let code = body.withUnsafeBytes { bytes in
            withUnsafeMutablePointer(to: &beginning) { beginning in
                _ = curl_set_pointer(handle, CURLOPT_POSTFIELDS, UnsafeMutableRawPointer(mutating: bytes.baseAddress))
                _ = curl_set_writer(handle, AnswerBeginning.receive, beginning)
                _ = curl_set_line_reader(handle, AnswerBeginning.receiveLine, beginning)
                defer {
                    _ = curl_set_pointer(handle, CURLOPT_POSTFIELDS, nil)
                    _ = curl_set_writer(handle, AnswerBeginning.receive, nil)
                    _ = curl_set_line_reader(handle, nil, nil)
                }
                return curl_easy_perform(handle)
            }
        }
        if beginning.hasLongHeaders {
            let kilobytes = HTTPClient.headerLimit / 1024
            return Answer(reply: .unanswered, problem: "\(address) sends more than \(kilobytes) kB of headers")
        }
        guard code == CURLE_OK || beginning.isCutOff else { return failure(code) }
        guard beginning.status == number(CURLINFO_RESPONSE_CODE) else {
            return Answer(reply: .unanswered, problem: "\(address) sent no complete HTTP/1.1 response")
        }
        return answer(beginning)
    }

    private func answer(_ beginning: AnswerBeginning) -> Answer {
        let status = number(CURLINFO_RESPONSE_CODE)
        if (200...299).contains(status) {
            if beginning.isEmpty || (isJSON && !beginning.isNoJSON) {
                return Answer(reply: .status(status, retryAfter: nil), problem: "", body: beginning.body)
            }
            return Answer(
                reply: .noReceipt,
                problem:
                    "\(address) answered \(status), but not with a receipt (\(kindOfContent)): check base-url, and "
                    + "look for a captive portal")
        }
        let hint =
            switch status {
            case 300...399: "; redirects are not followed, correct base-url"
            case 404, 405: "; check base-url"
            case 407: "; a proxy in between asks for a password"
            default: ""
            }
        return Answer(
            reply: .status(status, retryAfter: retryAfter), problem: "\(address) answered \(status)\(hint)",
            body: isJSON ? beginning.body : [])
    }

    /// The wait in the header `Retry-After`, given as seconds or as a date (RFC 9110 §10.2.3); nil for a missing or
    /// malformed header. Not CURLINFO_RETRY_AFTER, which newer versions of libcurl cap at six hours.
    private var retryAfter: Interval? {
        var header: UnsafeMutablePointer<curl_header>?
        let code = curl_easy_header(handle, "Retry-After", 0, UInt32(CURLH_HEADER), -1, &header)
        guard code == CURLHE_OK, let text = header?.pointee.value else { return nil }
        let words = String(cString: text)
        if !words.isEmpty, words.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains) {
            // A number too large to parse means a long wait too.
            let seconds = min(Int64(words) ?? .max, 1 << 32)
            return seconds > 0 ? .seconds(seconds) : nil
        }
        let date = curl_getdate(text, nil)
        guard date > 0 else { return nil }
        let seconds = Int64(date) - Int64(time(nil))
        return seconds > 0 ? .seconds(min(seconds, 1 << 32)) : nil
    }

    private func failure(_ code: CURLcode) -> Answer {
        // In TLS 1.3 the handshake ends for the client before the server has checked its certificate (RFC 8446
        // §4.4.2.4).
        if CertificateAlert.all.contains(alert.pointee) {
            return Answer(
                reply: .unreachable,
                problem:
                    "\(address) refuses the certificate of this device (\(CertificateAlert.text(alert.pointee))): see "
                    + "client-certificate in [server]")
        }
        let detail = withoutPasswords(String(cString: explanation))
        let text = detail.isEmpty ? String(cString: curl_easy_strerror(code)) : detail
        guard !mayHaveArrived else { return Answer(reply: .unanswered, problem: "\(address): \(text)") }
        // The server's alert may be lost if it closes the connection at once.
        let hint =
            number(offset: CURLINFO_APPCONNECT_TIME_T) > 0
            ? "; it hung up after the TLS handshake; client-certificate in [server] may be missing" : ""
        return Answer(reply: .unreachable, problem: "\(address): \(text)\(hint)")
    }

    /// Whether any byte of the request may have reached the server. Requests to a proxy do not count, so with TLS it
    /// requires a handshake, of this request or of an earlier one on the same connection.
    private var mayHaveArrived: Bool {
        guard number(CURLINFO_REQUEST_SIZE) > 0 else { return false }
        return address.isLoopback || number(CURLINFO_NUM_CONNECTS) == 0
            || number(offset: CURLINFO_APPCONNECT_TIME_T) > 0
    }
}

// MARK: - Options

extension HTTPClient {
    /// Sets the timeout, rounded up plus one, because libcurl counts whole milliseconds: a request that takes all the
    /// time of a run must leave none for another.
    private func set(timeout: Interval) throws(SetUpFailed) {
        try set(CURLOPT_TIMEOUT_MS, Int(max(0, timeout.inMilliseconds)) + 2)
    }

    /// Sets the limits of every request, independent of the server and the environment: no redirects, and HTTPS only
    /// except on loopback.
    private func restrict() throws(SetUpFailed) {
        try set(CURLOPT_ERRORBUFFER, UnsafeMutableRawPointer(explanation))
        try set(CURLOPT_PROTOCOLS_STR, address.isLoopback ? "http,https" : "https")
        try set(CURLOPT_FOLLOWLOCATION, 0)
        try set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
        try set(CURLOPT_CONNECTTIMEOUT_MS, HTTPClient.connectTimeoutMilliseconds)
        try set(CURLOPT_NOSIGNAL, 1)
        // The head of a proxy's answer is not the server's.
        try set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        // A resolver that does not answer is abandoned, instead of waiting for it at the end.
        try set(CURLOPT_QUICK_EXIT, 1)
        if address.isLoopback { try set(CURLOPT_NOPROXY, "*") }
    }

    private func secure(with security: Security) throws(SetUpFailed) {
        try set(CURLOPT_SSL_VERIFYPEER, 1)
        try set(CURLOPT_SSL_VERIFYHOST, 2)
        try set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        if let pin = security.pinnedPublicKey { try set(CURLOPT_PINNEDPUBLICKEY, pin) }
        if let certificate = security.clientCertificate { try set(CURLOPT_SSLCERT, certificate) }
        if let key = security.clientKey { try set(CURLOPT_SSLKEY, key) }
        alert.initialize(to: 0)
        // A libcurl with another TLS library lacks this option; then its own message has to suffice.
        _ = curl_set_tls_callback(
            handle,
            { _, context, alert in
                tls_keep_alert(context, alert?.assumingMemoryBound(to: Int32.self))
                return CURLE_OK
            }, alert)
    }

    private func signIn(with token: Secret) throws(SetUpFailed) {
        try set(CURLOPT_HTTPAUTH, CURL_AUTH_BEARER)
        let code = token.withCString { curl_set_string(handle, CURLOPT_XOAUTH2_BEARER, $0.baseAddress) }
        try check(code, CURLOPT_XOAUTH2_BEARER)
    }

    private func set(_ option: CURLoption, _ value: Int) throws(SetUpFailed) {
        try check(curl_set_long(handle, option, value), option)
    }

    private func set(_ option: CURLoption, _ value: String) throws(SetUpFailed) {
        try check(curl_set_string(handle, option, value), option)
    }

    private func set(_ option: CURLoption, _ value: UnsafeMutableRawPointer?) throws(SetUpFailed) {
        try check(curl_set_pointer(handle, option, value), option)
    }

    private func check(_ code: CURLcode, _ option: CURLoption) throws(SetUpFailed) {
        guard code != CURLE_OK else { return }
        let reason = String(cString: curl_easy_strerror(code))
        throw SetUpFailed(description: "libcurl refuses option \(option.rawValue): \(reason)")
    }

    private func number(offset info: CURLINFO) -> Int {
        var value: curl_off_t = 0
        _ = curl_get_offset(handle, info, &value)
        return Int(value)
    }

    private func number(_ info: CURLINFO) -> Int {
        var value = 0
        _ = curl_get_long(handle, info, &value)
        return value
    }

    /// The type without its parameters, in lower case; empty if the answer has none.
    private var contentType: String {
        var text: UnsafeMutablePointer<CChar>?
        _ = curl_get_string(handle, CURLINFO_CONTENT_TYPE, &text)
        let words = text.map { String(cString: $0).lowercased() } ?? ""
        return String(words.prefix { $0 != ";" && $0 != " " })
    }

    private var isJSON: Bool { contentType == "application/json" }

    /// For people, and always short.
    private var kindOfContent: String {
        let type = contentType
        return type.isEmpty ? "of no type" : String(type.unicodeScalars.filter { $0.isASCII && $0 > " " }.prefix(40))
    }
}

/// libcurl's errors quote the address of a proxy, with user and password.
private func withoutPasswords(_ text: String) -> String {
    text.split(separator: " ", omittingEmptySubsequences: false)
        .map { word in word.lastIndex(of: "@").map { "…" + word[$0...] } ?? String(word) }
        .joined(separator: " ")
}
