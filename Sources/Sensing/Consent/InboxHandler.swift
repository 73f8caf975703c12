import Config
import Domains
import Glibc

/// The directory into which the bridge of the paired phone puts its reports, to be read and removed.
final class InboxHandler: HardwareHints {
    let domain: Domain
    let device = "paired phone"
    private let path: String

    init(_ domain: Domain, _ companion: ScreenTimeSettings) {
        self.domain = domain
        path = companion.inbox
    }

    var nodes: [String] { [path] }

    /// Ready if the process may list the directory, and open and remove its files.
    var currentStatus: DeviceStatus {
        var information = stat()
        guard stat(path, &information) == 0 else { return status(of: errno) }
        guard information.st_mode & S_IFMT == S_IFDIR else {
            return .blocked(.absent, reason: "\(path): not a directory")
        }
        guard faccessat(AT_FDCWD, path, R_OK | W_OK | X_OK, AT_EACCESS) == 0 else { return status(of: errno) }
        return .ready
    }

    func requestAccess() -> DeviceStatus { currentStatus }

    var hintWhenAbsent: String {
        "pair the phone: sudo anicca companion pair USER, with the user under whom its bridge runs"
    }

    var hintWhenRefused: String { "run: chown anicca \(path) && chmod u+rwx \(path)" }

    private func status(of code: Int32) -> DeviceStatus {
        DeviceStatus(
            errno: code, at: path, absent: "no phone is paired", refused: "for reading and removing reports")
    }
}
