import ArgumentParser
import Commands
import Config
import Delivery
import Files
import Ledger
import Program
import Quantities
import Timekeeping

/// `anicca queue`
struct Queue: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show what waits to be sent, try it again, or drop it.",
        discussion: """
            Example:
              anicca queue                  each record and event, and what it waits for
              sudo anicca queue retry       what was set aside, and whatever waits, at once
              sudo anicca queue drop 17     never send this one
            """,
        subcommands: [ListQueue.self, RetryQueue.self, DropQueue.self], defaultSubcommand: ListQueue.self)
}

/// `anicca queue list`
struct ListQueue: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Show what waits to be sent, and for what.")

    @OptionGroup var config: ConfigOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        let installation = try config.installation()
        let ledger = try installation.openStore()
        let items: [QueueItem]
        do {
            items = try ledger.undelivered()
        } catch {
            throw Failure(error)
        }
        let outlook = try installation.outlook(of: ledger)
        if output.json {
            print(items.map { $0.json(outlook.wait(of: $0)) }.json)
            return
        }
        guard !items.isEmpty else { return tell("nothing waits to be sent") }
        var table = Table([("", .right), ("what", .left), ("attempts", .right), ("waits for", .left)])
        for item in items {
            let wait = outlook.wait(of: item)
            let until = wait.until.map { ", until \($0)" } ?? ""
            table.add(["\(item.id)", item.name, "\(item.attempts)", escapingControls(wait.reason) + until])
        }
        printLines(table.lines())
    }
}

/// `anicca queue retry`
struct RetryQueue: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry",
        abstract: "Put back what was set aside, and end all waits.",
        discussion: """
            The uploader is told, and sends what is due. A record that the server refuses again is set aside again.

            What was collected for another account waits for that one. Where it was yours, as one with a mistyped user id, \
            --same-person lets what waits for the account before follow to that which is signed in now.

            Exit status: 69 where no such record waits.
            """)

    @Argument(help: ArgumentHelp("The numbers of records; all without any.", valueName: "number"))
    var numbers: [Int64] = []

    @Flag(help: "The account before was yours too: what waits for it goes to the present one.")
    var samePerson = false

    @OptionGroup var config: ConfigOptions

    func run() throws {
        let installation = try config.installation(withAccount: samePerson)
        let ledger = try installation.openStore()
        if samePerson {
            try installation.noteAccounts(in: ledger)
            try ledger.followSamePerson()
        }
        do {
            var wanted = Set(numbers).sorted()
            if numbers.isEmpty {
                try ledger.endWaits()
                wanted = try ledger.undelivered().map(\.id)
            }
            for id in wanted where try !ledger.retry(id) {
                throw Failure("no record \(id) waits: \(aniccaCommand("queue")) shows which do", .unavailable)
            }
            print(wanted.isEmpty ? "nothing waits to be sent" : "\(counted(wanted.count, "record")) may be tried now")
        } catch let error as LedgerError {
            throw Failure(error)
        }
        installation.ringUploader()
    }
}

/// `anicca queue drop`
struct DropQueue: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "drop",
        abstract: "Never send these records.",
        discussion: """
            What was to be sent is deleted; history stays. What may have arrived already is not taken back.

            Exit status: 64 nobody could be asked and --yes was not given; 69 where no such record waits.
            """)

    @Argument(help: ArgumentHelp("The numbers of records, as anicca queue shows them.", valueName: "number"))
    var numbers: [Int64]

    @Flag(help: "Ask nothing.")
    var yes = false

    @OptionGroup var config: ConfigOptions

    func run() throws {
        let installation = try config.installation()
        let ledger = try installation.openStore()
        guard try yes || isConfirmed(in: .terminal) else { return tell("nothing was dropped") }
        do {
            let waiting = Set(try ledger.undelivered().map(\.id))
            let wanted = Set(numbers).sorted()
            if let stranger = wanted.first(where: { !waiting.contains($0) }) {
                throw Failure(
                    "no record \(stranger) waits, so nothing was dropped: \(aniccaCommand("queue")) shows which do",
                    .unavailable)
            }
            for id in wanted where try ledger.drop(id, at: Instant.now.wall) { print("record \(id) is dropped") }
        } catch let error as LedgerError {
            throw Failure(error)
        }
    }

    private func isConfirmed(in prompt: Prompt?) throws(Failure) -> Bool {
        guard let prompt else { throw Failure("there is no terminal to ask on; add --yes to drop them", .usage) }
        prompt.say("\(counted(numbers.count, "record")) will never be sent.")
        return prompt.askYesOrNo("Type yes to drop") ?? false
    }
}

extension QueueItem {
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

    /// At the sink that was tried most.
    var attempts: Int { deliveries.values.map(\.attempts).max() ?? 0 }

    func json(_ wait: QueueOutlook.Wait) -> JSONObject {
        var json = JSONObject()
        json.put("number", id)
        json.put("key", "\(key)")
        switch content {
        case .day(let day, _): json.put("date", day.description)
        case .event(let event, _):
            json.put("event", event.kind.description)
            json.put("at", event.at.description)
        case .erasure(let domains, let until):
            json.put("erases", domains.map(\.description))
            json.put("at", until.description)
        case .unreadable: json.put("unreadable", true)
        }
        json.put("setAside", isSetAside)
        json.put("attempts", attempts)
        json.put("mayHaveArrived", deliveries.values.contains(where: \.mayHaveArrived))
        if let error = deliveries.values.compactMap(\.error).first { json.put("error", error) }
        json.put("waitsFor", wait.reason)
        if let until = wait.until { json.put("until", until.description) }
        return json
    }
}

extension Installation {
    func outlook(of ledger: Ledger) throws(Failure) -> QueueOutlook {
        let now = Instant.now
        let clock = try knownClock(of: ledger, at: now)
        do {
            return QueueOutlook(
                settings, try ledger.deliveryStatus(), mayBeSent: try ledger.consent().isTrusted,
                at: clock?.time(at: now.boot))
        } catch {
            throw Failure(error)
        }
    }

    /// Starts the uploader, where systemd listens. Without it the timer does, so a failure is told and no more.
    func ringUploader() {
        do {
            try WakeFile.upload(in: settings.wakeFileDirectory).signal()
        } catch {
            tell("the uploader could not be told: \(error); its timer starts it, or: sudo \(aniccaCommand("upload"))")
        }
    }
}
