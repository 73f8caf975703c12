import Files
import Glibc
import Vault

/// The key of the store where systemd keeps it for its services, encrypted for this device (systemd-creds(1)). Root alone
/// can read it.
struct EncryptedKey {
    /// Where `LoadCredentialEncrypted=` finds it (systemd.exec(5)).
    static let standardPath = "/etc/credstore.encrypted/\(Vault.credentialName)"
    private static let tool = "/usr/bin/systemd-creds"

    var path = standardPath

    var exists: Bool { access(path, F_OK) == 0 }

    /// What systemd-creds says of a failure goes to the standard error.
    func open() throws(VaultError) -> Vault {
        let decryption = try decrypt()
        do {
            return try Vault(readingKeyFrom: decryption.output, of: path)
        } catch .keyRefused(_, .wrongLength(0)) where decryption.wait() != 0 {
            throw .credentialShut(path: path)
        }
    }

    private func decrypt() throws(VaultError) -> ChildProcess {
        do {
            return try ChildProcess(Self.tool, ["decrypt", "--name=\(Vault.credentialName)", path, "-"])
        } catch {
            tell("\(error)")
            throw .credentialShut(path: path)
        }
    }
}
