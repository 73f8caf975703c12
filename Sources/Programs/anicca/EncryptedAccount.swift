import Commands
import System
import Glibc
import Delivery
import Store

/// The account as an encrypted credential of systemd for this device (systemd-creds(1)). Only root can access it.
struct EncryptedAccount {
    /// The path at which `LoadCredentialEncrypted=` finds it (systemd.exec(5)).
    static let standardPath = "/etc/credstore.encrypted/\(AccountFile.name)"
    private static let tool = "/usr/bin/systemd-creds"

    var path = standardPath

    var exists: Bool { access(path, F_OK) == 0 }

    /// Whether this process can create one.
    static var isPossible: Bool {
        geteuid() == 0 && access(tool, X_OK) == 0 && access("/run/systemd/system", F_OK) == 0
    }

    /// systemd-creds writes its own error message to the standard error.
    func open() throws(Failure) -> AccountFile {
        do {
            let decryption = try ChildProcess(Self.tool, ["decrypt", "--name=\(AccountFile.name)", path, "-"])
            var content = decryption.readAll(limit: AccountFile.limit)
            defer { Vault.wipe(&content) }
            if decryption.wait() == 0, let account = AccountFile(content: content) { return account }
        } catch {
            tell("\(error)")
        }
        throw Failure("\(path) does not open on this device; run: sudo \(aniccaCommand("sign-in"))", .noPermission)
    }

    /// Encrypts the content to a new file, verifies that it opens, and renames it into place. Returns false on failure;
    /// the previous file stays.
    func write(_ content: [UInt8]) -> Bool {
        let draft = "\(path).new"
        mkdir(directory(of: path), 0o700)
        defer { unlink(draft) }
        do {
            // Not bound to the PCRs of a TPM, because a firmware update must not sign anybody out.
            let encryption = try ChildProcess(
                Self.tool,
                ["encrypt", "--quiet", "--tpm2-pcrs=", "--name=\(AccountFile.name)", "-", draft], input: content)
            guard encryption.wait() == 0 else { return false }
            _ = try EncryptedAccount(path: draft).open()
        } catch {
            tell("\(error)")
            return false
        }
        return chmod(draft, 0o600) == 0 && placeFile(draft, at: path) == 0
    }
}
