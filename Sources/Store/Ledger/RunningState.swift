import Domains
import System
import Glibc
import Core

/// The state of the session since its last commit, in a file that a reboot deletes: it costs the card nothing, so it is
/// written after every window, and a program that is killed goes on where it was. A power cut goes back to the commit.
///
/// It is sealed, bound to its boot, and follows one commit: what was committed, deleted or put back since makes it invalid.
/// Nothing depends on it, so no call fails. The file is mapped: what is written to it counts as no write of the process. Each access first
/// looks whether somebody cut it short, as an access behind its end would end the process (mmap(2)).
public final class RunningState {
    /// The file; it lies where the bells lie.
    public static func path(in directory: String) -> String { "\(directory)/aniccad.state" }

    /// At the end of each page, for how far the store has come.
    private static let recordSize = 128
    private static let recordPlace = SealedPlace(table: "generation", 1)

    /// The file has two states, so that one is whole when the process ends while it writes the other. A state that is longer than
    /// this is not kept, which counts as a loss.
    static let slotSize = 4096
    private static let stateSize = slotSize - recordSize
    /// At the end: since when (boot time in nanoseconds) something is in no state, and lost with this process if no commit follows; zero
    /// where all is kept. Before it, of which domains. Nothing seals them: they only ever keep figures back.
    private static let lossPlace = 2 * slotSize - wordSize
    private static let lostDomainsPlace = lossPlace - wordSize
    private static let lossSize = 2 * wordSize
    /// Bytes of a time, of a set of domains, and of the number of an entry of the trail.
    fileprivate static let wordSize = MemoryLayout<Int64>.size

    private let ledger: Ledger
    private let place: SealedPlace
    private let file: Int32
    private let memory: UnsafeMutableRawPointer
    /// Of the commit that it follows; nil while none is known.
    private var mark: [UInt8]?
    private var nextSlot = 0
    private var nextRecord = 0
    /// When the latest state was kept.
    private var keptAt: BootTime?

    /// Makes the file if it is missing.
    public init(path: String, of ledger: Ledger, boot: BootID) throws(FileError) {
        let file = try openFile(path, O_RDWR | O_CREAT, privacy: .own, limit: 2 * Self.slotSize)
        do throws(FileError) {
            memory = try Self.map(file, path)
        } catch {
            close(file)
            throw error
        }
        self.file = file
        self.ledger = ledger
        place = Self.place(boot)
        follow()
    }

    deinit {
        munmap(memory, 2 * Self.slotSize)
        close(file)
    }

    private static func map(_ file: Int32, _ path: String) throws(FileError) -> UnsafeMutableRawPointer {
        // On a file system that is full the first access would end the process, so the pages are taken now.
        let code = posix_fallocate(file, 0, off_t(2 * slotSize))
        guard code == 0 else { throw FileError(errno: code, path: path) }
        guard let memory = mmap(nil, 2 * slotSize, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0), memory != MAP_FAILED
        else { throw FileError(errno: errno, path: path) }
        return memory
    }

    /// Whether the file is as long as its map; it is made long again where it was cut short.
    private var isWhole: Bool {
        var status = stat()
        guard fstat(file, &status) == 0 else { return false }
        return status.st_size >= 2 * Self.slotSize || posix_fallocate(file, 0, off_t(2 * Self.slotSize)) == 0
    }

    /// Overwrites the file at `path`, if there is one, for a deletion that the wearer asks for.
    public static func erase(_ path: String) { erase(path, from: 0, count: stateSize) }

    /// Forgets how far the store has come: another one begins.
    static func eraseRecord(_ path: String) { erase(path, from: stateSize, count: recordSize) }

    private static func erase(_ path: String, from first: Int, count: Int) {
        // `try?`: what is no state is left as it is, and told by whoever keeps one.
        guard let file = try? openFile(path, O_WRONLY, privacy: .own, limit: 2 * slotSize) else { return }
        defer { close(file) }
        for slot in 0..<2 {
            _ = pwrite(file, [UInt8](repeating: 0, count: count), count, off_t(slot * slotSize + first))
        }
    }

