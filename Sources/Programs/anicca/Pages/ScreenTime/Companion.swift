import ArgumentParser
import Commands
import Domains
import System
import Glibc
import Devices
import Core

/// `anicca companion`
struct Companion: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "companion",
        abstract: "Pair a phone, and put in its reports.", subcommands: [Pair.self, Report.self])

    /// `anicca companion pair`
    struct Pair: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "pair", abstract: "Allow a phone to report to this device, through the bridge of a user.",
            discussion: """
                Creates the folder that the daemon reads, and adds the bridge's user to the group anicca-companion, \
                whose members may put reports into it. Before the pairing, no question about screen time or the phone's day totals is asked. \
                Several users can be added, one after another.

                Example:
                  sudo anicca companion pair bridge

                Exit status: 69 the user or the group is missing; 73 the folder cannot be created; 77 it requires root.
                """)

        private static let group = "anicca-companion"

        @Argument(help: "The user of the bridge; without it only the owner of the store can report.")
        var user: String?

        @OptionGroup var config: ConfigOptions

        func run() throws {
            let settings = try readSettings(config.config)
            try user.map(addToGroup)
            try makeFolder(settings.companion.inbox, beside: settings.store.directory)
            // The wake file must belong to the daemon's user.
            try StateOwner(of: settings.store.directory)?.become()
            DaemonCall(settings).signal()
            let next = Domain.on(.companionInbox).map { aniccaCommand("toggle \($0) on") }.joined(separator: ", ")
            print("paired: reports go into \(settings.companion.inbox); next: \(next)")
        }

        private func addToGroup(_ user: String) throws(Failure) {
            guard getpwnam(user) != nil else {
                throw Failure("there is no user \(shellWord(user)); give the user of the bridge", .unavailable)
            }
            guard getgrnam(Self.group) != nil else {
                throw Failure("there is no group \(Self.group); run: systemd-sysusers anicca-edge.conf", .unavailable)
            }
            guard geteuid() == 0 else {
                throw Failure("changing a group requires root; run: \(sudoCommand)", .noPermission)
            }
            let change = try failing(with: .unavailable) {
                try ChildProcess("/usr/sbin/usermod", ["--append", "--groups", Self.group, "--", user])
            }
            guard change.wait() == 0 else {
                throw Failure("usermod has not added \(user) to \(Self.group)", .unavailable)
            }
        }

        private func makeFolder(_ path: String, beside store: String) throws(Failure) {
            var owner = stat()
            guard stat(store, &owner) == 0 else {
                throw Failure("\(store): \(describe(errno: errno)); start aniccad first", .unavailable)
            }
            let isMade = mkdir(path, 0o700) == 0 || errno == EEXIST
            let folder = isMade ? open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1
            defer { close(folder) }
            // Members can add files, but not list the directory.
            guard folder >= 0, fchown(folder, owner.st_uid, getgrnam(Self.group)?.pointee.gr_gid ?? getegid()) == 0,
                fchmod(folder, 0o3730) == 0
            else {
                let code = errno
                let remedy =
                    switch code {
                    case ENOENT: "create its parent directory; run: systemd-tmpfiles --create anicca-edge.conf"
                    case EACCES, EPERM: "run: \(sudoCommand)"
                    default: "correct inbox in [companion]"
                    }
                throw Failure(
                    "\(path): \(describe(errno: code)); \(remedy)",
                    code == EACCES || code == EPERM ? .noPermission : .cannotCreate)
            }
        }
    }

    /// `anicca companion report`
    struct Report: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "report", abstract: "Put a report of a phone into the folder that the daemon reads.",
            discussion: """
                For scripts, in place of a bridge to the phone. The caller must be in the group anicca-companion.

                The use of social apps (sns) is minutes up to a time; minutes that two reports cover count once. \
                Sitting, mindfulness (mindful) and food (nutrition) are totals of a day by the phone's clock; a later \
                report about the same day replaces an earlier one. Minutes of sitting fill in only what the device did \
                not observe.

                Example:
                  anicca companion report --type sns --minutes 5
                  anicca companion report --type sns --minutes 5 --until 2025-01-15T13:05:00Z
                  anicca companion report --type sitting --minutes 540 --date 2025-01-15+01:00
                  anicca companion report --type nutrition --total 2100

                Exit status: 69 there is no such folder; 77 it may not be written to.
                """)

        /// The kinds of reports.
        enum Kind: String, ExpressibleByArgument, CaseIterable {
            case sns, sitting, mindful, nutrition

            var total: DayTotal.Kind? { DayTotal.Kind(rawValue: rawValue) }
            var domain: Domain { self == .sns ? .screenTime : .phone }
            /// The member of the report, which has the option's name.
            var member: String { self == .sns || self == .sitting ? "minutes" : "total" }
            var most: Int64 { total?.most ?? 1440 }
        }

        @Option(help: "The type: sns for social apps, sitting, mindful or nutrition.")
        var type: Kind

        @Option(help: "The minutes of social apps or of sitting, 0 to 1440; zero reports none.")
        var minutes: Int64?

        @Option(
            help: "The total of a day: of mindful in minutes, 0 to 1440; of nutrition in kcal, 0 to 20000.")
        var total: Int64?

        @Option(help: ArgumentHelp("The end of the use of social apps, in UTC; now by default.", valueName: "time"))
        var until: String?

        @Option(
            help: ArgumentHelp(
                "The day of a total, with the offset of the phone's clock; today in UTC by default.",
                valueName: "date"))
        var date: String?

        @OptionGroup var config: ConfigOptions

        func validate() throws {
            let (given, other) = type.member == "minutes" ? (minutes, total) : (total, minutes)
            guard let given, other == nil else {
                throw ValidationError("--type \(type.rawValue) goes with --\(type.member)")
            }
            guard (0...type.most).contains(given) else {
                throw ValidationError("--\(type.member) goes from 0 to \(type.most)")
            }
            guard type.total == nil ? date == nil : until == nil else {
                throw ValidationError("--until goes with --type sns, and --date with the other types")
            }
            guard until.map({ WallTime($0) != nil }) ?? true else {
                throw ValidationError("--until is a time such as 2025-01-15T13:05:00Z")
            }
            guard date.map({ WallTime(startOfDay: $0) != nil }) ?? true else {
                throw ValidationError("--date is a day with its offset such as 2025-01-15+01:00")
            }
        }

        private var text: String {
            let now = Instant.now.wall
            let time =
                type.total == nil
                ? #""timestamp":"\#(until.flatMap { WallTime($0) } ?? now)""#
                : #""date":"\#(date ?? "\(UTCDay(containing: now))Z")""#
            return #"{"type":"\#(type.rawValue)",\#(time),"\#(type.member)":\#(minutes ?? total ?? 0)}"#
        }

        func run() throws {
            let inbox = try readSettings(config.config).companion.inbox
            do {
                try CompanionInbox.put(Array((text + "\n").utf8), into: inbox)
            } catch .absent {
                throw Failure(
                    "\(inbox): there is no such directory, so no phone is paired; run: sudo \(aniccaCommand("companion pair USER"))",
                    .unavailable)
            } catch .denied {
                throw Failure(
                    "\(inbox): permission denied; the group anicca-companion may write: sudo anicca companion pair USER",
                    .noPermission)
            } catch .failed(let errno) {
                throw Failure("\(inbox): \(describe(errno: errno))", .inputOutput)
            }
            // `try?`: only the store's owner and root can know it.
            let toggles = try? config.installation().openStore().consent().state.toggles
            guard toggles?.allows(type.domain) == false else { return }
            tell(
                "\(type.domain) is off, so this report is not counted; to turn it on: \(aniccaCommand("toggle \(type.domain) on"))"
            )
        }
    }
}
