import Commands
import Delivery
import Domains
import System
import Store
import Sensing
import Core

/// A kind of data that is on but waits for its device.
struct Suspension {
    let domain: Domain
    let reason: String
    let advice: String
}

/// The first part of `anicca status` and `anicca doctor`: whether the system is alive.
struct StatusHead {
    let daemon: DaemonState
    /// In this boot; nil for none.
    let lastWindow, lastPulse: WallTime?
    let clock: TrustedClock?
    let suspensions: [Suspension]
    /// The next record or event to be sent.
    let next: QueueOutlook.Wait
    private let now: Instant

    /// - Parameter session: the daemon's session.
    init(
        _ ledger: Ledger, _ installation: Installation, _ session: SensingSession, _ outlook: QueueOutlook,
        at now: Instant
    ) throws {
        daemon = DaemonState(installation.settings)
        suspensions = try installation.suspensions(of: ledger)
        next = outlook.next(of: try ledger.undelivered())
        self.now = now
        let countsSteps = try ledger.consent().state.toggles.allowsAny(on: .stepSensor)
        clock = session.clock
        // A time of an earlier boot is meaningless.
        let start = BootTime(nanoseconds: 0)
        let window = session.lastWindow.flatMap { $0 >= start ? $0 : nil }
        let pulse = session.lastPulse.flatMap { $0 >= start && countsSteps ? $0 : nil }
        lastWindow = window.map { Self.date($0, session.clock, now) }
        lastPulse = pulse.map { Self.date($0, session.clock, now) }
    }

    private static func date(_ time: BootTime, _ clock: TrustedClock?, _ now: Instant) -> WallTime {
        clock?.time(at: time).wall ?? now.wall(at: time)
    }

    /// By the wall clock, if no clock is trusted.
    private var since: WallTime? { daemon.since.map { Self.date($0, clock, now) } }
}

extension StatusHead {
    /// In the order of importance.
    var section: Section {
        let suspended = suspensions.flatMap { suspension in
            [
                Field(label: "suspended", "\(suspension.domain): \(suspension.reason)"),
                Field(label: "", "→ \(suspension.advice)"),
            ]
        }
        return Section(
            "daemon", "Agent",
            [
                Field("running", daemon.isRunning, "aniccad", daemonText),
                Field(label: "", daemon == .stopped ? "→ \(DaemonState.howToStart)" : nil),
                Field("starting", daemon.isStarting ? true : nil),
                Field("sensorLent", daemon.isLending ? true : nil), Field("since", since),
                Field(
                    "lastWindow", lastWindow, "last window",
                    lastWindow?.description ?? "none since the device started"),
                Field("lastPulse", lastPulse, "last pulse"), Field(label: "clock", clockText),
            ] + suspended + [Field(label: "next delivery", nextText)])
    }

    var nextJSON: JSONObject { JSONObject(("waitsFor", next.reason), ("at", next.until)) }

    var daemonText: String { daemon.text { Self.date($0, clock, now) } }

    private var clockText: String {
        guard let clock else {
            return "not synchronised; no day is closed, sent or deleted until it is; see anicca doctor"
        }
        return "right, says \(clock.source)"
    }

    /// The time, and the reason for the wait.
    var nextText: String {
        guard let until = next.until else { return "waits for " + escapingControls(next.reason) }
        return "\(until), after \(escapingControls(next.reason))"
    }
}

extension Installation {
    /// The suspended kinds of data, with the result of checking their devices now.
    func suspensions(of ledger: Ledger) throws(LedgerError) -> [Suspension] {
        let registry = PermissionRegistry(ledger: ledger, handlers: linuxHandlers(settings), policy: settings.consent)
        let state = try ledger.consent().state
        var suspensions: [Suspension] = []
        for domain in Domain.all where state.isSuspended(domain) {
            let why = try registry.whySuspended(domain)
            suspensions.append(Suspension(domain: domain, reason: why.reason, advice: why.advice))
        }
        return suspensions
    }
}
