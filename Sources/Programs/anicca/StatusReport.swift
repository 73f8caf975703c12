import Commands
import Domains
import Delivery
import System
import Store
import Sensing
import Core

/// The content of `anicca status`.
struct StatusReport {
    struct Toggle {
        let domain: Domain
        let isOn: Bool
        /// The time of the last change; nil for none.
        let since: WallTime?
        /// The stored status; the hardware is not checked.
        let status: PermissionStatus
        /// Whether it is on, but waits for its device.
        let isSuspended: Bool
        /// The domains that it needs and that are not collected, while it is on.
        let awaited: [Domain]

        /// A remark after its position, for people; empty if all is well.
        fileprivate var remark: String {
            if isSuspended { return "  suspended: its device is missing" }
            if !awaited.isEmpty { return "  waits for \(listed(awaited.map(\.description)))" }
            if status == .authorized { return "" }
            if status == .unsupported, !domain.isCollected { return "  \(status), \(PermissionReport.notCollected)" }
            return "  \(status)"
        }
    }

    private let toggles: [Toggle]
    /// Nil while the date is unknown; `today` then counts from the start of the device.
    private let date: UTCDay?
    private let today: ClosedDay
    private let clock: TrustedClock?
    private let counts: UndatedCounts
    /// The activity; nil while motion is off, because samples read for steps alone are not shown as activity.
    private let activity: String?
    private let delivery: DeliveryStatus
    /// The common wait of all queued records; nil if each has its own.
    private let wait: QueueOutlook.Wait?
    private let path: String
    /// The sections of domain pages, after today's figures and after the delivery.
    private let ofToday, others: [Section]
    private let head: StatusHead
    /// Nil without `[wearer] time-zone`.
    private let local: LocalDays?
    private let timeZone: String?
    /// Days with lost data.
    private let lacking: [(day: UTCDay, domains: DomainSet)]

    init(_ ledger: Ledger, _ installation: Installation) throws {
        let (settings, now, boot) = (installation.settings, Instant.now, try thisBoot())
        let session = try ledger.session(settings, boot, now)
        let today = try TodayReport(ledger, session, boot, at: now)
        let consent = try ledger.consent()
        let on = consent.state.toggles
        toggles = Domain.all.map { domain in
            Toggle(
                domain: domain, isOn: on.allows(domain), since: consent.toggledAt(domain),
                status: consent.state.status(of: domain), isSuspended: consent.state.isSuspended(domain),
                awaited: consent.state.awaited(by: domain))
        }
        date = today.day
        self.today = ClosedDay(
            day: today.day ?? UTCDay(containing: now.wall),
            figures: today.figures.filter { on.allows($0.figure.domain) && !$0.figure.tellsObserved })
        clock = session.clock
        counts = try ledger.undatedCounts()
        let seen = session.isWorn ? session.verdict.activity.description : "not worn"
        activity = on.allows(.motion) ? seen : nil
        delivery = try ledger.deliveryStatus()
        let outlook = try installation.outlook(of: ledger)
        wait = outlook.common
        path = ledger.path
        let moment = StatusMoment(ledger: ledger, settings: settings, now: now, day: today.day)
        ofToday = try Page.all.compactMap { try $0.today(moment) }
        others = try Page.all.compactMap { try $0.status(moment) }
        head = try StatusHead(ledger, installation, session, outlook, at: now)
        lacking = try ledger.lackingDays()
        local = try LocalDays(ended: 0, ledger, installation, at: now)
        timeZone = settings.wearerTimeZone
    }
}

extension StatusReport {
    func sections(_ style: TextStyle) -> [Section] {
        [
            head.section,
            Section(
                "toggles", "Allowed",
                toggles.flatMap { toggle in
                    [
                        Field(toggle.domain.description, json(of: toggle)),
                        Field(label: toggle.domain.description, painted: text(of: toggle, style)),
                    ]
                }),
            Section("today", todayTitle, todayFields), localSection,
        ].compactMap(\.self) + ofToday + [timeSection, Section("delivery", "Delivery", deliveryFields)] + others
            + [Section(nil, "Store  \(path)", [Field("store", path)])]
    }

