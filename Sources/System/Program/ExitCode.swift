/// The exit codes of the project's programs: those of the BSD convention (sysexits.h(3head)), and one of its own.
public enum ExitCode: Int32, Hashable, Sendable {
    case success = 0
    /// The command line is wrong (`EX_USAGE`).
    case usage = 64
    /// The input itself is wrong, for example a broken recording (`EX_DATAERR`).
    case dataError = 65
    /// An input file is missing or cannot be read (`EX_NOINPUT`).
    case noInput = 66
    /// A device or a service that is needed is not there (`EX_UNAVAILABLE`).
    case unavailable = 69
    /// A fault of the program (`EX_SOFTWARE`).
    case software = 70
    /// The system refused something ordinary, such as an event loop (`EX_OSERR`).
    case systemError = 71
    /// An output file cannot be made (`EX_CANTCREAT`).
    case cannotCreate = 73
    /// Reading or writing failed half-way (`EX_IOERR`).
    case inputOutput = 74
    /// Worth trying again later (`EX_TEMPFAIL`).
    case temporary = 75
    /// Permission is missing (`EX_NOPERM`).
    case noPermission = 77
    /// The configuration is wrong (`EX_CONFIG`).
    case configuration = 78
    /// The wearer's consent is needed, and the question is still open. Not a code of sysexits.h.
    case consentNeeded = 79
}
