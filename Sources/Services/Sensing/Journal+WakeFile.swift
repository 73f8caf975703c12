import Files
import Journaling

extension Journal {
    /// Signals the wake file, and logs a failure: the uploader looks again by itself later.
    public func signal(_ wakeFile: WakeFile) {
        do {
            try wakeFile.signal()
        } catch {
            log(.warning, .bellUnusable, "cannot ring for the uploader: \(error); it looks again at its next run")
        }
    }
}
