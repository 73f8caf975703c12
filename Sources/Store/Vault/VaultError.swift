import Glibc

/// The reason why there is no key, or why sealed bytes do not open. No case contains a secret.
public enum VaultError: Error, Hashable, Sendable {
    /// There is no key, and the caller did not ask to make one.
    case keyMissing(path: String)
    /// There is a key, but it must not be used in this condition.
    case keyRefused(path: String, KeyFault)
    /// The system refused to read or make the key.
    case keyUnavailable(path: String, errno: Int32)
    /// systemd holds the encrypted key, but could not decrypt it.
    case credentialShut(path: String)
    /// The bytes were changed, belong to another place, or were sealed under another key.
    case sealBroken
    /// libsodium did not start, or there is no memory for the key.
    case notReady
}

/// The fault of a key file.
public enum KeyFault: Hashable, Sendable {
    /// A symbolic link, a directory or a device.
    case notRegular
    /// It belongs to another user.
    case foreign(owner: UInt32)
    /// Users other than its owner may read or write it; `mode` has the permission bits.
    case exposed(mode: UInt32)
    /// Not exactly `Vault.keyLength` bytes.
    case wrongLength(Int)
}

extension VaultError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .keyMissing(let path):
            "there is a store, but no key at \(path): put the key back from its copy; without it the store cannot be read"
        case .keyRefused(let path, .notRegular):
            "the key \(path) is not a regular file: replace the link or device with the key itself"
        case .keyRefused(let path, .foreign(let owner)):
            "the key \(path) belongs to user \(owner): chown it to the agent's user"
        case .keyRefused(let path, .exposed(let mode)):
            "the key \(path) has mode 0\(String(mode, radix: 8)), so others can reach it: chmod 0600 \(path)"
        case .keyRefused(let path, .wrongLength(let length)):
            "the key \(path) has \(length) bytes instead of \(Vault.keyLength): put the right key back from its copy; "
                + "with another key the store cannot be read"
        case .keyUnavailable(let path, let code):
            "cannot read or make the key \(path): \(String(cString: strerror(code))): \(advice(errno: code))"
        case .credentialShut(let path):
            "systemd-creds cannot decrypt the key \(path): it opens only on the device where it was made, with "
                + "unchanged /var/lib/systemd/credential.secret and TPM"
        case .sealBroken:
            "sealed bytes do not open: they were changed or moved, or belong to another key"
        case .notReady:
            "libsodium did not start: out of memory, or no random source (random(7))"
        }
    }
}

private func advice(errno code: Int32) -> String {
    switch code {
    case ENOENT, ENOTDIR: "make its directory, or correct the path in the config"
    case EROFS: "see dmesg for a fault of the card"
    case ENOSPC, EDQUOT: "free some space on its file system"
    default: "check who owns the file and its directory"
    }
}
