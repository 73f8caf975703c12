import Files
import Journaling

extension Journal {
    /// Rings, and says so when that fails: whoever should have heard looks again by itself later.
    public func signal(_ wakeFile: WakeFile) {
        do {
            try wakeFile.signal()
        } catch {
            log(.warning, .bellUnusable, "cannot ring for the uploader: \(error); it looks again at its next run")
        }
    }
}
