import Commands
import Files
import Glibc

/// A directory that appears with all its files, or not at all: they are written beside it, and it takes its name at the end.
struct ExportFolder {
    private let path: String
    private let name: String
    private let parent: String

    /// Throws where something is in the way already.
    init(_ path: String) throws(Failure) {
        var trimmed = path[...]
        while trimmed.count > 1, trimmed.last == "/" { trimmed.removeLast() }
        let start = trimmed.lastIndex(of: "/").map(trimmed.index(after:)) ?? trimmed.startIndex
        self.path = String(trimmed)
        name = String(trimmed[start...])
        parent = start == trimmed.startIndex ? "." : String(trimmed[..<start])
        guard !["", ".", ".."].contains(name) else {
            throw Failure("\(path): name a directory that is empty or not there yet, such as ./mine", .cannotCreate)
        }
        try checkThatNothingIsThere()
    }

    private func checkThatNothingIsThere() throws(Failure) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            throw Failure("\(path): is there and no directory; name another", .cannotCreate)
        }
        do throws(FileError) {
            if try fileNames(in: path).isEmpty { return }
        } catch {
            throw Failure("\(error)", .cannotCreate)
        }
        throw Failure("\(path): is not empty; name an empty directory or one that is not there yet", .cannotCreate)
    }

    /// Who interrupts it finds nothing of it.
    func write(_ files: [ExportFile]) throws(Failure) {
        let progress = Progress("writing \(path)")
        defer { progress.clear() }
        try HeldSignals.during { signals throws(Failure) in try write(files, signals) }
    }

    private func write(_ files: [ExportFile], _ signals: HeldSignals) throws(Failure) {
        let above = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard above >= 0 else { throw failure("\(parent): cannot be opened; make it first") }
        defer { close(above) }
        let draft = ".\(name).part-\(getpid())"
        guard mkdirat(above, draft, 0o700) == 0 else { throw failure("\(parent): nothing can be made in it") }
        do throws(Failure) {
            try fill(draft, in: above, files, signals)
            try signals.check(path)
            guard renameat(above, draft, above, name) == 0 else { throw failure("\(path): cannot be made") }
        } catch {
            for file in files { unlinkat(above, "\(draft)/\(file.name)", 0) }
            unlinkat(above, draft, AT_REMOVEDIR)
            throw error
        }
        _ = fsync(above)
    }

    private func fill(
        _ draft: String, in above: Int32, _ files: [ExportFile], _ signals: HeldSignals
    ) throws(Failure) {
        let folder = openat(above, draft, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard folder >= 0 else { throw failure("\(path): cannot be made") }
        defer { close(folder) }
        for file in files {
            try signals.check(path)
            try write(file, in: folder)
        }
        guard fchmod(folder, 0o700) == 0, handOverToCaller(folder), fsync(folder) == 0 else {
            throw failure("\(path): cannot be written")
        }
    }

    private func write(_ file: ExportFile, in folder: Int32) throws(Failure) {
        let descriptor = openat(folder, file.name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure("\(path)/\(file.name): cannot be made") }
        defer { close(descriptor) }
        guard writeAll(file.bytes, to: descriptor), fchmod(descriptor, 0o600) == 0, handOverToCaller(descriptor),
            fsync(descriptor) == 0
        else {
            throw failure("\(path)/\(file.name): cannot be written")
        }
    }

    private func failure(_ text: String) -> Failure { Failure("\(text): \(describe(errno: errno))", .cannotCreate) }
}

/// Gives the file to whoever called sudo(8). Returns false where that fails; `errno` says why.
func handOverToCaller(_ descriptor: Int32) -> Bool {
    guard geteuid() == 0, let user = number(of: "SUDO_UID"), let group = number(of: "SUDO_GID") else { return true }
    return fchown(descriptor, user, group) == 0
}

/// The user who called sudo(8); this process's own where that was not.
var callerOfSudo: UInt32 { geteuid() == 0 ? number(of: "SUDO_UID") ?? 0 : geteuid() }

private func number(of variable: String) -> UInt32? { getenv(variable).flatMap { UInt32(String(cString: $0)) } }
