import Glibc
import Quantities
import Timekeeping
import Vault

/// The state of the session since its last commit, in a file that a reboot deletes: it costs the card nothing, so it is
/// written after every window, and a program that is killed goes on where it was. A power cut goes back to the commit.
///
/// It is sealed, bound to its boot, and follows one commit: what was committed, deleted or put back since makes it invalid.
/// Nothing depends on it, so no call fails.
public final class RunningState {
    /// The file; it lies where the bells lie.
    public static func path(in directory: String) -> String { "\(directory)/aniccad.state" }

    private let ledger: Ledger
    private let place: SealedPlace
    private let file: Int32
    /// Of the commit that it follows; nil while none is known.
    private var mark: [UInt8]?

    /// Nil where the file cannot be made.
    public init?(path: String, of ledger: Ledger, boot: BootID) {
        file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { return nil }
        self.ledger = ledger
        place = SealedPlace(table: "running", boot.high, boot.low)
        committed()
    }

    deinit { close(file) }

    /// A commit was made: what is written from now on follows it.
    public func committed() {
        do {
            mark = try ledger.checkpointMark()
        } catch {
            mark = nil
        }
    }

    /// Keeps the state, which the caller wipes.
    public func write(_ checkpoint: [UInt8], consent: ConsentEntry.ID) {
        guard let mark else { return }
        var parts = Parts()
        parts.put(Part.mark, mark)
        parts.put(Part.consent) { $0.put(consent) }
        parts.put(Part.checkpoint, checkpoint)
        var plain = parts.bytes
        let sealed = ledger.vault.seal(plain, for: place)
        Vault.wipe(&plain)
        var packer = Packer()
        packer.put(UInt32(sealed.count))
        // One that is written in part does not open.
        let bytes = packer.bytes + sealed
        _ = pwrite(file, bytes, bytes.count, 0)
    }

    /// The state, if it follows the latest commit; nil otherwise. The caller wipes it.
    public func read() -> StoredCheckpoint? {
        do {
            var bytes = [UInt8](repeating: 0, count: 1 << 16)
            let count = pread(file, &bytes, bytes.count, 0)
            guard count > 4 else { return nil }
            var unpacker = Unpacker(bytes[..<count])
            let sealed = try unpacker.takeBytes(Int(try unpacker.take(UInt32.self)))
            guard let stored = try ledger.vault.withOpened(Array(sealed), for: place, { StoredState($0) }) else {
                return nil
            }
            guard let mark, stored.mark == mark else { return nil }
            return StoredCheckpoint(bytes: stored.checkpoint, consent: stored.consent)
        } catch {
            return nil
        }
    }

    /// Never reuse a tag.
    fileprivate enum Part {
        static let mark = Parts.Kind(1, version: 1)
        static let consent = Parts.Kind(2, version: 1)
        static let checkpoint = Parts.Kind(3, version: 1)
    }
}

private struct StoredState {
    let mark: [UInt8]
    let consent: ConsentEntry.ID
    let checkpoint: [UInt8]

    /// Nil for bytes of another version.
    init?(_ payload: UnsafeRawBufferPointer) {
        do throws(Unpacker.Malformed) {
            let parts = try Parts(Array(payload))
            guard let mark = try parts[RunningState.Part.mark],
                var unpacker = try parts[RunningState.Part.consent]?.unpacker,
                let checkpoint = try parts[RunningState.Part.checkpoint]
            else { return nil }
            self.mark = Array(mark.content)
            consent = try unpacker.take()
            self.checkpoint = Array(checkpoint.content)
        } catch {
            return nil
        }
    }
}

extension Ledger {
    /// Differs after every write of the checkpoint: the end of its seal.
    fileprivate func checkpointMark() throws(LedgerError) -> [UInt8]? {
        try database.rows("SELECT substr(sealed, -16) FROM checkpoint") { $0.blob(0) }.first
    }
}
