import Commands
import Glibc

/// A file that only the wearer can read, and that appears whole or not at all: it is written beside its place and takes it at the end.
struct ReportFile {
    private let place: OutputPlace
    private let mayReplace: Bool

    /// Throws where something is in the way.
    ///
    /// - Parameter mayReplace: whether a file that is there is replaced. Nothing else ever is.
    init(_ path: String, mayReplace: Bool) throws(Failure) {
        self.mayReplace = mayReplace
        place = try OutputPlace(path, example: "a file, such as report.html")
        guard let kind = place.kind else { return }
        guard kind == S_IFREG else { throw Failure("\(path): is there and no file; name another", .cannotCreate) }
        guard mayReplace else {
            throw Failure("\(path): is there already; name another, or add --force", .cannotCreate)
        }
    }

    /// Who interrupts it finds nothing of it.
    func write(_ text: String) throws(Failure) {
        try HeldSignals.during { signals throws(Failure) in try write(Array(text.utf8), signals) }
    }

    private func write(_ text: [UInt8], _ signals: HeldSignals) throws(Failure) {
        let (path, name, folder) = (place.path, place.name, place.folder)
        // Takes the name; a file that has got it in the meantime stays.
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
