import Commands
import Delivery
import Domains
import System
import Store
import Sensing
import Core

/// A kind of data that is on and waits for its device.
struct Suspension {
    let domain: Domain
    let reason: String
    let advice: String
}

/// The first things that `anicca status` and `anicca doctor` say: whether all of this is alive.
struct StatusHead {
    let daemon: DaemonState
    /// Of this boot; nil where there was none in it.
    let lastWindow, lastPulse: WallTime?
    let clock: TrustedClock?
    let suspensions: [Suspension]
    /// The record or event that is sent next.
    let next: QueueOutlook.Wait
    private let now: Instant

    /// - Parameter session: the daemon's.
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
        // A time of an earlier boot may be any time.
        let start = BootTime(nanoseconds: 0)
        let window = session.lastWindow.flatMap { $0 >= start ? $0 : nil }
        let pulse = session.lastPulse.flatMap { $0 >= start && countsSteps ? $0 : nil }
        lastWindow = window.map { Self.date($0, session.clock, now) }
        lastPulse = pulse.map { Self.date($0, session.clock, now) }
    }

    private static func date(_ time: BootTime, _ clock: TrustedClock?, _ now: Instant) -> WallTime {
        clock?.time(at: time).wall ?? now.wall(at: time)
    }

    /// By the clock as it is, where none is trusted.
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
            return "not known to be right; until it is, nothing is closed, sent or deleted; see anicca doctor"
        }
        return "right, says \(clock.source)"
    }

    /// When, and what it waits for.
    var nextText: String {
        guard let until = next.until else { return "waits for " + escapingControls(next.reason) }
        return "\(until), after \(escapingControls(next.reason))"
    }
}

extension Installation {
    /// The kinds of data that are suspended, with what a look at their devices says now.
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
