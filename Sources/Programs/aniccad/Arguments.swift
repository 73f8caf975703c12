import System

/// The parsed command line.
struct Arguments {
    enum Request {
        case run
        case help
        case version
    }

    var request = Request.run
    var configPath: String?

    static let help = """
        usage: aniccad [--config FILE]

        Senses what the wearer allows and keeps one record per UTC day. Runs in the foreground; systemd runs it as
        aniccad.service, and journalctl -u aniccad shows its log.

          --config FILE  the configuration [/etc/anicca/anicca.conf], with FILE.d/*.conf after it
          --version      print the version and exit
          --help         print this and exit

        SIGTERM writes everything down and exits with 0; SIGHUP reads the configuration again.
        Exit status (sysexits): 64 usage, 66 config missing, 71 system, 73 store, 77 key, 78 config.
        To try it without hardware: anicca-lab live, of the package anicca-edge-lab.
        """

    init(_ words: [String]) throws(CommandWords.Problem) {
        var words = CommandWords(words)
        while let word = words.next() {
            switch word {
            case "--help", "-h": request = .help
            case "--version": request = .version
            case "--config": configPath = try words.value(of: word)
            default: throw CommandWords.Problem("unknown argument '\(word)'; aniccad --help lists them all")
            }
        }
    }
}
