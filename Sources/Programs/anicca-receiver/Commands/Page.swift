import ArgumentParser
import Foundation

/// `anicca-receiver page`
struct Page: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print a page about the participants: devices, last contact, data by day and kind, and missing days.",
        discussion: """
            Static HTML in one file, without a script. It names accounts, so only those should see it who may. The last day is yesterday, \
            in UTC. Of PostgreSQL only.

            Example:
              anicca-receiver page > index.html
            """)

    @OptionGroup var store: StoreOptions

    @Option(help: ArgumentHelp("So many days.", valueName: "number"))
    var days = 28

    @Option(
        help: ArgumentHelp(
            "A file that is replaced once the page is complete; else standard output.", valueName: "file"))
    var output: String?

    func validate() throws {
        guard (1...366).contains(days) else { throw ValidationError("days must be from 1 to 366") }
    }

    func run() throws {
        try orStop {
            let page = StudyPage(period: try StudyPeriod(try store.openStudy(), days: days))
            var output = try Output("the page", to: output)
            try page.write { text in try output.put(text) }
            try output.finish()
        }
    }
}
