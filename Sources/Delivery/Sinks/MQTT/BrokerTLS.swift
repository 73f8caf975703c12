import CMosquitto
import Glibc

/// TLS to a broker with this device's requirements: 1.2 or later, the certificate verified for the name, and its public
/// key one of the pins. libmosquitto has no pins and its own verification settings, so it gets this context instead.
final class BrokerTLS {
    /// A certificate, a key or an authority is unusable; the text contains no secret.
    struct Unusable: Error {
        let problem: String
    }

    /// The result of a handshake, beyond an error number.
    enum Finding: Equatable {
        /// This device refuses the broker; the text says why.
        case refusesBroker(String)
        /// The broker refuses this device's certificate, or requires one.
        case isRefused(String)
    }

    /// For `MOSQ_OPT_SSL_CTX`; valid as long as this object.
    let context: OpaquePointer
    private(set) var finding: Finding?
    private let name: [CChar]?
    private let pins: [String]

    /// - Parameters:
    ///   - caFile: the only trusted authorities; nil for those of the system.
    ///   - pins: `sha256//…`, separated by `;`, as for libcurl.
    init(
        to address: BrokerAddress, caFile: String?, pins: String?, certificate: String?, key: String?
    ) throws(Unusable) {
        guard let context = SSL_CTX_new(TLS_client_method()) else { throw Unusable(problem: "OpenSSL: out of memory") }
        self.context = context
        self.pins = pins?.split(separator: ";").map { String($0.dropFirst("sha256//".utf8.count)) } ?? []
        // RFC 6066 §3: a numeric address is not sent as server name.
        name = address.isNumeric ? nil : Array(address.host.utf8CString)
        try restrict()
        try trust(caFile)
        try expect(address)
        if let certificate, let key { try show(certificate, key) }
        _ = tls_set_owner(context, Unmanaged.passUnretained(self).toOpaque())
    }

    deinit { SSL_CTX_free(context) }

    private func restrict() throws(Unusable) {
        guard tls_at_least_1_2(context) == 1 else { throw unusable("TLS 1.2") }
        tls_restrict(context)
        // The password of a key is not asked for on a terminal.
        SSL_CTX_set_default_passwd_cb(context) { _, _, _, _ in -1 }
        SSL_CTX_set_verify(context, SSL_VERIFY_PEER) { BrokerTLS.verify(isGood: $0 == 1, $1) ? 1 : 0 }
        SSL_CTX_set_info_callback(context) { tls, kind, value in
            if let tls { BrokerTLS.note(tls, kind, value) }
        }
    }

    private func trust(_ caFile: String?) throws(Unusable) {
        guard let caFile else {
            guard SSL_CTX_set_default_verify_paths(context) == 1 else { throw unusable("the system's authorities") }
            return
        }
        guard SSL_CTX_load_verify_locations(context, caFile, nil) == 1 else { throw unusable("ca-file \(caFile)") }
    }

    private func expect(_ address: BrokerAddress) throws(Unusable) {
        let parameters = SSL_CTX_get0_param(context)
        X509_VERIFY_PARAM_set_hostflags(parameters, UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS))
        let isSet =
            address.isNumeric
            ? X509_VERIFY_PARAM_set1_ip_asc(parameters, address.host)
            : X509_VERIFY_PARAM_set1_host(parameters, address.host, 0)
        guard isSet == 1 else { throw unusable("the name \(address.host)") }
    }

    private func show(_ certificate: String, _ key: String) throws(Unusable) {
        guard SSL_CTX_use_certificate_chain_file(context, certificate) == 1 else {
            throw unusable("client-certificate \(certificate)")
        }
        guard SSL_CTX_use_PrivateKey_file(context, key, SSL_FILETYPE_PEM) == 1,
            SSL_CTX_check_private_key(context) == 1
        else { throw unusable("client-key \(key)") }
    }

    /// Includes the reason of OpenSSL's latest error, which contains file names but no content.
    private func unusable(_ part: String) -> Unusable {
        let code = ERR_peek_last_error()
        let reason = ERR_reason_error_string(code).map { String(cString: $0) }
        ERR_clear_error()
        return Unusable(problem: "\(part) cannot be used" + (reason.map { ": \($0)" } ?? ""))
    }
}

// MARK: - Called by OpenSSL

extension BrokerTLS {
    private static func owner(of tls: OpaquePointer?) -> BrokerTLS? {
        guard let tls, let owner = tls_owner(tls) else { return nil }
        return Unmanaged<BrokerTLS>.fromOpaque(owner).takeUnretainedValue()
    }

    /// Called for each certificate of the chain, the broker's last (SSL_CTX_set_verify(3)).
    private static func verify(isGood: Bool, _ store: OpaquePointer?) -> Bool {
        guard let store, let owner = owner(of: tls_verified(store)) else { return false }
        guard isGood else {
            let reason = X509_verify_cert_error_string(Int(X509_STORE_CTX_get_error(store)))
            owner.finding = .refusesBroker(reason.map { String(cString: $0) } ?? "its certificate is not valid")
            return false
        }
        guard X509_STORE_CTX_get_error_depth(store) == 0, !owner.pins.isEmpty else { return true }
        var pin = [UInt8](repeating: 0, count: 45)
        let isRead = X509_STORE_CTX_get_current_cert(store).map { tls_pin($0, &pin) } ?? 0
        guard isRead == 1, owner.pins.contains(String(decoding: pin.dropLast(), as: UTF8.self)) else {
            owner.finding = .refusesBroker("its public key is not in pinned-key")
            X509_STORE_CTX_set_error(store, X509_V_ERR_APPLICATION_VERIFICATION)
            return false
        }
        return true
    }

    /// libmosquitto sets the address that it connects to as server name; it has to be the broker's name.
    private static func note(_ tls: OpaquePointer, _ kind: Int32, _ value: Int32) {
        guard let owner = owner(of: tls) else { return }
        if kind == TLS_INFO_START { _ = owner.name.map { tls_set_name(tls, $0) } ?? tls_set_name(tls, nil) }
        guard kind == TLS_INFO_READ_ALERT, CertificateAlert.all.contains(value & 0xFF), owner.finding == nil else {
            return
        }
        owner.finding = .isRefused(CertificateAlert.text(value))
    }
}