    /// A commit was made: what is written from now on follows it, and what was written before is erased, as the wearer may have forbidden
    /// it since.
    public func committed() {
        if isWhole { for slot in 0..<2 { memset(memory + slot * Self.slotSize, 0, Self.stateSize) } }
        noteLoss(since: nil)
        follow()
    }

    private func follow() {
        // `try?`: what has no mark goes with no state.
        mark = try? ledger.checkpointMark()
        note(ledger.record)
    }

    /// Keeps how far the store has come, until the machine stops.
    private func note(_ record: StoreAnchor.Record) {
        let sealed = ledger.vault.seal(record.payload, for: Self.recordPlace)
        guard sealed.count + 2 <= Self.recordSize - Self.lossSize, isWhole else { return }
        put(sealed, at: nextRecord * Self.slotSize + Self.stateSize)
        nextRecord = 1 - nextRecord
    }

    private func put(_ sealed: [UInt8], at offset: Int) {
        let start = memory + offset
        start.storeBytes(of: UInt16(sealed.count).littleEndian, as: UInt16.self)
        (start + 2).copyMemory(from: sealed, byteCount: sealed.count)
    }

    /// What `put` put there; nil for nothing, or more than there is room for.
    private static func content(of file: Int32, at offset: Int, room: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: room)
        guard pread(file, &bytes, room, off_t(offset)) == room else { return nil }
        let count = Int(bytes[0]) | Int(bytes[1]) << 8
        return count > 0 && count + 2 <= room ? Array(bytes[2..<count + 2]) : nil
    }

    /// How far the store is known to have come since the machine started; nil where nothing is known.
    static func record(at path: String, _ vault: Vault) -> StoreAnchor.Record? {
        guard let file = try? openFile(path, O_RDONLY, privacy: .own, limit: 2 * slotSize) else { return nil }
        defer { close(file) }
        var latest: StoreAnchor.Record?
        for slot in 0..<2 {
            // Where it does not open, the other one is whole while this one is written.
            guard let sealed = content(of: file, at: slot * slotSize + stateSize, room: recordSize - lossSize),
                let record = vault.open(sealed, for: recordPlace, read: StoreAnchor.Record.init(payload:))
            else { continue }
            if record.generation >= latest?.generation ?? 0 { latest = record }
        }
        return latest
    }

    /// Keeps the state, which the caller wipes. An empty one says that something since the commit is in no state.
    ///
    /// - Parameter domains: those of which something is lost with the process where the state is not kept.
    public func write(
        _ checkpoint: [UInt8], consent: ConsentEntry.ID, at now: BootTime,
        losing domains: @autoclosure () -> DomainSet = .everything
    ) {
        guard let mark else { return }
        var packer = Packer()
        packer.put(consent)
        var plain = mark + packer.bytes + checkpoint
        let sealed = ledger.vault.seal(plain, for: place)
        Vault.wipe(&plain)
        let isKept = !checkpoint.isEmpty && sealed.count + 2 <= Self.stateSize
        noteLoss(since: isKept ? nil : keptAt ?? now, of: isKept ? [] : domains())
        guard isKept, isWhole else { return }
        keptAt = now
        put(sealed, at: nextSlot * Self.slotSize)
        // The other one is older from now on.
        nextSlot = 1 - nextSlot
        (memory + nextSlot * Self.slotSize).storeBytes(of: 0, as: UInt16.self)
    }

    /// Since when something is in no state, and lost with the process that noted it; nil where nothing is.
    public var lossSince: BootTime? {
        guard isWhole else { return nil }
        let since = memory.load(fromByteOffset: Self.lossPlace, as: Int64.self)
        return since == 0 ? nil : BootTime(nanoseconds: since)
    }

    /// The domains of which something is lost since then.
    public var lostDomains: DomainSet {
        guard isWhole else { return .everything }
        return DomainSet(packed: memory.load(fromByteOffset: Self.lostDomainsPlace, as: Int64.self))
    }

    /// What began earlier goes on.
    private func noteLoss(since time: BootTime?, of domains: DomainSet = []) {
        guard isWhole else { return }
        let since = lossSince
        if time == nil, since == nil { return }
        let before = lostDomains
        let lost = time == nil ? [] : since == nil ? domains : before.union(domains)
        memory.storeBytes(of: lost.packed, toByteOffset: Self.lostDomainsPlace, as: Int64.self)
        memory.storeBytes(
            of: time.map { (since ?? $0).nanoseconds } ?? 0, toByteOffset: Self.lossPlace, as: Int64.self)
    }

    /// Notes that nothing is sensed from now on, because a program cannot start on a store that cannot be written.
    public static func noteLoss(at path: String, since now: BootTime) {
        // `try?`: the failure of the start is told.
        guard let file = try? openFile(path, O_RDWR | O_CREAT, privacy: .own, limit: 2 * slotSize) else { return }
        defer { close(file) }
        var known: Int64 = 0
        var since = pread(file, &known, wordSize, off_t(lossPlace)) == 8 && known != 0 ? known : now.nanoseconds
        var domains = DomainSet.everything.packed
        _ = pwrite(file, &domains, wordSize, off_t(lostDomainsPlace))
        _ = pwrite(file, &since, wordSize, off_t(lossPlace))
    }

    /// The state, if it follows the latest commit; nil otherwise. The caller wipes it.
    public func read() -> StoredCheckpoint? {
        mark.flatMap { Self.state(in: file, after: $0, place, ledger.vault) }
    }

    /// The state in the first slot that opens and follows the commit; nil where neither does, as a slot that is being written.
    private static func state(
        in file: Int32, after mark: [UInt8], _ place: SealedPlace, _ vault: Vault
    ) -> StoredCheckpoint? {
        for start in [0, slotSize] {
            // Where it does not open, the other slot is the one before.
            guard let sealed = content(of: file, at: start, room: stateSize) else { continue }
            let state = vault.open(sealed, for: place) { payload throws(Unpacker.Malformed) in
                try StoredCheckpoint(running: payload, after: mark)
            }
            if let state { return state }
        }
        return nil
    }
}

