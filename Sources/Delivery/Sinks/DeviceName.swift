import CMosquitto
import System
import Core

/// The name of this device for a server, and its default name in topics, derived like systemd's application-specific id
/// (sd_id128_get_machine_app_specific(3)), so that a receiver cannot infer the machine id.
enum DeviceName {
    /// Chosen once for this use, and never changed: the topics depend on it.
    private static let application: [UInt8] = [
        0x6e, 0x0d, 0x52, 0xf1, 0xa9, 0x3b, 0x4c, 0x87, 0xb1, 0x44, 0x2f, 0xd8, 0x90, 0x1c, 0x65, 0x3a,
    ]

    /// Twelve hexadecimal digits; nil for a machine without an identity.
    static func derived(machineID path: String = "/etc/machine-id") -> String? {
        // `try?`: without the file there is no identity.
        guard let text = try? readFile(path, limit: 64).prefix(while: { $0 != UInt8(ascii: "\n") }), text.count == 32
        else { return nil }
        return hash(Array(text))
    }

    private static func hash(_ machineID: [UInt8]) -> String? {
        var digest = [UInt8](repeating: 0, count: 32)
        var length: UInt32 = 0
        let isHashed = HMAC(
            EVP_sha256(), machineID, Int32(machineID.count), application, application.count, &digest, &length)
        guard isHashed != nil, length == 32 else { return nil }
        return hexadecimal(digest.prefix(6))
    }
}
