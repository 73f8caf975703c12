import ArgumentParser
import Foundation

/// `anicca-receiver table`
struct Table: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print a table of all accounts as CSV, for analysis.",
        discussion: """
            days has a row for each account and UTC day, events one for each event, devices one for each token, and columns one for \
            each column of the others: its unit and meaning. Times are in UTC, and a missing value is empty: it was not observed, \
            not allowed, or erased. The rows are complete only if the exit status is 0. Of PostgreSQL only.

            Example:
              anicca-receiver table days > days.csv
            """)

    @OptionGroup var store: StoreOptions

    @Argument(help: ArgumentHelp("days, events, devices or columns.", valueName: "table"))
    var name: String

    func validate() throws {
        guard name == "columns" || StudyTable.all.contains(where: { $0.name == name }) else {
            throw ValidationError("there is no table \"\(name)\": days, events, devices or columns")
        }
    }

    func run() throws {
        guard let table = StudyTable.all.first(where: { $0.name == name }) else {
            print(StudyTable.dictionary, terminator: "")
            return
        }
        try orStop {
            let source = try store.openStudy()
            var output = try Output("the table")
            try source.connection.copy(table.copy) { try output.put($0) }
            try output.finish()
        }
    }
}
