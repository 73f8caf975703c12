import Domains
import System
import Glibc
import Core

/// The state of the session since its last commit, in a file that a reboot deletes. It does not wear the card, so it is
/// written after every window, and a killed program resumes from it. A power cut reverts to the commit.
///
/// It is sealed, bound to its boot, and follows one commit: a later commit, deletion or rollback makes it invalid.
/// Nothing depends on it, so no call fails. The file is mapped, so writes to it do not count as writes of the process.
/// Each access first checks that the file was not truncated, because an access beyond its end would end the process
/// (mmap(2)).
public final class RunningState {
    /// The path of the file, in the directory of the wake files.
    public static func path(in directory: String) -> String { "\(directory)/aniccad.state" }

    /// The record of the store's progress, at the end of each page.
    private static let recordSize = 128
    private static let recordPlace = SealedPlace(table: "generation", 1)

    /// The file has two slots, so that one is complete if the process ends while it writes the other. A state longer
    /// than this is not kept, which counts as a loss.
    static let slotSize = 4096
    private static let stateSize = slotSize - recordSize
    /// At the end of the file: the boot time in nanoseconds since which data is in no state, and lost with this process
    /// if no commit follows; zero if all is kept. Before it are the domains concerned. They are not sealed, because
    /// they can only hold figures back.
    private static let lossPlace = 2 * slotSize - wordSize
    private static let lostDomainsPlace = lossPlace - wordSize
    private static let lossSize = 2 * wordSize
    /// The size in bytes of a time, of a set of domains, and of an entry's number.
    fileprivate static let wordSize = MemoryLayout<Int64>.size

    private let ledger: Ledger
    private let place: SealedPlace
    private let file: Int32
    private let memory: UnsafeMutableRawPointer
    /// The mark of the commit that it follows; nil while unknown.
    private var mark: [UInt8]?
    private var nextSlot = 0
    private var nextRecord = 0
    /// The time of the latest kept state.
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
        // On a full file system the first access would end the process, so the pages are allocated now.
        let code = posix_fallocate(file, 0, off_t(2 * slotSize))
        guard code == 0 else { throw FileError(errno: code, path: path) }
        guard let memory = mmap(nil, 2 * slotSize, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0), memory != MAP_FAILED
        else { throw FileError(errno: errno, path: path) }
        return memory
    }

    /// Whether the file is as long as its map; a truncated file is extended again.
    private var isWhole: Bool {
        var status = stat()
        guard fstat(file, &status) == 0 else { return false }
        return status.st_size >= 2 * Self.slotSize || posix_fallocate(file, 0, off_t(2 * Self.slotSize)) == 0
    }

    /// Overwrites the file at `path`, if it exists, for a deletion by the wearer.
    public static func erase(_ path: String) { erase(path, from: 0, count: stateSize) }

    /// Erases the record of the progress, because another store begins.
    static func eraseRecord(_ path: String) { erase(path, from: stateSize, count: recordSize) }

    private static func erase(_ path: String, from first: Int, count: Int) {
        // `try?`: an unusable file is left unchanged; its daemon reports it.
        guard let file = try? openFile(path, O_WRONLY, privacy: .own, limit: 2 * slotSize) else { return }
        defer { close(file) }
        for slot in 0..<2 {
            _ = pwrite(file, [UInt8](repeating: 0, count: count), count, off_t(slot * slotSize + first))
        }
    }

    /// Called after a commit: later states follow it, and earlier states are erased, because the wearer may have
    /// forbidden their data since.
    public func committed() {
        if isWhole { for slot in 0..<2 { memset(memory + slot * Self.slotSize, 0, Self.stateSize) } }
        noteLoss(since: nil)
        follow()
    }

    private func follow() {
        // `try?`: without a mark, no state is valid.
        mark = try? ledger.checkpointMark()
        note(ledger.record)
    }

    /// Keeps the store's progress until the machine stops.
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

    /// The bytes written by `put`; nil for none, or for more than fit.
    private static func content(of file: Int32, at offset: Int, room: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: room)
        guard pread(file, &bytes, room, off_t(offset)) == room else { return nil }
        let count = Int(bytes[0]) | Int(bytes[1]) << 8
        return count > 0 && count + 2 <= room ? Array(bytes[2..<count + 2]) : nil
    }

    /// The known progress of the store since the machine started; nil if unknown.
    static func record(at path: String, _ vault: Vault) -> StoreAnchor.Record? {
        guard let file = try? openFile(path, O_RDONLY, privacy: .own, limit: 2 * slotSize) else { return nil }
        defer { close(file) }
        var latest: StoreAnchor.Record?
        for slot in 0..<2 {
            // If a slot does not open, it is being written, and the other one is complete.
            guard let sealed = content(of: file, at: slot * slotSize + stateSize, room: recordSize - lossSize),
                let record = vault.open(sealed, for: recordPlace, read: StoreAnchor.Record.init(payload:))
            else { continue }
            if record.generation >= latest?.generation ?? 0 { latest = record }
        }
        return latest
    }

    /// Keeps the state, which the caller wipes. An empty state means that data since the commit is in no state.
    ///
    /// - Parameter domains: the domains that lose data with the process if the state is not kept.
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
        // The other slot is outdated from now on.
        nextSlot = 1 - nextSlot
        (memory + nextSlot * Self.slotSize).storeBytes(of: 0, as: UInt16.self)
    }

    /// The time since which data is in no state, and lost with the process that noted it; nil for none.
    public var lossSince: BootTime? {
        guard isWhole else { return nil }
        let since = memory.load(fromByteOffset: Self.lossPlace, as: Int64.self)
        return since == 0 ? nil : BootTime(nanoseconds: since)
    }

    /// The domains with data lost since then.
    public var lostDomains: DomainSet {
        guard isWhole else { return .everything }
        return DomainSet(packed: memory.load(fromByteOffset: Self.lostDomainsPlace, as: Int64.self))
    }

    /// An earlier loss continues.
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

    /// Notes that nothing is sensed from now on, because a program cannot start on a read-only store.
    public static func noteLoss(at path: String, since now: BootTime) {
        // `try?`: the failure of the start is reported.
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

    /// The state in the first slot that opens and follows the commit; nil if neither does.
    private static func state(
        in file: Int32, after mark: [UInt8], _ place: SealedPlace, _ vault: Vault
    ) -> StoredCheckpoint? {
        for start in [0, slotSize] {
            // If a slot does not open, the other one has the previous state.
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
    /// The latest state of the daemon in this boot, even while it runs: after the last window or, if there is none or
    /// it is unreadable, the committed state. Writes nothing. The caller wipes it.
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
        // Only the head, because copies of the state would have to be wiped.
        let head = mark.count + RunningState.wordSize
        var unpacker = Unpacker(Array(payload.prefix(head)))
        guard try unpacker.takeBytes(mark.count).elementsEqual(mark) else { throw Unpacker.Malformed() }
        let consent: ConsentEntry.ID = try unpacker.take()
        self.init(bytes: Array(payload.dropFirst(head)), consent: consent)
    }
}

extension Ledger {
    /// The end of the checkpoint's seal, which differs after every write.
    fileprivate func checkpointMark() throws(LedgerError) -> [UInt8]? {
        try database.keepingStatements { () throws(LedgerError) in
            try database.rows("SELECT substr(sealed, -16) FROM checkpoint") { $0.blob(0) }.first
        }
    }
}
