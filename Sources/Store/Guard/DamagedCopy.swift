import System
import Glibc
import Core

/// A copy of a store that was moved aside, for reading: SQLite modifies the files that it opens, and cannot open a
/// broken header.
struct DamagedCopy {
    private let path: String
    private static let suffixes = ["", "-wal", "-shm"]

    /// Nil if it cannot be copied, as without space.
    init?(of original: String) {
        path = original + ".copy"
        remove()
        for suffix in ["", "-wal"] {
            guard Self.copy(original + suffix, to: path + suffix) else {
                remove()
                return nil
            }
        }
        repairHeader()
    }

    /// Whether the store opens under the key, and is not from a newer version.
    func isOurs(_ vault: Vault, mayBeNewer: Bool) -> Bool {
        guard let source = open() else { return false }
        do throws(LedgerError) {
            let seals = try source.rows("SELECT sealed FROM seal_check") { $0.blob(0) }
            guard seals.contains(where: { vault.opens($0, for: .sealCheck) }) else { return false }
            guard mayBeNewer else { return true }
            let marks = try source.rows("SELECT sealed FROM meta") { $0.blob(0) }
            return marks.contains { StoreMark.opened($0, vault).map { $0.schema <= Schema.version } ?? false }
        } catch {
            return false
        }
    }

    /// Nil if SQLite cannot read it.
    func open() -> Database? {
        // `try?`: the original is damaged, so a failure is expected.
        try? Database(path: path, busyTimeout: .zero)
    }

    func remove() { for suffix in Self.suffixes { unlink(path + suffix) } }

    private func repairHeader() {
        var status = stat()
        guard var header = StoreHeader(path: path), !header.isOfStore, stat(path, &status) == 0 else { return }
        header.repair(pages: Int(status.st_size) / 1024)
        let file = Glibc.open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW)
        guard file >= 0 else { return }
        _ = pwrite(file, header.bytes, header.bytes.count, 0)
        close(file)
    }

    /// Whether the file does not exist or was copied completely.
    private static func copy(_ path: String, to other: String) -> Bool {
        let source: Int32
        do throws(FileError) {
            source = try openFile(path, O_RDONLY, privacy: .own, limit: Ledger.largestFile)
        } catch .absent {
            return true
        } catch {
            return false
        }
        defer { close(source) }
        let target = Glibc.open(other, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard target >= 0 else { return false }
        defer { close(target) }
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = read(source, &buffer, buffer.count)
            guard count > 0 else { return count == 0 }
            guard write(target, buffer, count) == count else { return false }
        }
    }
}
