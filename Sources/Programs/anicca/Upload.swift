import ArgumentParser
import Commands
import Delivery
import Domains
import Glibc
import System
import Store
import Core

/// `anicca upload`
struct Upload: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "upload", abstract: "Send due records now, and report the result.",
        discussion: """
            A run like those at night: nothing is sent before its hour or without consent.

            Example:
              sudo anicca upload
              sudo anicca upload --now # ends all waits for the server first

            Exit status: 0 no deliverable record is left; 75 records are left for another run.
            """)

    @Flag(help: "End all waits first: for the server, and after failed attempts.")
    var now = false

    @OptionGroup var config: ConfigOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        keepMemoryPrivate()
        prepareForPeers()
        let installation = try config.installation(withAccount: true)
        let ledger = installation.settings.store.exists ? try installation.openStore() : nil
        if now {
            try waitForOtherRun("\(installation.settings.store.directory)/upload.lock")
            try ledger?.endWaits()
        }
        let summary = try upload(installation)
        output.show(summary.json, or: summary.text(SinkKind.named(in: installation.settings)))
        if summary.asksForAnotherRun {
            let next = summary.nextAttempt.map { "from \($0)" } ?? "soon"
            installation.ringUploader()
            let left =
                summary.retrying > 0 || summary.unannounced == 0
                ? "\(counted(summary.retrying, "record")) left" : "a change of consent is left"
            throw Failure("\(left) for another run, \(next)", .temporary)
        }
    }

    /// The timer or the network may have started one. Waits ten seconds at most.
    private func waitForOtherRun(_ lock: String) throws(Failure) {
        for _ in 0..<40 {
            guard try failing(with: .systemError, { try RunLock.holder(path: lock) }) != nil else { return }
            usleep(250_000)
        }
    }

    private func upload(_ installation: Installation) throws(Failure) -> UploadSummary {
        let context = SinkContext(
            installation.settings, account: try installation.account?.get(), userAgent: "anicca/\(aniccaVersion)")
        let journal = Journal(identifier: "anicca") { entry in
            // Shown as it happens; a pipe gets only warnings and errors.
            if isatty(STDERR_FILENO) == 1 || entry.priority.rawValue <= JournalPriority.warning.rawValue {
                tell(entry.message)
            }
        }
        do throws(UploadRun.Failure) {
            return try UploadRun(context, journal: journal).run { () throws(UploadRun.Failure) in
                do throws(Failure) {
                    return try installation.openStore()
                } catch {
                    throw UploadRun.Failure(message: error.message, event: .storeFailed, code: error.code)
                }
            }
        } catch {
            throw Failure(error.message, error.code)
        }
    }
}

extension UploadSummary {
    /// For people, on one line.
    fileprivate func text(_ sinks: [SinkKind]) -> String {
        var parts = [counted(deliveredDays, "day") + " and " + counted(deliveredEvents, "event") + " delivered"]
        if deliveredErasures > 0 { parts.append(counted(deliveredErasures, "request") + " to erase followed") }
        if failed > 0 { parts.append("\(failed) failed") }
        if setAside > 0 { parts.append("\(setAside) set aside") }
        if withheld > 0 { parts.append("\(withheld) withheld") }
        if dropped > 0 { parts.append("\(dropped) dropped") }
        if waiting > 0 { parts.append("\(waiting) waiting") }
        return parts.joined(separator: ", ") + (end == .finished ? "" : "; \(reason(sinks))")
    }

    private func reason(_ sinks: [SinkKind]) -> String {
        // With several receivers, the log has named them.
        let receivers = sinks.isEmpty ? "server" : sinks.map(\.words.receiver).joined(separator: " or ")
        let words = sinks.count == 1 ? sinks[0].words : .server
        let isServer = words.receiver == SinkWords.server.receiver
        let signIn = isServer ? "sudo \(aniccaCommand("sign-in"))" : words.signInPlace
        return switch end {
        case .finished: ""
        case .deadline: "the time for a run was over"
        case .unreachable: "there is no connection to the \(receivers)"
        case .timeUnknown: "the clock is not synchronised, or was just set: anicca time"
        case .held: "the \(receivers) is not contacted for a while: anicca queue"
        case .signedOut: "not signed in: \(signIn)"
        case .paused: "the \(receivers) refused the \(words.credentials): \(signIn)"
        case .consentUntrusted: "the consent trail is broken: anicca audit --verify"
        case .backingOff: "several runs did not report their end"
        case .alreadyRunning: "another run is under way"
        case .noStore: "there is no store yet: start aniccad"
        }
    }
}
