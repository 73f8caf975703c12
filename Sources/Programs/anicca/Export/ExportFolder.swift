import Commands
import System
import Glibc

/// A directory that appears with all its files, or not at all: it is written under another name and renamed at the end.
struct ExportFolder {
    private let place: OutputPlace
    private var path: String { place.path }

    /// Throws if the path exists already.
    init(_ path: String) throws(Failure) {
        var trimmed = path[...]
        while trimmed.count > 1, trimmed.last == "/" { trimmed.removeLast() }
        place = try OutputPlace(
            String(trimmed), example: "a directory that is empty or not there yet, such as ./mine")
        try checkThatNothingIsThere()
    }

    private func checkThatNothingIsThere() throws(Failure) {
        guard let kind = place.kind else { return }
        guard kind == S_IFDIR else {
            throw Failure("\(path): exists and is not a directory; choose another", .cannotCreate)
        }
        do throws(FileError) {
            if try fileNames(in: path).isEmpty { return }
        } catch {
            throw Failure("\(error)", .cannotCreate)
        }
        throw Failure("\(path): is not empty; choose an empty or a new directory", .cannotCreate)
    }

    /// An interruption leaves nothing behind.
    func write(_ files: [ExportFile]) throws(Failure) {
        let progress = Progress("writing \(path)")
        defer { progress.clear() }
        try HeldSignals.during { signals throws(Failure) in try write(files, signals) }
    }

    private func write(_ files: [ExportFile], _ signals: HeldSignals) throws(Failure) {
        let draft = ".\(place.name).part-\(getpid())"
        guard mkdirat(place.folder, draft, 0o700) == 0 else {
            throw failureToMake("\(path): no directory can be created beside it")
        }
        defer { unlinkat(place.folder, draft, AT_REMOVEDIR) }
        let folder = openat(place.folder, draft, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        // A directory of another user in its place must not be changed.
        guard folder >= 0, fchmod(folder, 0o700) == 0 else { throw failureToMake("\(path): cannot be made") }
        defer { close(folder) }
        do throws(Failure) {
            for file in files {
                try signals.check(path)
                try makePrivateFile(file.name, in: folder, file.bytes, path: "\(path)/\(file.name)")
            }
            guard fsync(folder) == 0 else { throw failureToMake("\(path): cannot be written") }
            try signals.check(path)
            guard renameat(place.folder, draft, place.folder, place.name) == 0 else {
                throw failureToMake("\(path): cannot be made")
            }
        } catch {
            for file in files { unlinkat(folder, file.name, 0) }
            throw error
        }
        _ = fsync(place.folder)
    }
}