    private func json(of toggle: Toggle) -> JSONObject {
        let why = head.suspensions.first { $0.domain == toggle.domain }
        return JSONObject(
            ("on", toggle.isOn), ("status", toggle.status.description), ("suspended", toggle.isSuspended ? true : nil),
            ("waitsFor", toggle.awaited.isEmpty ? nil : toggle.awaited), ("reason", why?.reason),
            ("advice", why?.advice), ("since", toggle.since))
    }

    private func text(of toggle: Toggle, _ style: TextStyle) -> String {
        let position = style.paint(pad(toggle.isOn ? "on" : "off", to: 3), toggle.isOn ? .green : .faint)
        return position + (toggle.since.map { "  since \($0)" } ?? "") + toggle.remark
    }

    private var todayTitle: String {
        guard let date else { return "Since the device started; the date is unknown" }
        return "Today, \(date)"
    }

    private var todayFields: [Field] {
        let isEmpty = today.figures.isEmpty && head.lastWindow == nil
        return [Field("date", date), Field(label: isEmpty ? "nothing yet" : "", isEmpty ? "" : nil)]
            + today.figures.map { entry in
                let value = entry.value.json(as: entry.figure)
                return Field(
                    entry.figure.description, value, entry.figure.description,
                    entry.value.text(as: entry.figure) + origin(of: entry.figure))
            }
            + today.figures.compactMap { entry in
                entry.figure.otherSource.map { Field($0.key, today.source(of: entry.figure).name) }
            }
            + [
                Field(
                    "lastWindow", head.lastWindow, "last seen",
                    head.lastWindow.map { (activity.map { "\($0), " } ?? "") + $0.description }),
                Field("activity", head.lastWindow == nil ? nil : activity),
            ]
    }

    /// The source, as text, of a figure with more than one.
    private func origin(of type: Figure) -> String {
        type.otherSource == nil ? "" : ", from the \(today.source(of: type).device)"
    }

    /// The figures of the wearer's day so far, which have no record.
    private var localSection: Section? {
        guard let local, let day = local.today else { return nil }
        let figures = local.figures(of: day).filter { entry in
            toggles.contains { $0.domain == entry.figure.domain && $0.isOn }
        }
        return Section(
            "localDay", "The wearer's day, \(day) in \(timeZone ?? "")",
            [
                Field("date", day), Field("timeZone", timeZone),
                Field(label: figures.isEmpty ? "nothing yet" : "", figures.isEmpty ? "" : nil),
            ]
                + figures.map { entry in
                    Field(
                        entry.figure.description, entry.value.json(as: entry.figure), entry.figure.description,
                        local.text(entry.value, entry.figure))
                })
    }

    private var timeSection: Section {
        Section(
            "time", "Time",
            [
                Field("trusted", clock != nil), Field("source", clock?.source.name),
                Field(
                    "waitingQuarters", counts.waiting, "not dated yet",
                    counts.text(counts.waiting, counts.waitingEvents)),
                Field(
                    "undatedQuarters", counts.undated, "without a date",
                    counts.text(counts.undated, counts.undatedEvents).map {
                        "\($0), never sent: the clock was not synchronised while they were collected"
                    }),
                Field(
                    "lateQuarters", counts.late, "late",
                    counts.text(counts.late, 0).map {
                        "\($0), kept here: the record of their day may have been sent already"
                    }),
                Field("waitingEvents", counts.waitingEvents), Field("undatedEvents", counts.undatedEvents),
            ])
    }

