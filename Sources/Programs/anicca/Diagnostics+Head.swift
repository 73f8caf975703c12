import Commands
import Config
import Delivery
import Domains
import System
import Store
import Sensing
import Core

/// The checks of the whole system: whether it is alive.
extension Diagnostics {
    /// The first checks.
    var head: [CheckResult] {
        let status = status
        return [daemon(status), clock] + [Self.power()].compactMap(\.self) + [suspended(status), delivery(status)]
    }

    /// Nil if the store cannot be read, which another check reports.
    private var status: StatusHead? {
        let now = Instant.now
        // `try?`: the check of the store reports why it cannot be read.
        guard let ledger = try? installation.openStore() else { return nil }
        return try? StatusHead(
            ledger, installation, ledger.session(settings, thisBoot(), now), installation.outlook(of: ledger), at: now)
    }

    private func daemon(_ status: StatusHead?) -> CheckResult {
        let state = status?.daemon ?? DaemonState(settings)
        switch state {
        case .running:
            var found = status?.daemonText ?? state.text(Instant.now.wall)
            if let window = status?.lastWindow { found += "; last window \(window)" }
            if let pulse = status?.lastPulse { found += "; last pulse \(pulse)" }
            return CheckResult("daemon", .ok, "aniccad \(found)")
        case .lending:
            return CheckResult(
                "daemon", .warning, "aniccad " + state.text(Instant.now.wall),
                advice: "end the running anicca watch, record or sensor")
        case .starting:
            return CheckResult(
                "daemon", .warning, "aniccad " + state.text(Instant.now.wall),
                advice: "if this persists, see: journalctl -u aniccad")
        case .stopped:
            return CheckResult(
                "daemon", settings.store.exists ? .failed : .warning, "aniccad does not run, so nothing is collected",
                advice: DaemonState.howToStart)
        case .unseen(let reason):
            return CheckResult(
                "daemon", .skipped, "the state of aniccad is unknown: \(reason)", advice: "run: \(sudoCommand)")
        }
    }

    private func suspended(_ status: StatusHead?) -> CheckResult {
        guard let status else { return CheckResult("suspended", .skipped, "needs the store") }
        guard !status.suspensions.isEmpty else { return CheckResult("suspended", .ok, "no domain waits for a device") }
        return CheckResult(
            "suspended", .warning,
            status.suspensions.map { "\($0.domain): \(escapingControls($0.reason))" }.joined(separator: "; "),
            advice: status.suspensions.map { escapingControls($0.advice) }.joined(separator: "; "))
    }

    /// Never a failure: other checks cover the reasons for a wait.
    private func delivery(_ status: StatusHead?) -> CheckResult {
        guard let status else { return CheckResult("delivery", .skipped, "needs the store") }
        return CheckResult("delivery", .ok, "the next: \(status.nextText)")
    }

    /// A board without a battery-backed clock starts in the past, and collected data waits for a date (SPEC §10).
    private var clock: CheckResult {
        let now = Instant.now
        if let clock = TrustedClock.judge(now, settings.time, known: confirmedClock) {
            return CheckResult("clock", .ok, "\(clock.time(at: now.boot).wall), says \(clock.source)")
        }
        guard TrustedClock.confirm(now) != nil else {
            return CheckResult(
                "clock", .failed, "the clock shows an impossible date: \(now.wall)",
                advice: "connect to a network, and see timedatectl; or fit a battery-backed clock")
        }
        return CheckResult(
            "clock", .warning,
            "\(now.wall), but the clock is not synchronised: no day is closed, sent or deleted until it is",
            advice:
                "connect to a network, and see timedatectl; or, if the time is right, run: "
                + "sudo \(aniccaCommand("time confirm")); "
                + "with a battery-backed clock, set trust = hardware-clock in [time]")
    }

    /// The clock known to the store; also nil if the store cannot be read, which another check reports.
    private var confirmedClock: TrustedClock? {
        // `try?`: as above.
        try? installation.openStore().clock(of: thisBoot())
    }
}
