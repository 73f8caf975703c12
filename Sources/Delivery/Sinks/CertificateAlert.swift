import CMosquitto

/// TLS alerts with which a server refuses this device's certificate.
enum CertificateAlert {
    /// Bad, unsupported, revoked, expired, unknown, from an unknown authority, without access, required
    /// (RFC 8446 §6.2).
    static let all: Set<Int32> = [42, 43, 44, 45, 46, 48, 49, 116]

    /// OpenSSL's text for an alert. It has none for the last.
    static func text(_ alert: Int32) -> String {
        if alert & 0xFF == 116 { return "certificate required" }
        return SSL_alert_desc_string_long(alert).map { String(cString: $0) } ?? "\(alert & 0xFF)"
    }
}
