import Glibc
import Quantities
import Vault

/// How far the store has come, in a file outside of its directory: whoever puts an older copy of the store back does not put this
/// back with it (SPEC §9).
///
/// It is sealed, replaced whole, and written where it matters only: never with a commit of figures. Nothing depends on it, so no call
/// throws. Two processes that write at once may leave the older of their two marks.
struct StoreAnchor {
    /// What the file says.
    struct Record: Equatable {
        let identity: [UInt8]
        let generation: Int64
        /// Of the latest commit of anything but figures.
        let markGeneration: Int64
    }

    enum Reading: Equatable {
        case known(Record)
        case absent
        /// It does not open.
        case unreadable
        /// Its medium does not give it.
        case failing(errno: Int32)
        /// The system is short of something, so it may be read another time.
        case busy(errno: Int32)

        var record: Record? { if case .known(let record) = self { record } else { nil } }
    }

    private static let place = SealedPlace(table: "anchor", 1)

    let path: String
    private var directory: String { String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]) }

    /// - Parameter store: the store's main file. Its anchor lies beside the directory of the store.
    init(ofStoreAt store: String) {
        let slash = store.lastIndex(of: "/") ?? store.startIndex
        path = "\(store[..<slash])-anchor\(store[slash...])"
    }

    func read(_ vault: Vault) -> Reading {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard file >= 0 else {
            switch errno {
            case ENOENT, ENOTDIR: return .absent
            case ENOMEM, EMFILE, ENFILE, EINTR, EAGAIN: return .busy(errno: errno)
            case EIO: return .failing(errno: errno)
            default: return .unreadable
            }
        }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 512)
        let count = Glibc.read(file, &bytes, bytes.count)
        if count < 0 { return errno == EINTR || errno == ENOMEM ? .busy(errno: errno) : .failing(errno: errno) }
        guard count > 0 else { return .unreadable }
        do {
            let record = try vault.withOpened(Array(bytes[..<count]), for: Self.place) { Record(payload: $0) }
            return record.map { .known($0) } ?? .unreadable
        } catch {
            return .unreadable
        }
    }

    /// Replaces the record, unless a later one of the same store is there. Returns the reason where it cannot be written.
    func write(_ record: Record, _ vault: Vault) -> String? {
        if case .known(let known) = read(vault), known.identity == record.identity,
            known.generation >= record.generation,
            known.markGeneration >= record.markGeneration
        {
            return nil
        }
        if mkdir(directory, 0o700) != 0, errno != EEXIST { return describe(directory) }
        // Of its own, as another process or thread may write at the same time.
        let draft = "\(path).new-\(getpid())-\(pthread_self())"
        let file = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { return describe(draft) }
        let sealed = vault.seal(record.payload, for: Self.place)
        let isWritten = Glibc.write(file, sealed, sealed.count) == sealed.count && fsync(file) == 0
        let reason = isWritten ? nil : describe(draft)
        close(file)
        guard reason == nil, rename(draft, path) == 0 else {
            let reason = reason ?? describe(path)
            unlink(draft)
            return reason
        }
        let folder = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { return nil }
        fsync(folder)
        close(folder)
        return nil
    }

    /// Another store begins.
    func remove() { unlink(path) }

    private func describe(_ path: String) -> String { "\(path): \(String(cString: strerror(errno)))" }
}

extension StoreAnchor.Record {
    private static let record = Parts.Kind(1, version: 1)

    var payload: [UInt8] {
        var parts = Parts()
        parts.put(Self.record) { packer in
            packer.put(identity[...])
            packer.put(generation)
            packer.put(markGeneration)
        }
        return parts.bytes
    }

    /// Nil for bytes that are no record.
    init?(payload: UnsafeRawBufferPointer) {
        do throws(Unpacker.Malformed) {
            guard var unpacker = try Parts(Array(payload))[Self.record]?.unpacker else { return nil }
            identity = Array(try unpacker.takeBytes(StoreMark.identityLength))
            generation = try unpacker.take()
            markGeneration = try unpacker.take()
        } catch {
            return nil
        }
    }
}
