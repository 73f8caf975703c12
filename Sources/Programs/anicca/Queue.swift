import ArgumentParser
import Commands
import Config
import Delivery
import System
import Store
import Core

/// `anicca queue`
struct Queue: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "queue", abstract: "Show, retry or drop unsent records.",
        discussion: """
            Example:
              anicca queue # each record and event, and the reason why it waits
              sudo anicca queue retry # retry all records now, also those set aside
              sudo anicca queue drop 17 # never send this one
            """,
        subcommands: [ListQueue.self, RetryQueue.self, DropQueue.self], defaultSubcommand: ListQueue.self)
}

/// `anicca queue list`
struct ListQueue: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Show unsent records, and the reason why each waits.")

    @OptionGroup var config: ConfigOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        let installation = try config.installation()
        let ledger = try installation.openStore()
        let items = try ledger.undelivered()
        let outlook = try installation.outlook(of: ledger)
        output.show(Listing(items.map { $0.fields(outlook.wait(of: $0)) }), orTell: "nothing waits to be sent")
    }
}

/// `anicca queue retry`
struct RetryQueue: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry",
        abstract: "Retry records that were set aside, and end all waits.",
        discussion: """
            The uploader is notified, and sends due records. A record that the server refuses again is set aside again.

            Data collected for another account waits for that account. If that account was yours too, for example with \
            a mistyped user id, --same-person moves its waiting records to the present account.

            Exit status: 69 no such record waits.
            """)

    @Argument(help: ArgumentHelp("The numbers of records; all without any.", valueName: "number"))
    var numbers: [Int64] = []

    @Flag(help: "The previous account was also yours: its waiting records go to the present one.")
    var samePerson = false

    @OptionGroup var config: ConfigOptions

    func run() throws {
        let installation = try config.installation(withAccount: samePerson)
        let ledger = try installation.openStore()
        if samePerson {
            try installation.noteAccounts(in: ledger)
            try ledger.followSamePerson()
        }
        var wanted = Set(numbers).sorted()
        if numbers.isEmpty {
            try ledger.endWaits()
            wanted = try ledger.undelivered().map(\.id)
        }
        for id in wanted where try !ledger.retry(id) {
            throw Failure("no record \(id) waits; for the list, run: \(aniccaCommand("queue"))", .unavailable)
        }
        print(wanted.isEmpty ? "nothing waits to be sent" : "\(counted(wanted.count, "record")) may be tried now")
        installation.ringUploader()
    }
}

/// `anicca queue drop`
struct DropQueue: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "drop",
        abstract: "Never send these records.",
        discussion: """
            Deletes the unsent records; history stays. Records that may have arrived already are not recalled.

            Exit status: 64 no terminal for the question, and no --yes; 69 no such record waits.
            """)

    @Argument(help: ArgumentHelp("The numbers of records, as anicca queue shows them.", valueName: "number"))
    var numbers: [Int64]

    @Flag(help: "Ask no question.")
    var yes = false

    @OptionGroup var config: ConfigOptions

    func run() throws {
        let installation = try config.installation()
        let ledger = try installation.openStore()
        guard try yes || isConfirmed(in: .terminal) else { return tell("nothing was dropped") }
        let waiting = Set(try ledger.undelivered().map(\.id))
        let wanted = Set(numbers).sorted()
        if let stranger = wanted.first(where: { !waiting.contains($0) }) {
            throw Failure(
                "no record \(stranger) waits, so none was dropped; for the list, run: \(aniccaCommand("queue"))",
                .unavailable)
        }
        for id in wanted where try ledger.drop(id, at: Instant.now.wall) { print("record \(id) is dropped") }
    }

    private func isConfirmed(in prompt: Prompt?) throws(Failure) -> Bool {
        guard let prompt else { throw Failure("there is no terminal to ask on; add --yes to drop them", .usage) }
        prompt.say("\(counted(numbers.count, "record")) will never be sent.")
        return prompt.askYesOrNo("Type yes to drop") ?? false
    }
}

extension OutboxRecord {
    /// For people.
    var name: String {
        switch content {
        case .day(let day, _): "\(day)"
        case .event(let event, _): "\(event.kind) of \(event.at)"
        case .erasure(let domains, let until):
            "erase \(domains.names)" + (until < TimeRule.earliest ? "" : " until \(until)")
        case .unreadable: "unreadable: changed or moved outside this program"
        }
    }

    /// At the sink with the most attempts.
    var attempts: Int { deliveries.values.map(\.attempts).max() ?? 0 }

    fileprivate func fields(_ wait: QueueOutlook.Wait) -> [Field] {
        [Field("number", id, "", .right), Field("key", "\(key)", "what", name)] + contents + [
            Field("setAside", isSetAside), Field("attempts", attempts, "attempts", .right),
            Field("mayHaveArrived", deliveries.values.contains(where: \.isUnanswered)),
            Field("error", deliveries.values.compactMap(\.error).first),
            Field("waitsFor", wait.reason, "waits for", wait.text), Field("until", wait.until),
        ]
    }

    private var contents: [Field] {
        switch content {
        case .day(let day, _): [Field("date", day)]
        case .event(let event, _): [Field("event", event.kind), Field("at", event.at)]
        case .erasure(let domains, let until): [Field("erases", domains), Field("at", until)]
        case .unreadable: [Field("unreadable", true)]
        }
    }
}

extension QueueOutlook.Wait {
    /// For people.
    var text: String { reason + (until.map { ", until \($0)" } ?? "") }
}

extension Installation {
    func outlook(of ledger: Ledger) throws -> QueueOutlook {
        let now = Instant.now
        return QueueOutlook(
            settings, try ledger.deliveryStatus(), mayBeSent: try ledger.consent().isTrusted,
            at: try knownClock(of: ledger, at: now)?.time(at: now.boot))
    }

    /// Starts the uploader through systemd. Otherwise the timer does, so a failure is only reported.
    func ringUploader() {
        do {
            try WakeFile.upload(in: settings.wakeFileDirectory).signal()
        } catch {
            tell(
                "the uploader could not be notified: \(error); its timer starts it, or run: "
                    + "sudo \(aniccaCommand("upload"))")
        }
    }
}
