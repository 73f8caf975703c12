import Commands
import Delivery
import Domains
import Files
import Ledger
import Permissions
import Program
import Quantities
import Sensing
import Timekeeping

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

    /// - Parameters:
    ///   - session: the daemon's.
    ///   - isOn: whether a kind of data is on.
    init(
        _ daemon: DaemonState, _ session: SensingSession, _ suspensions: [Suspension], next: QueueOutlook.Wait,
        at now: Instant, isOn: (Domain) -> Bool
    ) {
        self.daemon = daemon
        self.suspensions = suspensions
        self.next = next
        self.now = now
        clock = session.clock
        // A time of an earlier boot may be any time.
        let start = BootTime(nanoseconds: 0)
        let window = session.lastWindow.flatMap { $0 >= start ? $0 : nil }
        let pulse = session.lastPulse.flatMap { $0 >= start && isOn(.steps) ? $0 : nil }
        lastWindow = window.map { Self.date($0, session.clock, now) }
        lastPulse = pulse.map { Self.date($0, session.clock, now) }
    }

    private static func date(_ time: BootTime, _ clock: TrustedClock?, _ now: Instant) -> WallTime {
        clock?.time(at: time).wall ?? now.wall(at: time)
    }

    /// By the clock as it is, where none is trusted.
    private var since: WallTime? { daemon.since.map { Self.date($0, clock, now) } }
}

// MARK: - For programs

extension StatusHead {
    var json: JSONObject {
        var json = JSONObject()
        if let isRunning = daemon.isRunning { json.put("running", isRunning) }
        if daemon.isStarting { json.put("starting", true) }
        if daemon.isLending { json.put("sensorLent", true) }
        if let since { json.put("since", since.description) }
        if let lastWindow { json.put("lastWindow", lastWindow.description) }
        if let lastPulse { json.put("lastPulse", lastPulse.description) }
        return json
    }

    var nextJSON: JSONObject {
        var json = JSONObject()
        json.put("waitsFor", next.reason)
        if let until = next.until { json.put("at", until.description) }
        return json
    }
}

// MARK: - For people

extension StatusHead {
    /// Names and texts, in the order of importance.
    var rows: [(name: String, text: String)] {
        var rows = [(name: "aniccad", text: daemonText)]
        if daemon == .stopped { rows.append(("", "→ \(DaemonState.howToStart)")) }
        rows.append(("last window", lastWindow?.description ?? "none since the device started"))
        if let lastPulse { rows.append(("last pulse", lastPulse.description)) }
        rows.append(("clock", clockText))
        for suspension in suspensions {
            rows.append(("suspended", "\(suspension.domain): \(escapingControls(suspension.reason))"))
            rows.append(("", "→ \(escapingControls(suspension.advice))"))
        }
        rows.append(("next delivery", nextText))
        return rows
    }

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
