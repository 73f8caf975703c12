import Commands
import Consent
import Delivery
import Domains
import Files
import Journaling
import Ledger
import Permissions
import Program
import Quantities
import Sensing
import Sinks
import Timekeeping

/// The content of `anicca status`.
struct StatusReport {
    struct Toggle {
        let domain: Domain
        let isOn: Bool
        /// The time of the last change; nil if it never changed.
        let since: WallTime?
        /// The stored status; the hardware is not checked.
        let status: PermissionStatus
        /// On, and waiting for its device.
        let isSuspended: Bool

        /// Behind its position, for people; empty where all is well.
        fileprivate var remark: String {
            if isSuspended { return "  suspended, its device is away" }
            if status == .authorized { return "" }
            if status == .unsupported, !domain.isCollected { return "  \(status), \(PermissionReport.notCollected)" }
            return "  \(status)"
        }
    }

    private let toggles: [Toggle]
    /// Nil while nobody knows what day it is; then `today` is since the start of the device.
    private let date: UTCDay?
    private let today: ClosedDay
    private let clock: TrustedClock?
    private let counts: UndatedCounts
    private let lastWindow: WallTime?
    /// The activity; nil while motion is off, because samples read for steps alone are not shown as activity.
    private let activity: String?
    private let delivery: DeliveryStatus
    /// What all that is queued waits for; nil where each record waits for itself.
    private let wait: QueueOutlook.Wait?
    private let path: String
    private let alarms: AlarmStatus
    private let visits: VisitReport
    private let head: StatusHead
    private let suspensions: [Suspension]

    init(
        toggles: [Toggle], session: SensingSession, today: TodayReport, now: Instant, counts: UndatedCounts,
        delivery: DeliveryStatus, outlook: QueueOutlook, items: [QueueItem], suspensions: [Suspension],
        daemon: DaemonState, alarms: AlarmStatus, visits: VisitReport, path: String
    ) {
        head = StatusHead(daemon, session, suspensions, next: outlook.next(of: items), at: now) { domain in
            toggles.contains { $0.domain == domain && $0.isOn }
        }
        self.suspensions = suspensions
        self.alarms = alarms
        self.visits = visits
        self.toggles = toggles
        self.counts = counts
        date = today.day
        clock = session.clock
        let figures = today.figures.filter { figure in
            toggles.contains { $0.domain == figure.figure.domain && $0.isOn }
        }
        self.today = ClosedDay(day: today.day ?? UTCDay(containing: now.wall), figures: figures)
        lastWindow = head.lastWindow
        let measuresMotion = toggles.contains { $0.domain == .motion && $0.isOn }
        let seen = session.isWorn ? session.verdict.activity.description : "not worn"
        activity = measuresMotion ? seen : nil
        self.delivery = delivery
        wait = outlook.common
        self.path = path
    }

    static func toggles(of consent: ConsentSnapshot) -> [Toggle] {
        Domain.all.map { domain in
            Toggle(
                domain: domain, isOn: consent.state.toggles.allows(domain), since: consent.toggledAt(domain),
                status: consent.state.status(of: domain), isSuspended: consent.state.isSuspended(domain))
        }
    }
}

// MARK: - For programs

extension StatusReport {
    var json: JSONObject {
        var json = JSONObject()
        json.put("daemon", head.json)
        json.put("toggles", togglesJSON)
        json.put("today", todayJSON)
        if let location = visits.status(on: date) { json.put("location", location) }
        json.put("time", timeJSON)
        json.put("delivery", deliveryJSON)
        if !alarms.isEmpty { json.put("alarm", alarms.json) }
        json.put("store", path)
        return json
    }

    private var togglesJSON: JSONObject {
        var json = JSONObject()
        for toggle in toggles {
            var state = JSONObject()
            state.put("on", toggle.isOn)
            state.put("status", toggle.status.description)
            if toggle.isSuspended { state.put("suspended", true) }
            if let why = suspensions.first(where: { $0.domain == toggle.domain }) {
                state.put("reason", why.reason)
                state.put("advice", why.advice)
            }
            if let since = toggle.since { state.put("since", since.description) }
            json.put(toggle.domain.description, state)
        }
        return json
    }

