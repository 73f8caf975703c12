import Glibc

/// The directory `rejected` in the inbox, which keeps the latest files that were not reports.
struct RejectedReports {
    private let inbox: Int32
    /// The number of the next file.
    private var next = 0

    /// The most files kept.
    static let most = 20

    init(below inbox: Int32) { self.inbox = inbox }

    /// Moves a file from the inbox into the directory, or deletes it.
    mutating func take(_ name: [CChar], isKept: Bool) throws(InboxError) {
        if isKept, let directory = openDirectory() {
            defer { close(directory) }
            let place = "\(next).json"
            next = (next + 1) % Self.most
            if renameat(inbox, name, directory, place) == 0 { return }
        }
        guard unlinkat(inbox, name, 0) == 0 || errno == ENOENT else { throw InboxError(errno: errno) }
    }

    /// Nil if the name belongs to another user's directory or to a link.
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
