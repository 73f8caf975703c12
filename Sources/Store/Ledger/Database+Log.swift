import CSQLite
import System
import Glibc

extension Database {
    /// The length that the log has when its frames are folded into the main file, with room for the commit that passes the limit:
    /// a header, and frames of a page and its own header each (sqlite.org/fileformat.html §4.1).
    private static let wholeLog = 32 + (autocheckpoint + 32) * (pageSize + 24)

    /// Fills the log with zeros up to the length that it will reach.
    ///
    /// A commit that makes a file longer also has the file system write down the new length: on ext4 a journal of 8 to 12 kB and a second
    /// flush for a frame of 1 kB. In a log that is long enough, frames lie over what was there. SQLite ends its reading of a log at the
    /// first frame whose check sum is wrong (ibid. §4.4), so zeros are no frames.
    ///
    /// Where it fails, as on a full card, the log grows with its commits.
    func fillLogAhead() {
        do throws(LedgerError) {
            // No other process writes meanwhile.
            try execute("BEGIN IMMEDIATE")
            lengthenLog()
            try execute("ROLLBACK")
        } catch {
            return
        }
    }

    private func lengthenLog() {
        // `try?`: a log that cannot be lengthened grows with its commits.
        guard let log = try? openFile(path + "-wal", O_WRONLY, privacy: .own) else { return }
        defer { close(log) }
        let length = Int(lseek(log, 0, SEEK_END))
        guard length >= 0, length < Database.wholeLog else { return }
        if !writeAll([UInt8](repeating: 0, count: Database.wholeLog - length), to: log) {
            // What little there is of the card is for commits.
            ftruncate(log, off_t(length))
        }
    }
}
