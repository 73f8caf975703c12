import ArgumentParser
import Commands
import Config
import Ledger
import Program
import Quantities
import Sensing
import Timekeeping

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
        let report = try read(ledger, installation)
        if output.json {
            print(report.json)
        } else {
            for line in report.lines(.standardOutput) { print(line) }
        }
    }

    private func read(_ ledger: Ledger, _ installation: Installation) throws(Failure) -> StatusReport {
        let settings = installation.settings
        do {
            let now = Instant.now
            let boot = try thisBoot()
            let session = try ledger.session(settings, boot, now)
            let today = try TodayReport(ledger, session, boot, settings.days, at: now)
            return StatusReport(
                toggles: StatusReport.toggles(of: try ledger.consent()), session: session, today: today, now: now,
                counts: try ledger.undatedCounts(), delivery: try ledger.deliveryStatus(),
                wait: try installation.outlook(of: ledger).common, alarms: try AlarmStatus(ledger, at: now),
                visits: try VisitReport(ledger, settings.location), path: ledger.path)
        } catch let failure as Failure {
            throw failure
        } catch let error as LedgerError {
            throw Failure(error)
        } catch {
            throw Failure("\(error)", .software)
        }
    }
}
