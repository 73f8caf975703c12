import ArgumentParser
import Commands
import Config
import Delivery
import Domains
import Glibc
import Store
import System
import Core
import Sensing

/// `anicca forget`
struct Forget: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget", abstract: "Delete everything that is stored of one kind of data, or of all.",
        discussion: """
            Deletes history and unsent data from this device for good; the consent trail records the deletion. It \
            reports the data that had left the device, and asks the server to erase it: at once, or when it is \
            reachable, and for 30 days if it refuses. If a server offers no erasure, anicca status says so; then ask \
            its operator. Data sent for another account can be erased only with that account. The toggle stays as it \
            is: turn it off to stop collection. On a terminal the amount is shown, and you confirm with yes; an empty \
            line means no.

            With --all, damaged stores that were moved aside are deleted too.

            The file holds no sealed row of it afterwards. A flash card may still keep old copies of a file's blocks, out \
            of reach of any program; they are sealed, and unreadable without the key.

            Example:
              anicca forget steps
              anicca forget --all --yes

            Exit status: 0 deleted, or kept because you did not type yes; 64 no terminal for the question, and no \
            --yes; 75 the store is busy or full and nothing was deleted, or its traces could not be wiped from the \
            files: run it again.
            """)

    @Argument(help: "The kind of data.")
    var domain: Domain?

    @Flag(help: "Delete every kind of data.")
    var all = false

    @Flag(help: "Ask no question.")
    var yes = false

    /// Ask the server to erase also where this store knows of no delivery. For `anicca leave`.
    @Flag(help: .hidden)
    var evenUnknown = false

    @OptionGroup var config: ConfigOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (domain == nil) == all else { throw ValidationError("name one kind of data, or --all") }
    }

    func run() throws {
        let installation = try config.installation()
        let settings = installation.settings
        let ledger = try installation.openStore()
        guard try yes || isConfirmed(in: .terminal, ledger, settings) else { return tell("nothing was deleted") }
        let progress = Progress("deleting, and rewriting the store")
        let report = try forget(in: ledger, installation)
        progress.clear()
        DaemonCall(settings).signal()
        if !report.asked.isEmpty { installation.ringUploader() }
        output.show(json(report), or: text(report, settings))
        if let notice = ledger.changedRowsNotice { tell(notice) }
        try removeRemnants(report, settings.store)
    }

    private var domains: [Domain] { domain.map { [$0] } ?? Domain.all }
    private var name: String { domain?.description ?? "everything" }

    func isConfirmed(in prompt: Prompt?, _ ledger: Ledger, _ settings: Settings) throws -> Bool {
        guard let prompt else {
            throw Failure("there is no terminal to ask on; add --yes to delete \(name)", .usage)
        }
        prompt.say(
            "This deletes \(name) from this device: history and unsent data. "
                + "The \(settings.receiver) is asked to erase its copy.")
        prompt.say("Stored now: \(try amount(in: ledger)).")
        return prompt.askYesOrNo("Type yes to delete it") ?? false
    }

    private func amount(in ledger: Ledger) throws(LedgerError) -> String {
        let stored = try ledger.forgettable(domains)
        let parts = [
            counted(stored.days, "day"), counted(stored.quarters, "quarter") + " of an hour",
            counted(stored.unsent, "unsent value"),
        ]
        return (parts + stored.books.map { counted($0.count, $0.noun) }).joined(separator: ", ")
    }

    private func forget(in ledger: Ledger, _ installation: Installation) throws -> ForgetReport {
        let settings = installation.settings
        try installation.noteAccounts(in: ledger)
        let now = Instant.now
        let asking: ErasureWish =
            installation.usesSinks
            ? .sinks(at: installation.time(of: ledger, at: now), evenUnknown: evenUnknown) : .nobody
        let forgotten = domains.reduce(into: DomainSet()) { $0.set($1, to: true) }
        do {
            // The daemon's data since its last commit. The daemon writes the file again.
            RunningState.erase(RunningState.path(in: settings.wakeFileDirectory))
            let toggles = try ledger.consent().state.toggles
            return try ledger.forget(domains, at: now.wall, asking: asking) { checkpoint in
                // Parts of a newer program are deleted too.
                all
                    ? nil
                    : SensingSession.forgetting(
                        forgotten, from: checkpoint, toggles: toggles, rules: SensingRules(settings), at: now)
            }
        } catch {
            throw Failure(error).adding("nothing was deleted")
        }
    }

    private func text(_ report: ForgetReport, _ settings: Settings) -> String {
        let books = report.books.filter { $0.count > 0 }.map { counted($0.count, $0.noun) }.joined(separator: ", ")
        return
            "\(name) is forgotten: \(report.historyValues) stored\(books.isEmpty ? "" : " (\(books))") and \(report.queuedValues) unsent values are deleted; "
            + "\(domain == nil ? "the toggles stay as they are" : "its toggle stays as it is")\n"
            + departed(report, settings)
    }

    private func departed(_ report: ForgetReport, _ settings: Settings) -> String {
        guard !report.departed.domains.isEmpty else {
            return report.asked.isEmpty
                ? "none of it had left this device"
                : "none of it is known to have left this device; the \(settings.receiver) is asked to erase everything all the same"
        }
        let known = counted(report.departed.days, "day") + " and " + counted(report.departed.events, "event")
        let left = "\(known) of the latest deliveries, and all earlier ones, had left this device"
        guard !report.asked.isEmpty else { return left + "; no server or broker is configured to erase them" }
        let others =
            report.departed.isOfOtherAccountsToo
            ? "\ndata sent for another account is not erased: sign in with that account, and run this again" : ""
        let staying = report.asked.flatMap(\.filledFigures).filter { !report.asked.contains($0.domain) }
        return left + "; the \(settings.receiver) is asked to erase them: \(aniccaCommand("queue"))" + others
            + staying.map { "\n" + $0.whatStays }.joined()
    }

    private func json(_ report: ForgetReport) -> JSONObject {
        let departed = report.departed
        return JSONObject(
            ("forgotten", domain?.description ?? "all"), ("historyValues", report.historyValues),
            ("books", JSONObject(report.books.map { ($0.noun + "s", $0.count) })),
            ("queuedValues", report.queuedValues), ("scrubbed", report.isScrubbed),
            ("leftDays", departed.days), ("leftEvents", departed.events),
            ("mayHaveLeft", departed.domains), ("erasureAsked", report.asked),
            ("otherAccounts", departed.isOfOtherAccountsToo))
    }

    private func removeRemnants(_ report: ForgetReport, _ store: Settings.Store) throws(Failure) {
        if all { unlink(store.reminders) }
        for path in store.damagedStores {
            if all, ["", "-wal", "-shm"].allSatisfy({ unlink(path + $0) == 0 || errno == ENOENT }) {
                tell("\(path), a damaged store that was moved aside, is deleted")
                continue
            }
            tell(
                "\(path) is a damaged store that was moved aside and may hold older data; delete it with "
                    + "rm -f \(path) \(path)-wal \(path)-shm")
        }
        if !report.isScrubbed {
            throw Failure(
                tracesRemain, .temporary)
        }
    }
}

extension Installation {
    /// Nil if unknown, which does not prevent the deletion.
    fileprivate func time(of ledger: Ledger, at now: Instant) -> WallTime? {
        // `try?`: the request is also kept without a time.
        try? knownClock(of: ledger, at: now)?.time(at: now.boot).wall
    }

    /// Whether a configured sink is in use. A sink that cannot be opened counts, because it may be corrected later.
    fileprivate var usesSinks: Bool { sinks?.contains(where: \.isUsed) ?? true }
}

/// The advice when the store could not be rewritten.
let tracesRemain =
    "its traces could not be wiped from the files: another program was reading the store, or there is no "
    + "space to rewrite it; run this again"