    private var todayJSON: JSONObject {
        var json = JSONObject()
        if let date { json.put("date", date.description) }
        for figure in today.figures { json.put(figure: figure.figure, figure.value) }
        for figure in today.figures.map(\.figure) {
            if let other = figure.otherSource { json.put(other.key, today.source(of: figure).name) }
        }
        if let lastWindow {
            json.put("lastWindow", lastWindow.description)
            if let activity { json.put("activity", activity) }
        }
        return json
    }

    private var timeJSON: JSONObject {
        var json = JSONObject()
        json.put("trusted", clock != nil)
        if let clock { json.put("source", clock.source.name) }
        json.put("waitingQuarters", counts.waiting)
        json.put("undatedQuarters", counts.undated)
        json.put("lateQuarters", counts.late)
        json.put("waitingEvents", counts.waitingEvents)
        json.put("undatedEvents", counts.undatedEvents)
        return json
    }

    private var deliveryJSON: JSONObject {
        var json = JSONObject()
        json.put("queuedDays", delivery.queuedDays)
        json.put("queuedEvents", delivery.queuedEvents)
        json.put("queuedErasures", delivery.queuedErasures)
        json.put("setAside", delivery.setAside)
        json.put("dropped", delivery.dropped)
        json.put("paused", delivery.isPaused)
        if let wait {
            json.put("waitsFor", wait.reason)
            if let until = wait.until { json.put("until", until.description) }
        }
        if let time = delivery.lastAttempt { json.put("lastAttempt", time.description) }
        if let time = delivery.lastSuccess { json.put("lastSuccess", time.description) }
        if let error = delivery.lastError { json.put("lastError", error) }
        if let time = delivery.lastErrorAt { json.put("lastErrorAt", time.description) }
        json.put("next", head.nextJSON)
        json.put("sinks", sinksJSON)
        return json
    }

    private var sinksJSON: JSONObject {
        var json = JSONObject()
        for sink in delivery.sinks {
            var state = JSONObject()
            if let time = sink.lastAttempt { state.put("lastAttempt", time.description) }
            if let time = sink.lastSuccess { state.put("lastSuccess", time.description) }
            if let error = sink.lastError { state.put("lastError", error) }
            state.put("setAside", sink.setAside)
            state.put("paused", sink.isPaused)
            json.put(sink.name, state)
        }
        return json
    }
}

// MARK: - For people

extension StatusReport {
    func lines(_ style: TextStyle) -> [String] {
        let sections: [[String]] = [
            ["Agent"] + head.rows.map { row($0.name, $0.text) },
            ["Allowed"] + toggleLines(style),
            [todayTitle] + todayLines,
            visitLines.isEmpty ? [] : ["Visits"] + visitLines,
            timeLines.isEmpty ? [] : ["Time"] + timeLines,
            ["Delivery"] + deliveryLines,
            alarms.isEmpty ? [] : ["Alarm"] + alarms.lines.map { row($0.name, $0.text) },
            ["Store  \(path)"],
        ]
        return Array(sections.filter { !$0.isEmpty }.joined(separator: [""]))
    }

    private var todayTitle: String {
        guard let date else { return "Since the device started, as nobody knows what day it is" }
        return "Today, \(date)"
    }

    private func toggleLines(_ style: TextStyle) -> [String] {
        toggles.map { toggle in
            let position = style.paint(pad(toggle.isOn ? "on" : "off", to: 3), toggle.isOn ? .green : .faint)
            let since = toggle.since.map { "  since \($0)" } ?? ""
            return row(toggle.domain.description, position + since + toggle.remark)
        }
    }

    private var todayLines: [String] {
        var lines = today.figures.map {
            row($0.figure.description, $0.value.text(as: $0.figure) + origin(of: $0.figure))
        }
        if let lastWindow {
            lines.append(row("last seen", (activity.map { "\($0), " } ?? "") + lastWindow.description))
        }
        return lines.isEmpty ? ["  nothing yet"] : lines
    }

    private var visitLines: [String] { visits.statusLines(on: date).map { row($0.name, $0.text) } }

