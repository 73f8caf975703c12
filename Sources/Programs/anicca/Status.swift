import ArgumentParser
import Commands
import Config
import Ledger
import Program
import Quantities
import Sensing
import Vault

/// `anicca status`
struct Status: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show what is collected, today's figures, and how delivery is doing.",
        discussion: """
            Everything shown is read from the store, so it works whether the daemon runs or not. Today's figures are those \
            of the daemon's last commit: steps at most a minute old, sitting at most ten. Times and days are UTC.

            Example:
              anicca status
              anicca status --json
            """)

    @OptionGroup var config: ConfigOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        let installation = try config.installation()
        let ledger = try installation.openStore()
        try ledger.tellIfUntrusted()
        let report = try read(ledger, installation.settings)
        if output.json {
            print(report.json)
        } else {
            for line in report.lines(.standardOutput) { print(line) }
        }
    }

    private func read(_ ledger: Ledger, _ settings: Settings) throws(Failure) -> StatusReport {
        do {
            return StatusReport(
                toggles: StatusReport.toggles(of: try ledger.consent()), session: try session(of: ledger, settings),
                now: Instant.now, delivery: try ledger.deliveryStatus(), path: ledger.path)
        } catch {
            throw Failure(error)
        }
    }

    /// The daemon's session as of the last commit. Without a readable one there are no figures of today.
    private func session(of ledger: Ledger, _ settings: Settings) throws(LedgerError) -> SensingSession {
        var session = SensingSession(rules: SensingRules(settings))
        do {
            guard var checkpoint = try ledger.checkpoint()?.bytes else { return session }
            defer { Vault.wipe(&checkpoint) }
            try session.restore(checkpoint, at: Instant.now)
        } catch let error as LedgerError {
            guard case .unreadable = error else { throw error }
            tell("\(error); today's figures are missing")
        } catch {
            tell("the daemon's state in the store is of another version; today's figures are missing")
        }
        return session
    }
}
