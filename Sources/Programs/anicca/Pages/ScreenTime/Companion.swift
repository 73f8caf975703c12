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
                whose members may put reports into it. Before the pairing, no question about screen time is asked. \
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
            print("paired: reports go into \(settings.companion.inbox); next: \(aniccaCommand("toggle screenTime on"))")
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
            commandName: "report", abstract: "Put a report of screen time into the folder that the daemon reads.",
            discussion: """
                For scripts, in place of a bridge to the phone. The caller must be in the group anicca-companion. \
                Minutes that two reports cover count once.

                Example:
                  anicca companion report --type sns --minutes 5
                  anicca companion report --type sns --minutes 5 --until 2025-01-15T13:05:00Z

                Exit status: 69 there is no such folder; 77 it may not be written to.
                """)

        /// The kinds of reports.
        enum Kind: String, ExpressibleByArgument, CaseIterable {
            case sns
        }

        @Option(help: "The type of use: sns for social apps.")
        var type: Kind

        @Option(help: "The minutes of use, 0 to 1440; zero reports no use.")
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
            guard (try? config.installation().openStore().consent().state.toggles.allows(.screenTime)) == false else {
                return
            }
            tell("screen time is off, so no report is counted; to turn it on: \(aniccaCommand("toggle screenTime on"))")
        }
    }
}