    private var deliveryFields: [Field] {
        let (setAside, dropped) = (delivery.setAside, delivery.dropped)
        let waits = wait?.text ?? "its due time or the next run; see anicca queue"
        return [
            Field(label: "waiting", delivery.queuedText), Field("queuedDays", delivery.queuedDays),
            Field("queuedEvents", delivery.queuedEvents), Field("queuedErasures", delivery.queuedErasures),
            Field("setAside", setAside), Field("dropped", dropped), Field("paused", delivery.isPaused),
            Field("waitsFor", wait?.reason, "waits for", delivery.queued > 0 ? waits : nil),
            Field("until", wait?.until),
            Field("lastAttempt", delivery.lastAttempt, "last attempt", delivery.lastAttempt?.description ?? "none yet"),
            Field("lastSuccess", delivery.lastSuccess, "last success", delivery.lastSuccess?.description ?? "none yet"),
            Field(
                "lastError", delivery.lastError, "last error",
                delivery.lastError.map { "\(delivery.lastErrorAt?.description ?? "") \($0)" }),
            Field("lastErrorAt", delivery.lastErrorAt), Field("next", head.nextJSON),
            Field(label: "set aside", setAside > 0 ? "\(setAside), refused; see anicca queue" : nil),
            Field(label: "dropped", dropped > 0 ? "\(dropped), too old" : nil),
            Field(
                "incompleteDays",
                lacking.isEmpty
                    ? nil
                    : lacking.map { JSONObject(("date", $0.day), ("lacking", Domain.all.filter($0.domains.allows))) }),
            Field(label: "not sent", lacking.last.map(Self.text)),
        ] + delivery.sinks.map(notErased) + delivery.sinks.map(paused)
            + (delivery.sinks.count > 1 ? delivery.sinks.map { Field(label: $0.name, $0.text) } : [])
            + [Field("sinks", JSONObject(delivery.sinks.map { ($0.name, $0.json) }))]
    }

    private static func text(_ day: UTCDay, _ domains: DomainSet) -> String {
        let names = Domain.all.filter(domains.allows).filter { $0.figures.contains(where: \.isSent) }
        return
            "\(names.map(\.description).joined(separator: ", ")) of \(day), as a part was lost; see anicca why \(day)"
    }

    private func notErased(_ sink: SinkStatus) -> Field {
        let hold = sink.log.kindHolds[.erasure].flatMap { $0.reason == .refusesErasure ? $0 : nil }
        let text = hold.map { "\($0.reason.text(sink.words)); see anicca queue" }
        return Field(label: "not erased", delivery.queuedErasures > 0 ? text : nil)
    }

    private func paused(_ sink: SinkStatus) -> Field {
        let words = sink.words
        let text = "the \(words.receiver) refused the \(words.credentials); \(words.signIn)"
        return Field(label: "paused", sink.log.isPaused ? text : nil)
    }
}

extension DeliveryStatus {
    /// `2 days, 1 event`, with requests to erase if there are any.
    var queuedText: String {
        let text = counted(queuedDays, "day") + ", " + counted(queuedEvents, "event")
        return queuedErasures == 0 ? text : text + ", " + counted(queuedErasures, "request") + " to erase"
    }
}

extension SinkStatus {
    /// The name of the sink; its number if this version does not know it.
    fileprivate var name: String { kind?.name ?? "sink \(sink)" }
    private var kind: SinkKind? { SinkKind.all.first { $0.id == sink } }
    fileprivate var words: SinkWords { kind?.words ?? .server }

    fileprivate var json: JSONObject {
        JSONObject(
            ("lastAttempt", log.lastAttempt), ("lastSuccess", log.lastSuccess), ("lastError", log.lastError),
            ("setAside", setAside), ("paused", log.isPaused))
    }

    /// On one line.
    fileprivate var text: String {
        let error = log.lastError.map { ", last error \($0)" } ?? ""
        let aside = setAside > 0 ? ", set aside \(setAside)" : ""
        let paused = log.isPaused ? ", paused" : ""
        return "last success \(log.lastSuccess?.description ?? "none yet")\(error)\(aside)\(paused)"
    }
}

extension UndatedCounts {
    /// `3 quarters of an hour, 1 event`; nil if both are zero.
    fileprivate func text(_ quarters: Int, _ events: Int) -> String? {
        let parts = [
            quarters > 0 ? counted(quarters, "quarter") + " of an hour" : nil,
            events > 0 ? counted(events, "event") : nil,
        ]
        return quarters + events > 0 ? parts.compactMap(\.self).joined(separator: ", ") : nil
    }
}
