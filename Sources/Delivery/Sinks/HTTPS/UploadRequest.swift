import Domains
import System
import Core

/// A request to the server: the path and the body (SPEC §6).
struct UploadRequest: Hashable {
    let path: String
    let body: JSONObject

    /// - Parameter settings: for the value of an event, such as the name of a place.
    init(_ content: SinkRecord.Content, userID: String, settings: DomainValues = DomainValues()) {
        switch content {
        case .day(let day, let figures, let quarters):
            body = .dailyRecord(userID: userID, day: day, figures: figures, quarters)
        case .event(let event): body = .nudge(event, settings)
        case .erasure(let figures, let events, let until):
            body = .erasure(userID: userID, figures: figures, events: events, until: until)
        }
        path = UploadRequest.path(of: content, in: body.utf8)
    }

    /// - Parameter body: the message, which an earlier run may have made with other settings.
    static func path(of content: SinkRecord.Content, in body: [UInt8]) -> String {
        switch content {
        case .day: body.starts(with: Self.deviceFirst) ? "/mobile/daily_quarters" : "/mobile/daily_metrics"
        case .event: "/nudge/trigger"
        case .erasure: "/mobile/erasure"
        }
    }

    /// The beginning of a record with quarters of an hour, and of no other.
    private static let deviceFirst = Array(#"{"device":"#.utf8)
}

extension JSONObject {
    /// The body of a daily record (SPEC §6), its figures in the order of `Figure`. Figures that are never sent are left
    /// out, and a missing figure has no member.
    static func dailyRecord(
        userID: String, day: UTCDay, figures: [Figure: FigureValue], _ quarters: DayQuarters? = nil
    ) -> JSONObject {
        var body = JSONObject()
        if let quarters { body.put("device", quarters.device) }
        body.put("userId", userID)
        body.put("date", day.description)
        body.put(figures: figures)
        if let quarters { body.put("quarters", quarters.json) }
        return body
    }

    /// Adds the figures that are sent, in the order of `Figure`, and the coverage.
    mutating func put(figures: [Figure: FigureValue]) {
        var coverage = JSONObject()
        for figure in Figure.all {
            guard let value = figures[figure] else { continue }
            if figure.isSent { put(figure: figure, value) }
            if figure.tellsObserved { coverage.put("\(figure.domain)", JSONObject(coverage: value)) }
        }
        if coverage != JSONObject() { put("coverage", coverage) }
    }

    /// The minutes of `Coverage.minutes`: the observed ones, and those lost for each reason that has some.
    private init(coverage value: FigureValue) {
        self.init()
        put("observed", value.number)
        for (loss, minutes) in Coverage.lost(in: value.numbers) where minutes > 0 {
            put("\(loss)", minutes)
        }
    }

    /// Adds a figure with the name and form of the daily record.
    public mutating func put(figure: Figure, _ value: FigureValue) {
        guard let table = figure.table else {
            if figure.form == .time {
                put(figure.description, WallTime(secondsSinceEpoch: value.number).description)
            } else {
                put(figure.description, value.number)
            }
            return
        }
        let rows = table.json(of: value)
        if !table.hasOneRow {
            put(figure.description, rows)
        } else if let row = rows.first {
            put(figure.description, row)
        }
    }

    /// Adds the value of an event.
    public mutating func put(_ value: Int32, of kind: EventKind, _ settings: DomainValues) {
        guard let member = kind.member else { return }
        switch member.content(value, settings) {
        case .number(let number): put(member.key, number)
        case .text(let text): put(member.key, text)
        case nil: break
        }
    }

    /// The body of an event (SPEC §6): the kind, the time, and the value.
    static func nudge(_ event: NudgeEvent, _ settings: DomainValues = DomainValues()) -> JSONObject {
        var payload = JSONObject()
        payload.put(event.value, of: event.kind, settings)
        var body = JSONObject()
        body.put("eventType", event.kind.description)
        body.put("eventPayload", payload)
        body.put("timestamp", event.at.description)
        return body
    }

    /// The body of a request to erase (docs/server.md).
    ///
    /// - Parameter userID: nil if the login identifies the account.
    static func erasure(
        userID: String? = nil, figures: [Figure], events: [EventKind], until: WallTime
    ) -> JSONObject {
        var body = JSONObject()
        if let userID { body.put("userId", userID) }
        body.put("until", until.description)
        body.put("figures", figures.map(\.description))
        body.put("events", events.map(\.description))
        return body
    }
}

extension FigureTable {
    /// An object for each row, with the columns as members.
    public func json(of value: FigureValue) -> [JSONObject] {
        rows(of: value).map { row in
            var object = JSONObject()
            for (number, column) in zip(row, columns) {
                switch column.form {
                case .number: object.put(column.name, number)
                case .optionalNumber: if number >= 0 { object.put(column.name, number) }
                case .time, .word: if let text = column.text(of: number) { object.put(column.name, text) }
                }
            }
            return object
        }
    }
}
