import Commands
import Glibc

/// A file that only the wearer can read, and that is created atomically: it is written under another name and renamed
/// at the end.
struct ReportFile {
    private let place: OutputPlace
    private let mayReplace: Bool

    /// Throws if the path exists.
    ///
    /// - Parameter mayReplace: whether to replace an existing regular file. Other kinds are never replaced.
    init(_ path: String, mayReplace: Bool) throws(Failure) {
        self.mayReplace = mayReplace
        place = try OutputPlace(path, example: "a file, such as report.html")
        guard let kind = place.kind else { return }
        guard kind == S_IFREG else {
            throw Failure("\(path): exists and is not a file; choose another", .cannotCreate)
        }
        guard mayReplace else {
            throw Failure("\(path): exists already; choose another, or add --force", .cannotCreate)
        }
    }

    /// An interruption leaves nothing behind.
    func write(_ text: String) throws(Failure) {
        try HeldSignals.during { signals throws(Failure) in try write(Array(text.utf8), signals) }
    }

    private func write(_ text: [UInt8], _ signals: HeldSignals) throws(Failure) {
        let (path, name, folder) = (place.path, place.name, place.folder)
        // Reserves the name; a file created there meanwhile stays.
        if !mayReplace { try makePrivateFile(name, in: folder, [], path: path) }
        let draft = ".\(name).part-\(getpid())"
        do throws(Failure) {
            try makePrivateFile(draft, in: folder, text, path: path)
            try signals.check(path)
            guard renameat(folder, draft, folder, name) == 0 else { throw failureToMake("\(path): cannot be made") }
        } catch {
            unlinkat(folder, draft, 0)
            if !mayReplace { unlinkat(folder, name, 0) }
            throw error
        }
        _ = fsync(folder)
    }
}
