import Glibc

/// A notification without content: an empty file that tells a process to look at the store.
///
/// The data is in the store. A reader therefore clears the file first and reads the store afterwards: a signal in
/// between makes the file again, and at worst the reader finds nothing new. A watcher also reads once after its watch
/// began, in case of an earlier signal.
public struct WakeFile: Hashable, Sendable {
    public let path: String
    /// The directory of the file, for watchers.
    public let directory: String

    /// Made by the daemon when an event waits to be sent; systemd starts the uploader while the file exists
    /// (`PathExists=`, systemd.path(5)).
    public static func upload(in directory: String) -> WakeFile { WakeFile("upload", in: directory) }
    /// Made by the command when the wearer has changed something; the daemon watches it.
    public static func daemon(in directory: String) -> WakeFile { WakeFile("daemon", in: directory) }

    private init(_ name: String, in directory: String) {
        self.directory = directory
        path = "\(directory)/\(name)"
    }

    /// Makes the file, or touches one that is not cleared yet. The directory must exist; its mode controls the right to
    /// signal.
    public func signal() throws(FileError) {
        do {
            // Closing notifies the watcher.
            close(try openFile(path, O_WRONLY | O_CREAT, mode: 0o660, privacy: .shared))
        } catch .denied where isSet {
            // Opening a file made by another user may fail, but the signal is set.
        }
    }

    /// Whether it was signalled and not cleared yet.
    public var isSet: Bool { access(path, F_OK) == 0 }

    /// Removes the file. Call it before reading the store, never after. Returns whether it was set.
    @discardableResult
    public func clear() throws(FileError) -> Bool { try removeFile(path) }
}
