import Commands
import Config
import System

/// Signals the daemon that the store has changed, and the uploader if a receiver has to be told about consent. Nothing
/// is lost if the daemon is not running, because it also reads the store when it starts.
final class DaemonCall {
    private let directory: String
    private let ringsUploader: Bool
    private var hasComplained = false

    init(_ settings: Settings) {
        directory = settings.wakeFileDirectory
        ringsUploader = settings.announcesConsent
    }

    func signal() {
        do {
            try WakeFile.daemon(in: directory).signal()
            if ringsUploader { try WakeFile.upload(in: directory).signal() }
        } catch .absent {
            complain("aniccad is not running (no \(directory)); the change takes effect at its next start")
        } catch {
            complain(
                "aniccad could not be notified: \(error); the change takes effect at its next start, or at: "
                    + "systemctl reload aniccad")
        }
    }

    /// Complains only once, even after several failures.
    private func complain(_ message: String) {
        if !hasComplained { tell(message) }
        hasComplained = true
    }
}
