import ArgumentParser
import Commands
import Config
import System

/// `anicca report`
struct ReportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Show your last days at a glance, or write them as a page.",
        discussion: """
            Without --html, a line for each day that has ended: the main activity of each hour, steps, sitting, sleep \
            and the state of the record. With it, one HTML file that only you can read, with pictures of your days, \
            nights and steps, the figures, visits by the names of places, and delivery. It needs no network and no \
            other file. Where [wearer] time-zone names your zone, the figures of its days follow. The store is not changed, and the daemon may run. With sudo the file belongs to you, not to \
            root. It is not encrypted. With --json, the course of each day, beside the figures of anicca days --json.

            Example:
              anicca report
              sudo anicca report --html report.html
              anicca report --days 7 --html -

            Exit status: 73 the file exists already or cannot be created; 75 the store is busy.
            """)

    @Option(help: "The most days to show.")
    var days = 28

    @Option(
        help: ArgumentHelp("Write a page into this file; - is standard output.", valueName: "file"), completion: .file()
    )
    var html: String?

    @Flag(help: "Replace the file if it is there.")
    var force = false

    @OptionGroup var config: ConfigOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (1...90).contains(days) else { throw ValidationError("--days must be from 1 to 90") }
        guard !force || html != nil else { throw ValidationError("--force goes with --html") }
        guard !output.json || html == nil else { throw ValidationError("--json or --html, not both") }
    }

    func run() throws {
        switch html {
        case nil where output.json:
            print(try report().days.map(\.json).listing)
        case nil:
            let lines = ReportText(try report()).lines
            if lines.isEmpty { tell("no day has ended yet; \(aniccaCommand("status")) shows today") }
            printLines(lines)
        case "-":
            print(ReportPage(try report()).text, terminator: "")
        case let path?:
            let file = try asCaller { () throws(Failure) in try ReportFile(path, mayReplace: force) }
            let settings = try readSettings(config.config)
            // A process that becomes the owner of the store can no longer write with the caller's rights.
            let changesUser = try StateOwner(of: settings.store.directory) != nil
            let progress = Progress("reading the store")
            let page = changesUser ? try pageOfChild() : ReportPage(try report()).text
            progress.clear()
            try asCaller { () throws(Failure) in try file.write(page) }
            print("\(path): \((page.utf8.count + 999) / 1000) kB, for you alone")
        }
    }

    private func report() throws -> Report {
        let progress = Progress("reading the store")
        defer { progress.clear() }
        return try ReportContents(config.installation()).report(of: days)
    }

    /// Larger than any page.
    private static let mostBytes = 16 << 20

    /// Runs this program again, to read the store as its owner.
    private func pageOfChild() throws(Failure) -> String {
        let (bytes, end) = try config.output(
            of: ["report", "--days", "\(days)", "--html", "-"], limit: Self.mostBytes)
        guard end == .success else { throw Failure("no report was written", end ?? .software) }
        let page = String(decoding: bytes, as: UTF8.self)
        guard page.hasSuffix("</html>\n") else { throw Failure("the report was cut off", .inputOutput) }
        return page
    }
}
