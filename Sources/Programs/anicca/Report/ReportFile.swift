import Commands
import Files
import Glibc

/// A file that only the wearer can read, and that appears whole or not at all: it is written beside its place and takes it at the end.
struct ReportFile {
    private let path: String
    private let name: String
    private let parent: String
    private let mayReplace: Bool

    /// Throws where something is in the way.
    ///
    /// - Parameter mayReplace: whether a file that is there is replaced. Nothing else ever is.
    init(_ path: String, mayReplace: Bool) throws(Failure) {
        self.path = path
        self.mayReplace = mayReplace
        let start = path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex
        name = String(path[start...])
        parent = start == path.startIndex ? "." : String(path[..<start])
        guard !["", ".", ".."].contains(name) else {
            throw Failure("\(path): name a file, such as report.html", .cannotCreate)
        }
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw Failure("\(path): is there and no file; name another", .cannotCreate)
        }
        guard mayReplace else {
            throw Failure("\(path): is there already; name another, or add --force", .cannotCreate)
        }
    }

    /// Who interrupts it finds nothing of it.
    func write(_ text: String) throws(Failure) {
        try HeldSignals.during { signals throws(Failure) in try write(text, signals) }
    }

    private func write(_ text: String, _ signals: HeldSignals) throws(Failure) {
        let folder = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw failure("\(parent): cannot be opened; make it first") }
        defer { close(folder) }
        // Takes the name; a file that has got it in the meantime stays.
        if !mayReplace { try make(name, in: folder, "") }
        let draft = ".\(name).part-\(getpid())"
        do throws(Failure) {
            try make(draft, in: folder, text)
            try signals.check(path)
            guard renameat(folder, draft, folder, name) == 0 else { throw failure("\(path): cannot be made") }
        } catch {
            unlinkat(folder, draft, 0)
            if !mayReplace { unlinkat(folder, name, 0) }
            throw error
        }
        _ = fsync(folder)
    }

    private func make(_ name: String, in folder: Int32, _ text: String) throws(Failure) {
        let descriptor = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure("\(path): cannot be made") }
        defer { close(descriptor) }
        guard fchmod(descriptor, 0o600) == 0, writeAll(Array(text.utf8), to: descriptor), handOverToCaller(descriptor),
            fsync(descriptor) == 0
        else {
            throw failure("\(path): cannot be written")
        }
    }

    private func failure(_ text: String) -> Failure { Failure("\(text): \(describe(errno: errno))", .cannotCreate) }
}
