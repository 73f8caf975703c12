import System
import Core

/// The parsed command line.
struct Arguments {
    enum Request {
        case run
        case help
        case version
    }

    var request = Request.run
    /// The configuration file; nil for the default.
    var configPath: String?
    /// The time of the run; nil for now.
    var time: WallTime?
    var printsJSON = false
    var isVerbose = false

    static let help = """
        usage: anicca-upload [--config FILE] [--at TIME] [--json] [--verbose]

        Sends waiting events and due daily records once, and ends. systemd starts it when the bell rings, at night, and
        after a run that did not end with 0 and asked for another run; journalctl -u anicca-upload shows its log,
        and anicca upload runs it for a person.

          --config FILE  the configuration [/etc/anicca/anicca.conf], with FILE.d/*.conf after it
          --at TIME      judges what is due, and notes what happens, as if the run began at this time, for example
                         2025-01-16T03:30:00Z; for tests and demonstrations
          --json         prints a summary of the run as a line of JSON
          --verbose      logs every attempt
          --version      print the version and exit
          --help         print this and exit

        Exit status (sysexits): 0 no record is left that another run could deliver, also without an account or with a
        broken consent trail. 75 due records are left for another run, because the network or the server failed, the
        time was over or another run was active; or the store is busy or the disk full. Unacknowledged records stay
        queued. 64 usage, 66 config missing, 69 store unusable, 71 system, 77 key or token open to others, 78 config.
        """

    init(_ words: [String]) throws(CommandWords.Problem) {
        var words = CommandWords(words)
        while let word = words.next() {
            switch word {
            case "--help", "-h": request = .help
            case "--version": request = .version
            case "--config": configPath = try words.value(of: word)
            case "--at": time = try words.value(of: word, example: "2025-01-16T03:30:00Z") { WallTime($0) }
            case "--json": printsJSON = true
            case "--verbose": isVerbose = true
            default: throw CommandWords.Problem("unknown argument '\(word)'; anicca-upload --help lists them all")
            }
        }
    }
}
