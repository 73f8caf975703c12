import System
import Glibc
import Core

/// The progress of the store, in a file outside its directory: an older copy of the store does not bring back an older
/// anchor (SPEC §9).
///
/// It is sealed, replaced as a whole, and written only when necessary: never with a commit of figures. Nothing depends
/// on it, so no call throws. Two concurrent writers may leave the older of their two marks.
struct StoreAnchor {
    /// The content of the file.
    struct Record: Equatable {
        let identity: [UInt8]
        let generation: Int64
        /// The generation of the latest commit of anything but figures.
        let markGeneration: Int64
        /// `OpenFiles.stamps` of a store that was intact at an orderly end; empty while the store is in use.
        var files: [UInt8] = []
    }

    enum Reading: Equatable {
        case known(Record)
        case absent
        /// It does not open.
        case unreadable
        /// A read error of its medium.
        case failing(errno: Int32)
        /// It is not one of the agent's own files; a person can correct that.
        case refused(FileError)
        /// A temporary lack of a resource; worth a retry.
        case busy(errno: Int32)

        var record: Record? { if case .known(let record) = self { record } else { nil } }
    }

    private static let place = SealedPlace(table: "anchor", 1)
    /// The greatest size of the file.
    private static let longest = 512

    let path: String

    /// - Parameter store: the store's main file. Its anchor is beside the directory of the store.
    init(ofStoreAt store: String) {
        let slash = store.lastIndex(of: "/") ?? store.startIndex
        path = "\(store[..<slash])-anchor\(store[slash...])"
    }

    func read(_ vault: Vault) -> Reading {
        let file: Int32
        do throws(FileError) {
            file = try openFile(path, O_RDONLY, privacy: .own, limit: Self.longest)
        } catch {
            switch error {
            case .absent: return .absent
            case .failed(_, let code) where [ENOMEM, EMFILE, ENFILE, EINTR, EAGAIN].contains(code):
                return .busy(errno: code)
            case .failed(_, EIO): return .failing(errno: EIO)
            case .failed: return .unreadable
            default: return .refused(error)
            }
        }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: Self.longest)
        let count = Glibc.read(file, &bytes, bytes.count)
        if count < 0 { return errno == EINTR || errno == ENOMEM ? .busy(errno: errno) : .failing(errno: errno) }
        guard count > 0 else { return .unreadable }
        let record = vault.open(Array(bytes[..<count]), for: Self.place, read: Record.init(payload:))
        return record.map { .known($0) } ?? .unreadable
    }

    /// Replaces the record, unless an equal or later one of the same store exists. Returns the reason for a failure.
    func write(_ record: Record, _ vault: Vault) -> String? {
        if case .known(let known) = read(vault), known.identity == record.identity,
            known.generation >= record.generation,
            known.markGeneration >= record.markGeneration, [known.files, []].contains(record.files)
        {
            return nil
        }
        do throws(FileError) {
            let directory = System.directory(of: path)
            if mkdir(directory, 0o700) != 0, errno != EEXIST { throw FileError(errno: errno, path: directory) }
            // A unique name, because another process or thread may write at the same time.
            let draft = "\(path).new-\(getpid())-\(pthread_self())"
            try replaceFile(path, with: vault.seal(record.payload, for: Self.place), draft: draft)
            return nil
        } catch {
            return "\(error)"
        }
    }

    /// Called when another store begins.
    func remove() { unlink(path) }
}

extension StoreAnchor.Record {
    private static let record = Parts.Kind(1, version: 1)
    private static let files = Parts.Kind(2, version: 1)

    var payload: [UInt8] {
        var parts = Parts()
        parts.put(Self.record) { packer in
            packer.put(identity[...])
            packer.put(generation)
            packer.put(markGeneration)
        }
        if !files.isEmpty { parts.put(Self.files, files) }
        return parts.bytes
    }

    init(payload: UnsafeRawBufferPointer) throws(Unpacker.Malformed) {
        let parts = try Parts(Array(payload))
        guard var unpacker = try parts[Self.record]?.unpacker else { throw Unpacker.Malformed() }
        identity = Array(try unpacker.takeBytes(StoreMark.identityLength))
        generation = try unpacker.take()
        markGeneration = try unpacker.take()
        files = try parts[Self.files].map { Array($0.content) } ?? []
    }
}
