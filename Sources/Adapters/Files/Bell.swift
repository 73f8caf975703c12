import Glibc

/// A notification without content: an empty file that says "there is something to look at".
///
/// What there is to see lies in the store. Whoever answers therefore answers first and looks afterwards: a bell that
/// rings in between is there again, and at worst nothing new is found. A watcher also looks once after its
/// watch has begun, for what was left while nobody watched.
public struct Bell: Hashable, Sendable {
    public let path: String
    /// Where it lies, for whoever watches.
    public let directory: String

    /// Rung by the daemon when an event waits to be sent; systemd starts the uploader while the file exists
    /// (`PathExists=`, systemd.path(5)).
    public static func upload(in directory: String) -> Bell { Bell("upload", in: directory) }
    /// Rung by the command when the wearer has changed something; the daemon watches it.
    public static func daemon(in directory: String) -> Bell { Bell("daemon", in: directory) }

    private init(_ name: String, in directory: String) {
        self.directory = directory
        path = "\(directory)/\(name)"
    }

    /// Rings, also when the bell has not been answered yet. The directory must exist; it decides who may ring.
    public func ring() throws(FileError) {
        let flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        let descriptor = open(path, flags, 0o660)
        let failure = errno
        if descriptor >= 0 {
            // The kernel tells the watcher of the closing.
            close(descriptor)
        } else if failure != EACCES || !isRinging {
            // A bell that another user has rung may not be ours to open, but it rings.
            throw FileError(errno: failure, path: path)
        }
    }

    /// Whether it was rung and not answered.
    public var isRinging: Bool { access(path, F_OK) == 0 }

    /// Silences the bell. To be called before looking, never after. Gives back whether it was ringing.
    @discardableResult
    public func answer() throws(FileError) -> Bool {
        if unlink(path) == 0 { return true }
        guard errno == ENOENT else { throw FileError(errno: errno, path: path) }
        return false
    }
}
