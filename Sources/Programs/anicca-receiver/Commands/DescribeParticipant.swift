import ArgumentParser
import Foundation

/// `anicca-receiver participant`
struct DescribeParticipant: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "participant",
        abstract: "Set the language and time zone of a participant, for nudges.",
        discussion: """
            An empty one is that of the policy again. Of PostgreSQL only.

            Example:
              anicca-receiver participant P017 --language de --time-zone Europe/Berlin
            """)

    @OptionGroup var store: StoreOptions

    @Argument(help: "The participant's name.")
    var name: String

    @Option(help: "The language of texts, as the policy names it.")
    var language: String?

    @Option(help: "The time zone, by its name in the IANA database.")
    var timeZone: String?

    func validate() throws {
        guard language != nil || timeZone != nil else { throw ValidationError("give --language, --time-zone or both") }
        guard language.map({ $0.isEmpty || $0.utf8.count <= 16 && Enroll.isName($0) }) ?? true else {
            throw ValidationError("language must be one word, such as de")
        }
        guard timeZone.map({ $0.isEmpty || TimeZone(identifier: $0) != nil }) ?? true else {
            throw ValidationError("time-zone must be a name of the IANA database, such as Europe/Berlin")
        }
    }

    func run() throws {
        try orStop {
            guard try store.openStudy().describe(name, language: language, timeZone: timeZone) else {
                throw Stop(.badInput, "there is no participant \(name)")
            }
        }
    }
}
