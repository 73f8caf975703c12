import Glibc

/// The directory `rejected` in the inbox, which keeps the latest files that were no reports.
struct RejectedReports {
    private let inbox: Int32
    /// The place of the next one.
    private var next = 0

    /// So many are kept.
    static let most = 20

    init(below inbox: Int32) { self.inbox = inbox }

    /// Takes a file out of the inbox: into the directory, or away.
    mutating func take(_ name: [CChar], isKept: Bool) throws(InboxError) {
        if isKept, let directory = openDirectory() {
            defer { close(directory) }
            let place = "\(next).json"
            next = (next + 1) % Self.most
            if renameat(inbox, name, directory, place) == 0 { return }
        }
        guard unlinkat(inbox, name, 0) == 0 || errno == ENOENT else { throw InboxError(errno: errno) }
    }

    /// Nil where another user made a directory or a link of this name.
    private func openDirectory() -> Int32? {
        mkdirat(inbox, "rejected", 0o700)
        let directory = openat(inbox, "rejected", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard directory >= 0 else { return nil }
        var status = stat()
        guard fstat(directory, &status) == 0, status.st_uid == geteuid() else {
            close(directory)
            return nil
        }
        return directory
    }
}
