import CSQLite
import System
import Glibc

extension Database {
    /// The length of the log when its frames are copied back into the main file, with room for the commit that passes
    /// the limit: a header, and frames of a page and its own header each (sqlite.org/fileformat.html §4.1).
    private static let wholeLog = 32 + (autocheckpoint + 32) * (pageSize + 24)

    /// Fills the log with zeros up to its final length.
    ///
    /// If a commit extends a file, the file system also writes the new length: on ext4 a journal of 8 to 12 kB and a
    /// second flush for a frame of 1 kB. In a log that is long enough, frames overwrite existing bytes. SQLite stops
    /// reading a log at the first frame with a wrong checksum (ibid. §4.4), so zeros are not frames.
    ///
    /// On failure, as on a full card, the log grows with its commits.
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
        // `try?`: without it the log grows with its commits.
        guard let log = try? openFile(path + "-wal", O_WRONLY, privacy: .own) else { return }
        defer { close(log) }
        let length = Int(lseek(log, 0, SEEK_END))
        guard length >= 0, length < Database.wholeLog else { return }
        if !writeAll([UInt8](repeating: 0, count: Database.wholeLog - length), to: log) {
            // The remaining space on the card is for commits.
            ftruncate(log, off_t(length))
        }
    }
}
