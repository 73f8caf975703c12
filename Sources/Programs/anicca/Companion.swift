import ArgumentParser
import Commands
import Domains
import Files
import Glibc
import Inbox
import Program
import Quantities

/// `anicca companion`
struct Companion: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Report what the paired phone says.", subcommands: [Report.self])

    /// `anicca companion report`
    struct Report: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Put a report of screen time into the folder that the daemon reads.",
            discussion: """
                For scripts, in place of a bridge to the phone. Who runs it has to be in the group anicca-companion. Minutes that two \
                reports cover count once.

                Example:
                  anicca companion report --type sns --minutes 5
                  anicca companion report --type sns --minutes 5 --until 2025-01-15T13:05:00Z

                Exit status: 69 there is no such folder; 77 it may not be written to.
                """)

        /// What can be reported.
        enum Kind: String, ExpressibleByArgument, CaseIterable {
            case sns
        }

        @Option(help: "What was used: sns for social apps.")
        var type: Kind

        @Option(help: "For how long, 0 to 1440. Zero says that there was no use.")
        var minutes: Int

        @Option(help: ArgumentHelp("The end of the use, in UTC; now by default.", valueName: "time"))
        var until: String?

        @OptionGroup var config: ConfigOptions

        func validate() throws {
            guard (0...1440).contains(minutes) else { throw ValidationError("--minutes goes from 0 to 1440") }
            guard until.map({ WallTime($0) != nil }) ?? true else {
                throw ValidationError("--until is a time such as 2025-01-15T13:05:00Z")
            }
        }

        func run() throws {
            let inbox = try readSettings(config.config).companion.inbox
            let end = until.flatMap { WallTime($0) } ?? Instant.now.wall
            let report = #"{"type":"\#(type.rawValue)","timestamp":"\#(end)","minutes":\#(minutes)}"#
            do {
                try CompanionInbox.put(Array((report + "\n").utf8), into: inbox)
            } catch .absent {
                throw Failure("\(inbox): there is no such directory; see \(aniccaCommand("doctor"))", .unavailable)
            } catch .denied {
                throw Failure(
                    "\(inbox): permission denied; the group anicca-companion may write: usermod -aG anicca-companion USER",
                    .noPermission)
            } catch .failed(let errno) {
                throw Failure("\(inbox): \(describe(errno: errno))", .inputOutput)
            }
        }
    }
}
