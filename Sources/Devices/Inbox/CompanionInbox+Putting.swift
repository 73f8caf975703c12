import System

extension CompanionInbox {
    /// Puts a report into an inbox, as a bridge does: under a hidden name, which is ignored, and then under its own.
    ///
    /// The group of the directory can read the file. The caller need not be able to read the directory. On an error no
    /// hidden file is left behind.
    public static func put(_ report: [UInt8], into directory: String) throws(InboxError) {
        let name = "\(UInt64.random(in: 0 ... .max)).json"
        let (hidden, final) = ("\(directory)/.\(name)", "\(directory)/\(name)")
        // The mode does not depend on the umask of the user's shell.
        var code = makeFile(hidden, report, mode: 0o640)
        if code == 0 { code = placeFile(hidden, at: final) }
        guard code == 0 else { throw InboxError(errno: code) }
    }
}
