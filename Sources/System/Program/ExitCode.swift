/// The exit codes of the project's programs: those of the BSD convention (sysexits.h(3head)), and an additional one.
public enum ExitCode: Int32, Hashable, Sendable {
    case success = 0
    /// The command line is wrong (`EX_USAGE`).
    case usage = 64
    /// The input itself is wrong, for example a broken recording (`EX_DATAERR`).
    case dataError = 65
    /// An input file is missing or cannot be read (`EX_NOINPUT`).
    case noInput = 66
    /// A required device or service is missing (`EX_UNAVAILABLE`).
    case unavailable = 69
    /// An internal error of the program (`EX_SOFTWARE`).
    case software = 70
    /// An operating system error, such as no event loop (`EX_OSERR`).
    case systemError = 71
    /// An output file cannot be made (`EX_CANTCREAT`).
    case cannotCreate = 73
    /// An input/output error occurred (`EX_IOERR`).
    case inputOutput = 74
    /// A temporary failure; try again later (`EX_TEMPFAIL`).
    case temporary = 75
    /// Permission is missing (`EX_NOPERM`).
    case noPermission = 77
    /// The configuration is wrong (`EX_CONFIG`).
    case configuration = 78
    /// The wearer's consent is needed, and the question is still open. Not a code of sysexits.h.
    case consentNeeded = 79
}
