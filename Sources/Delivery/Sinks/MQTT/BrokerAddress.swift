import Glibc

/// The address of a broker: `mqtts://host[:port]`, or `mqtt://` to this machine itself.
struct BrokerAddress: Hashable, CustomStringConvertible {
    /// A name, or a numeric address without brackets.
    let host: String
    let port: UInt16
    let isEncrypted: Bool

    /// The default ports are those registered with IANA for MQTT ("secure-mqtt", "mqtt"). Nil for any other text.
    init?(_ text: String) {
        let schemes = [("mqtts://", true, UInt16(8883)), ("mqtt://", false, 1883)]
        guard let (scheme, isEncrypted, usual) = schemes.first(where: { text.hasPrefix($0.0) }) else { return nil }
        let authority = text.dropFirst(scheme.utf8.count)
        let isBracketed = authority.hasPrefix("[")
        let host = isBracketed ? authority.dropFirst().prefix { $0 != "]" } : authority.prefix { $0 != ":" }
        let rest = authority.dropFirst(host.count + (isBracketed ? 2 : 0))
        guard !host.isEmpty, !isBracketed || authority.contains("]"), rest.isEmpty || rest.hasPrefix(":") else {
            return nil
        }
        guard let port = rest.isEmpty ? usual : UInt16(rest.dropFirst()), port > 0 else { return nil }
        self.host = String(host)
        self.port = port
        self.isEncrypted = isEncrypted
        guard isEncrypted || isLoopback else { return nil }
    }

    /// Numeric loopback addresses, and the one name that is never resolved.
    private var isLoopback: Bool {
        var address = in_addr()
        if inet_pton(AF_INET, host, &address) == 1 { return UInt32(bigEndian: address.s_addr) >> 24 == 127 }
        return host == "::1" || host == "localhost"
    }

    /// Whether the host is a numeric address.
    var isNumeric: Bool {
        var (four, six) = (in_addr(), in6_addr())
        return inet_pton(AF_INET, host, &four) == 1 || inet_pton(AF_INET6, host, &six) == 1
    }

    var description: String {
        let host = host.contains(":") ? "[\(host)]" : host
        return "\(isEncrypted ? "mqtts" : "mqtt")://\(host):\(port)"
    }
}
