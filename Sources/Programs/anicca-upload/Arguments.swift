import Quantities

/// What the command line asks for. Parsed by hand: a parsing library would bring Foundation with it.
struct Arguments {
    enum Request {
        case run
        case help
        case version
    }

    struct Problem: Error {
        let message: String
    }

    var request = Request.run
    /// Nil means the default file.
    var configPath: String?
    /// Nil means now.
    var time: WallTime?
    var printsJSON = false
    var isVerbose = false

    static let help = """
        usage: anicca-upload [--config FILE] [--at TIME] [--json] [--verbose]

        Sends the events that wait in the store and the daily records that are due, once, and ends. systemd starts it
        when the upload bell rings and every so often; journalctl -u anicca-upload shows its log.

          --config FILE  the configuration [/etc/anicca/anicca.conf], with FILE.d/*.conf after it
          --at TIME      judges what is due, and notes what happens, as if the run began at this time, for example
                         2025-01-16T03:30:00Z; for tests and demonstrations
          --json         prints a summary of the run as a line of JSON
          --verbose      logs every attempt
          --version      print the version and exit
          --help         print this and exit

        Exit status (sysexits): 0 also when there is nothing to send, nobody is signed in, or the network or the server
        fails: what was not acknowledged stays queued for a later run. 64 usage, 66 config missing, 69 store unusable,
        75 store busy or disk full, 77 key or token open to others, 78 config.
        """

    init(_ words: [String]) throws(Problem) {
        var rest = words[...]
        while let word = rest.popFirst() {
            switch word {
            case "--help", "-h": request = .help
            case "--version": request = .version
            case "--config": configPath = try Self.value(of: word, &rest)
            case "--at": time = try Self.time(of: word, &rest)
            case "--json": printsJSON = true
            case "--verbose": isVerbose = true
            default: throw Problem(message: "unknown argument '\(word)'; anicca-upload --help lists them all")
            }
        }
    }

    private static func value(of name: String, _ rest: inout ArraySlice<String>) throws(Problem) -> String {
        guard let value = rest.popFirst() else { throw Problem(message: "\(name) needs a value") }
        return value
    }

    private static func time(of name: String, _ rest: inout ArraySlice<String>) throws(Problem) -> WallTime {
        let text = try value(of: name, &rest)
        guard let time = WallTime(text) else {
            throw Problem(message: "'\(text)' is no value for \(name): it takes a time such as 2025-01-16T03:30:00Z")
        }
        return time
    }
}
