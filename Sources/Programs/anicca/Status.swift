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
            First whether aniccad runs, and since when: its lock tells, also after it was killed. Everything else is read from \
            the store and from the state that the daemon keeps until the next boot, so it works whether the daemon runs or not; \
            of what is suspended the device is looked at. Today's figures are those of the last window. Times and days are UTC.

            With --json, daemon has running, starting while it has not begun to collect, since, lastWindow and lastPulse; a \
            suspended kind of data has its reason and advice in toggles; and delivery.next says what comes next and when. What is \
            not known is left out.

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
        output.show(try read(ledger, installation).sections(.standardOutput))
    }

    private func read(_ ledger: Ledger, _ installation: Installation) throws -> StatusReport {
        let settings = installation.settings
        let now = Instant.now
        let boot = try thisBoot()
        let session = try ledger.session(settings, boot, now)
        let today = try TodayReport(ledger, session, boot, settings.days, at: now)
        let moment = StatusMoment(ledger: ledger, settings: settings, now: now, day: today.day)
        return StatusReport(
            toggles: StatusReport.toggles(of: try ledger.consent()), session: session, today: today, now: now,
            counts: try ledger.undatedCounts(), delivery: try ledger.deliveryStatus(),
            outlook: try installation.outlook(of: ledger), items: try ledger.undelivered(),
            suspensions: try installation.suspensions(of: ledger), daemon: DaemonState(settings),
            lacking: try ledger.lackingDays(),
            ofToday: try Page.all.compactMap { try $0.today(moment) },
            others: try Page.all.compactMap { try $0.status(moment) }, path: ledger.path)
    }
}
