import Files
import Glibc
import Ports

extension CompanionInbox {
    /// Puts a report into an inbox, as a bridge does: under a name that is left alone, and then under its own.
    ///
    /// The file is readable for the group of the directory, which need not be readable for the caller. On an error nothing is left behind.
    public static func put(_ report: [UInt8], into directory: String) throws(InboxError) {
        let name = "\(UInt64.random(in: 0 ... .max)).json"
        let (hidden, final) = ("\(directory)/.\(name)", "\(directory)/\(name)")
        let file = open(hidden, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o640)
        guard file >= 0 else { throw InboxError(errno: errno) }
        // The mask of the user's shell does not keep the daemon out.
        let isWhole = writeAll(report, to: file) && fchmod(file, 0o640) == 0 && fsync(file) == 0
        let fault = isWhole ? 0 : errno
        close(file)
        guard isWhole, rename(hidden, final) == 0 else {
            let fault = isWhole ? errno : fault
            unlink(hidden)
            throw InboxError(errno: fault)
        }
    }
}
