import ArgumentParser
import Foundation

/// `anicca-receiver migrate`
struct Migrate: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Create the tables, or bring them to this version.",
        discussion:
            "All in one transaction. serve refuses tables of an earlier version; of SQLite it does this by itself.")

    @OptionGroup var store: StoreOptions

    func run() throws { try orStop { try store.open().migrate() } }
}

/// `anicca-receiver export`
struct Export: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print the stored data of an account, a JSON object in a line.",
        discussion: "For a wearer's request for access.")

    @OptionGroup var store: StoreOptions
    @OptionGroup var person: Person

    func run() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        for record in try orStop({ try store.openChecked().contents(of: person.account(in: store)) }) {
            print(String(decoding: try encoder.encode(record.json), as: UTF8.self))
        }
    }
}

/// `anicca-receiver erase`
struct EraseAccount: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "erase",
        abstract: "Delete everything of an account: records, events, tokens and keys.",
        discussion: """
            The account's devices cannot send any more. PostgreSQL writes over the rows with its next VACUUM; backups \
            are the operator's task. The output is a receipt for the wearer.
            """)

    @OptionGroup var store: StoreOptions
    @OptionGroup var person: Person

    func run() throws {
        try orStop {
            let account = try person.account(in: store)
            let count = try store.openChecked().deleteAccount(account)
            print(
                """
                erased at   \(CivilTime.now)
                account     \(account)\(person.participant.map { ", participant \($0)" } ?? "")
                erased      \(count) \(count == 1 ? "record or event" : "records and events"); all tokens, and the keys of all requests
                left        copies in backups and archives that were made before, until they are deleted
                """)
        }
    }
}

/// `anicca-receiver maintain`
struct Maintain: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Delete data that is too old, and prepare for the next months.",
        discussion:
            "To be run once a day, by one of the machines. Records of a month that is too old go at once, with its table."
    )

    @OptionGroup var store: StoreOptions

    @Option(help: "Months of records that are kept beside the present one. Without it they are kept for good.")
    var keepMonths: Int?

    @Option(help: "Days for which a key is known. A device repeats a request for at most 90.")
    var keepKeysDays = Retention().keyDays

    func validate() throws {
        guard keepMonths.map({ (0...1200).contains($0) }) ?? true else {
            throw ValidationError("keep-months must be from 0 to 1200")
        }
        guard (1...3650).contains(keepKeysDays) else { throw ValidationError("keep-keys-days must be from 1 to 3650") }
    }

    func run() throws {
        let retention = Retention(months: keepMonths, keyDays: keepKeysDays)
        let report = try orStop { try store.openChecked().maintain(retention) }
        print("deleted keys: \(report.deletedKeys)")
        print("dropped months: \(report.droppedMonths.isEmpty ? "none" : report.droppedMonths.joined(separator: " "))")
        print("added months: \(report.addedMonths.isEmpty ? "none" : report.addedMonths.joined(separator: " "))")
    }
}

/// The person whom a command is about.
struct Person: ParsableArguments {
    @Option(help: "The account, a UUID.")
    var account: AccountArgument?

    @Option(help: "The participant's name instead, of PostgreSQL only.")
    var participant: String?

    func validate() throws {
        guard (account == nil) != (participant == nil) else { throw ValidationError("give --account or --participant") }
    }

    func account(in store: StoreOptions) throws -> String {
        if let account { return account.text }
        guard let participant, let account = try store.openStudy().account(of: participant) else {
            throw Stop(.badInput, "there is no participant \(participant ?? "")")
        }
        return account
    }
}

/// A UUID, in upper or lower case.
struct AccountArgument: ExpressibleByArgument {
    /// In lower case.
    let text: String

    init?(argument: String) {
        text = argument.lowercased()
        guard UUIDText.isUUID(text) else { return nil }
    }
}
