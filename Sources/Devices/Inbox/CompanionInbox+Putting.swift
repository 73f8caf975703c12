import System

extension CompanionInbox {
    /// Puts a report into an inbox, as a bridge does: under a name that is left alone, and then under its own.
    ///
    /// The file is readable for the group of the directory, which need not be readable for the caller. On an error nothing is left behind.
    public static func put(_ report: [UInt8], into directory: String) throws(InboxError) {
        let name = "\(UInt64.random(in: 0 ... .max)).json"
        let (hidden, final) = ("\(directory)/.\(name)", "\(directory)/\(name)")
        // The mask of the user's shell does not keep the daemon out.
        var code = makeFile(hidden, report, mode: 0o640)
        if code == 0 { code = placeFile(hidden, at: final) }
        guard code == 0 else { throw InboxError(errno: code) }
    }
}
