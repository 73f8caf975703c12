import Core

extension ValueFormat<String> {
    /// The base address of the endpoints, without trailing slashes.
    ///
    /// Strict on purpose: without user name, query and fragment, so that the host is unambiguous.
    static var baseURL: ValueFormat {
        ValueFormat(
            allowed: "an https:// address without query (http:// only to localhost, 127.0.0.0/8 or [::1])",
            parse: parseBaseURL,
            format: { $0 })
    }

    /// The address of a broker: as strict as a server's, and without a path.
    static var broker: ValueFormat {
        ValueFormat(
            allowed: "mqtts://host or mqtts://host:port (mqtt:// only to localhost, 127.0.0.0/8 or [::1])",
            parse: parseBroker,
            format: { $0 })
    }

    /// A name that can be logged unescaped.
    static var userName: ValueFormat {
        ValueFormat(
            allowed: "1 to 64 characters of visible ASCII",
            parse: { isShort($0, most: 64, where: (UInt8(ascii: "!")...UInt8(ascii: "~")).contains) ? $0 : nil },
            format: { $0 })
    }

    /// Text of one line for people.
    static var words: ValueFormat {
        ValueFormat(
            allowed: "1 to 200 bytes of text", parse: { (1...200).contains($0.utf8.count) ? $0 : nil }, format: { $0 })
    }

    /// Levels of a topic, without wildcards (MQTT 5.0 §4.7).
    static var topic: ValueFormat {
        ValueFormat(
            allowed: "levels of letters, digits, _ and -, with / between them, 64 characters at most",
            parse: { text in
                let levels = text.split(separator: "/", omittingEmptySubsequences: false)
                let areLevels = levels.allSatisfy { isShort(String($0), most: 64, where: isLevelByte) }
                return areLevels && text.utf8.count <= 64 ? text : nil
            },
            format: { $0 })
    }

    static var topicLevel: ValueFormat {
        ValueFormat(
            allowed: "1 to 32 letters, digits, _ and -",
            parse: { isShort($0, most: 32, where: isLevelByte) ? $0 : nil },
            format: { $0 })
    }

    /// One or more public-key pins as libcurl takes them (CURLOPT_PINNEDPUBLICKEY(3)).
    static var pinnedKeys: ValueFormat {
        ValueFormat(
            allowed: "sha256// and the Base64 of a SHA-256 hash, several separated by ;",
            parse: { text in
                let pins = text.split(separator: ";", omittingEmptySubsequences: false)
                return pins.allSatisfy(isPin) ? text : nil
            },
            format: { $0 })
    }
}

extension Settings.Server {
    /// Whether a text has the form of `pinned-key`.
    public static func arePins(_ text: String) -> Bool { ValueFormat.pinnedKeys.parse(text) != nil }
}

private func parseBaseURL(_ text: String) -> String? {
    var url = text
    while url.hasSuffix("/") { url.removeLast() }
    for scheme in ["https://", "http://"] where url.hasPrefix(scheme) {
        let rest = url.dropFirst(scheme.count)
        guard let host = host(of: rest.prefix { $0 != "/" }),
            rest.drop(while: { $0 != "/" }).utf8.allSatisfy({ isNameByte($0) || "/%~_".utf8.contains($0) }),
            scheme == "https://" || isLoopback(host)
        else { return nil }
        return url
    }
    return nil
}

private func parseBroker(_ text: String) -> String? {
    for scheme in ["mqtts://", "mqtt://"] where text.hasPrefix(scheme) {
        guard let host = host(of: text.dropFirst(scheme.count)), scheme == "mqtts://" || isLoopback(host) else {
            return nil
        }
        return text
    }
    return nil
}

private func isShort(_ text: String, most: Int, where isAllowed: (UInt8) -> Bool) -> Bool {
    !text.isEmpty && text.utf8.count <= most && text.utf8.allSatisfy(isAllowed)
}

private func isLevelByte(_ byte: UInt8) -> Bool {
    byte != UInt8(ascii: ".") && (isNameByte(byte) || byte == UInt8(ascii: "_"))
}

/// The host of `host`, `host:port`, `[address]` or `[address]:port`; nil if malformed.
private func host(of authority: Substring) -> Substring? {
    let isBracketed = authority.hasPrefix("[")
    let host = isBracketed ? authority.prefix { $0 != "]" } + "]" : authority.prefix { $0 != ":" }
    let port = authority.dropFirst(host.count)
    guard authority.hasPrefix(host), port.isEmpty || isPort(port) else { return nil }
    if isBracketed {
        let address = host.dropFirst().dropLast().utf8
        return address.contains(UInt8(ascii: ":"))
            && address.allSatisfy { isHexDigit($0) || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".") } ? host : nil
    }
    return !host.isEmpty && host.utf8.allSatisfy(isNameByte) ? host : nil
}

private func isPort(_ text: Substring) -> Bool {
    text.hasPrefix(":") && text.dropFirst().utf8.allSatisfy(isDigit) && (UInt16(text.dropFirst()) ?? 0) > 0
}

private func isNameByte(_ byte: UInt8) -> Bool {
    isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || "-.".utf8.contains(byte)
}

private func isLoopback(_ host: Substring) -> Bool {
    if host == "localhost" || host == "[::1]" { return true }
    let octets = host.split(separator: ".", omittingEmptySubsequences: false)
    return octets.count == 4 && octets[0] == "127"
        && octets.allSatisfy { $0.utf8.allSatisfy(isDigit) && UInt8($0) != nil }
}

/// A SHA-256 hash is 32 bytes: 43 Base64 digits and one `=`.
private func isPin(_ text: Substring) -> Bool {
    let base64 = text.dropFirst("sha256//".count)
    return text.hasPrefix("sha256//") && base64.utf8.count == 44 && base64.hasSuffix("=")
        && base64.dropLast().utf8.allSatisfy { isNameByte($0) && !"-.".utf8.contains($0) || "+/".utf8.contains($0) }
}
