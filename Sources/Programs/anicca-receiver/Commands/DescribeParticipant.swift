import ArgumentParser
import Foundation

/// `anicca-receiver participant`
struct DescribeParticipant: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "participant",
        abstract: "Note the language, the time zone or the consent of a participant.",
        discussion: """
            Language and time zone are for nudges; an empty one is that of the policy again. The version of the consent that \
            somebody gave is beside each of their days in the table, from its first day on; an empty one takes back that of \
            the day. Of PostgreSQL only.

            Example:
              anicca-receiver participant P017 --language de --time-zone Europe/Berlin
              anicca-receiver participant P017 --consent 2.1 --since 2026-11-01
            """)

    @OptionGroup var store: StoreOptions

    @Argument(help: "The participant's name.")
    var name: String

    @Option(help: "The language of texts, as the policy names it.")
    var language: String?

    @Option(help: "The time zone, by its name in the IANA database.")
    var timeZone: String?

    @Option(help: ArgumentHelp("The version of the consent that they gave: a word.", valueName: "version"))
    var consent: String?

    @Option(help: ArgumentHelp("The first UTC day of this consent; else today.", valueName: "day"))
    var since: String?

    func validate() throws {
        guard language != nil || timeZone != nil || consent != nil else {
            throw ValidationError("give --language, --time-zone or --consent")
        }
        guard since == nil || consent != nil else { throw ValidationError("--since is about --consent") }
        guard since.map(CivilTime.isDate) ?? true else { throw ValidationError("since must be YYYY-MM-DD") }
        guard consent.map({ $0.isEmpty || Enroll.isName($0) }) ?? true else {
            throw ValidationError("consent must be one word of at most 64 visible ASCII characters, such as 2.1")
        }
        guard language.map({ $0.isEmpty || $0.utf8.count <= 16 && Enroll.isName($0) }) ?? true else {
            throw ValidationError("language must be one word, such as de")
        }
        guard timeZone.map({ $0.isEmpty || TimeZone(identifier: $0) != nil }) ?? true else {
            throw ValidationError("time-zone must be a name of the IANA database, such as Europe/Berlin")
        }
    }

    func run() throws {
        try orStop {
            let store = try store.openStudy()
            guard try store.describe(name, language: language, timeZone: timeZone) else {
                throw Stop(.badInput, "there is no participant \(name)")
            }
            if let consent { try store.note(consent: consent, of: name, since: since) }
        }
    }
}