extension Ledger {
    /// The latest state of the daemon in this boot, also while it runs: as it was after the last window or, where nothing came since or that
    /// cannot be read, as it was committed. Writes nothing. The caller wipes it.
    public func latestState(in boot: BootID) throws(LedgerError) -> StoredCheckpoint? {
        if let running, let state = RunningState.state(at: running, of: self, boot) { return state }
        return try checkpoint()
    }
}

extension RunningState {
    fileprivate static func state(at path: String, of ledger: Ledger, _ boot: BootID) -> StoredCheckpoint? {
        guard let file = try? openFile(path, O_RDONLY, privacy: .own, limit: 2 * slotSize) else { return nil }
        defer { close(file) }
        guard let mark = try? ledger.checkpointMark() else { return nil }
        return state(in: file, after: mark, place(boot), ledger.vault)
    }

    private static func place(_ boot: BootID) -> SealedPlace { SealedPlace(table: "running", boot.high, boot.low) }
}

extension StoredCheckpoint {
    /// Throws for a state that follows another commit.
    fileprivate init(running payload: UnsafeRawBufferPointer, after mark: [UInt8]) throws(Unpacker.Malformed) {
        // Not of the state itself, whose copies would have to be wiped.
        let head = mark.count + RunningState.wordSize
        var unpacker = Unpacker(Array(payload.prefix(head)))
        guard try unpacker.takeBytes(mark.count).elementsEqual(mark) else { throw Unpacker.Malformed() }
        let consent: ConsentEntry.ID = try unpacker.take()
        self.init(bytes: Array(payload.dropFirst(head)), consent: consent)
    }
}

extension Ledger {
    /// Differs after every write of the checkpoint: the end of its seal.
    fileprivate func checkpointMark() throws(LedgerError) -> [UInt8]? {
        try database.rows("SELECT substr(sealed, -16) FROM checkpoint") { $0.blob(0) }.first
    }
}
