import Commands
import System
import Glibc
import Store

/// The store's key as an encrypted credential of systemd for this device (systemd-creds(1)). Only root can read it.
struct EncryptedKey {
    /// The path at which `LoadCredentialEncrypted=` finds it (systemd.exec(5)).
    static let standardPath = "/etc/credstore.encrypted/\(Vault.credentialName)"
    private static let tool = "/usr/bin/systemd-creds"

    var path = standardPath

    var exists: Bool { access(path, F_OK) == 0 }

    /// The vault with the decrypted key. systemd-creds writes its own error message to the standard error.
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