    /// The source of a figure that has more than one, as text.
    private func origin(of type: Figure) -> String {
        type.otherSource == nil ? "" : ", from the \(today.source(of: type).device)"
    }

    private var timeLines: [String] {
        var lines: [String] = []
        if counts.waiting + counts.waitingEvents > 0 {
            lines.append(row("not dated yet", counts.text(counts.waiting, counts.waitingEvents)))
        }
        if counts.undated + counts.undatedEvents > 0 {
            let text = counts.text(counts.undated, counts.undatedEvents)
            lines.append(
                row("without a date", "\(text), never sent: the clock was not right while they were collected"))
        }
        if counts.late > 0 {
            lines.append(row("late", counts.text(counts.late, 0) + ", kept here: the record of their day may be sent"))
        }
        return lines
    }

    private var deliveryLines: [String] {
        var lines = [row("waiting", delivery.queuedText)]
        if delivery.queued > 0 {
            let until = wait?.until.map { ", until \($0)" } ?? ""
            let reason = wait.map { escapingControls($0.reason) } ?? "its hour or the next run; see anicca queue"
            lines.append(row("waits for", reason + until))
        }
        lines += [
            row("last attempt", delivery.lastAttempt?.description ?? "none yet"),
            row("last success", delivery.lastSuccess?.description ?? "none yet"),
        ]
        if let error = delivery.lastError {
            lines.append(row("last error", "\(delivery.lastErrorAt?.description ?? "") \(escapingControls(error))"))
        }
        if delivery.setAside > 0 { lines.append(row("set aside", "\(delivery.setAside), refused; see anicca queue")) }
        if delivery.dropped > 0 { lines.append(row("dropped", "\(delivery.dropped), too old")) }
        for sink in delivery.sinks where delivery.queuedErasures > 0 {
            guard let hold = sink.kindHolds[.erasure], hold.reason == .refusesErasure else { continue }
            lines.append(row("not erased", "\(hold.reason.text(sink.kind?.words ?? .server)); see anicca queue"))
        }
        for sink in delivery.sinks where sink.isPaused {
            let words = sink.kind?.words ?? .server
            lines.append(row("paused", "the \(words.receiver) refused the \(words.credentials); \(words.signIn)"))
        }
        return lines + sinkLines
    }

    /// One line for each sink where there is more than one.
    private var sinkLines: [String] {
        guard delivery.sinks.count > 1 else { return [] }
        return delivery.sinks.map { sink in
            var parts = ["last success " + (sink.lastSuccess?.description ?? "none yet")]
            if let error = sink.lastError { parts.append("last error " + escapingControls(error)) }
            if sink.setAside > 0 { parts.append("set aside \(sink.setAside)") }
            if sink.isPaused { parts.append("paused") }
            return row(sink.name, parts.joined(separator: ", "))
        }
    }

    private func row(_ name: String, _ value: String) -> String { "  \(pad(name, to: 18))\(value)" }
}

extension DeliveryStatus {
    /// `2 days, 1 event`, and requests to erase where there are any.
    var queuedText: String {
        let text = counted(queuedDays, "day") + ", " + counted(queuedEvents, "event")
        return queuedErasures == 0 ? text : text + ", " + counted(queuedErasures, "request") + " to erase"
    }
}

extension SinkStatus {
    /// The name of the sink; its number for one that this version does not know.
    fileprivate var name: String { kind?.name ?? "sink \(sink)" }
    fileprivate var kind: SinkKind? { SinkKind.all.first { $0.id == sink } }
}

extension UndatedCounts {
    /// `3 quarters of an hour, 1 event`.
    fileprivate func text(_ quarters: Int, _ events: Int) -> String {
        var parts: [String] = []
        if quarters > 0 { parts.append("\(quarters) \(quarters == 1 ? "quarter" : "quarters") of an hour") }
        if events > 0 { parts.append(counted(events, "event")) }
        return parts.joined(separator: ", ")
    }
}

extension TimeSource {
    /// For programs.
    var name: String {
        switch self {
        case .kernel: "kernel"
        case .hardwareClock: "hardware-clock"
        case .wearer: "wearer"
        case .receiver: "receiver"
        default: "source \(rawValue)"
        }
    }
}
