import Commands
import Domains
import Delivery
import System
import Store
import Core

/// The content of `anicca why`.
struct WhyReport {
    let explanation: DayExplanation
    let delivery: DayDelivery?
    /// The reason why its record waits; nil if none waits.
    let wait: QueueOutlook.Wait?
    /// The waiting requests to erase that concern the day.
    let erasures: [(name: String, wait: QueueOutlook.Wait)]
    let omissions: [DayOmission]
    let coverage: CoverageReport
    /// Changes of toggles and devices on the day.
    let changes: [ConsentEntry]
    let counts: UndatedCounts
    /// The wear time, if it was too short for a record.
    let shortWear: Interval?
    private let leastWear: Interval

    init(of day: UTCDay, _ ledger: Ledger, _ installation: Installation) throws {
        let rule = installation.settings.days
        let now = Instant.now
        let session = try ledger.session(installation.settings, thisBoot(), now)
        explanation = try ledger.explanation(of: day, rule, knowing: session.boots, and: session.quarters)
        let outlook = try installation.outlook(of: ledger)
        let items = try ledger.undelivered()
        let item = items.first { item in
            if case .day(day, _) = item.content { true } else { false }
        }
        wait = item.map(outlook.wait)
        erasures = items.compactMap { item in
            guard case .erasure(_, let until) = item.content, day < UTCDay(containing: until) else { return nil }
            return (item.name, outlook.wait(of: item))
        }
        delivery = try ledger.dayDeliveries()[day]
        counts = try ledger.undatedCounts()
        let time = session.clock?.time(at: now.boot).wall
        coverage = try CoverageReport(
            of: explanation, by: CoverageReader(ledger, knowing: session.boots(until: now)), until: time)
        omissions = DayOmission.all(
            of: explanation, guessing: coverage.unknown, until: time.map { min($0, day.end) } ?? day.end)
        changes = try ledger.readableTrail().entries
            .filter { UTCDay(containing: $0.at) == day && $0.change.isOfCollecting }
        leastWear = rule.leastWear
        let isShort = explanation.figures != explanation.figuresUnworn
        shortWear = isShort ? explanation.wear : nil
    }

    var isEmpty: Bool { explanation.parts.isEmpty && explanation.stored.isEmpty }

    /// The figures of the daily record with their values; nil for a figure that is left out.
    var figures: [(figure: Figure, value: FigureValue?)] {
        Figure.all.filter(\.isInRecord).compactMap { figure in
            let value = explanation.figures.first { $0.figure == figure }?.value
            let isThere = explanation.figuresUnworn.contains { $0.figure == figure } || recorded(figure) != nil
            return isThere ? (figure, value) : nil
        }
    }

    /// The stored figure of the day, once it has ended.
    func recorded(_ figure: Figure) -> FigureValue? { explanation.stored.first { $0.figure == figure }?.value }
}

extension ConsentChange {
    fileprivate var isOfCollecting: Bool {
        switch self {
        case .toggle, .obstacle, .forgotten: true
        case .answer, .part, .unknown: false
        }
    }
}

extension DayExplanation {
    /// The wear time; nil if unknown.
    fileprivate var wear: Interval? { figuresUnworn.first(where: \.figure.tellsWear).map { time(of: $0.figure) } }
}

// MARK: - For programs

extension WhyReport {
    var json: JSONObject {
        JSONObject(
            ("date", explanation.day), ("state", explanation.state.rawValue), ("whole", explanation.lost.isEmpty),
            ("erasures", erasures.isEmpty ? nil : erasures.map(\.name)), ("delivery", delivery?.name),
            ("waitsFor", wait?.reason), ("until", wait?.until),
            ("figures", figures.map { self.json(of: $0.figure, $0.value) }),
            ("quarters", explanation.quarters.inOrder.map(\.json)), ("coverage", coverage.json),
            ("leftOut", omissions.map(\.json)), ("changes", changes.map(\.json)), ("waitingQuarters", counts.waiting),
            ("undatedQuarters", counts.undated))
    }

    private func json(of figure: Figure, _ value: FigureValue?) -> JSONObject {
        let quarters = explanation.quarters(of: figure).map { JSONObject([("began", $0.began), $0.member(figure)]) }
        return JSONObject(
            ("figure", figure), ("unit", figure.unitName), ("value", value?.json(as: figure)),
            ("recorded", recorded(figure)?.json(as: figure)),
            ("lacking", explanation.lost.allows(figure.domain) ? true : nil), ("quarters", quarters))
    }
}

// MARK: - For people

extension WhyReport {
    /// At most 80 columns wide, unless `all` asks for more.
    ///
    /// - Parameter all: every column of the quarters, also those that do not fit beside the figures of the record.
    func lines(all: Bool) -> [String] {
        var columns = Figure.shown.filter { figure in
            explanation.quarters.contains { ($0.amount(of: figure) ?? 0) != 0 }
        }
        var others: [String] = []
        var table = table(of: columns)
        while !all, table.width > Self.width, let last = columns.lastIndex(where: { !$0.isInRecord }) {
            others.append(columns.remove(at: last).words.heading)
            table = self.table(of: columns)
        }
        let quarters =
            explanation.quarters.inOrder.isEmpty
            ? ["its quarters of an hour are not stored any more"]
            : table.lines(within: all ? Screen.width : Self.width)
        let more = others.isEmpty ? [] : ["", "with --all also: \(others.reversed().joined(separator: ", "))"]
        let sections = [
            ["\(explanation.day) (UTC): \(stateText)"], figureLines, quarters + more, coverage.lines,
            leftOutLines.isEmpty ? [] : ["Left out"] + leftOutLines, erasureLines,
        ]
        let lines = Array(sections.filter { !$0.isEmpty }.joined(separator: [""]))
        return all ? lines : lines.flatMap { fitted($0, to: Self.width) }
    }

    private static let width = 80

    private func table(of columns: [Figure]) -> Table {
        var table = Table([("quarter", .left)] + columns.map { ($0.words.heading, .right) })
        for row in explanation.quarters.inOrder { table.add([clock(row.began)] + columns.map { row.text(of: $0) }) }
        return table
    }

    private var stateText: String {
        let state =
            switch explanation.state {
            case .open: "not closed yet"
            case .closed, .final: "closed"
            }
        var parts = [state]
        switch delivery {
        case nil: parts.append(explanation.state == .open ? "no record yet" : "there is no record to send")
        case .queued:
            parts.append("its record waits" + (wait.map { " for " + escapingControls($0.text) } ?? ""))
        case .delivered: parts.append("its record is sent")
        case .setAside(let error): parts.append("its record is set aside: \(escapingControls(error))")
        case .withheld: parts.append("its record is withheld, as its domains were turned off")
        case .incomplete: parts.append("a part of it was lost, so it is not sent")
        }
        return parts.joined(separator: ", ")
    }

    private var erasureLines: [String] {
        erasures.map { "The server must still \($0.name); this waits for \(escapingControls($0.wait.text))" }
    }

    private var figureLines: [String] {
        figures.map { figure, value in
            let text = value?.text(as: figure) ?? "left out"
            var line = "\(pad(figure.description, to: 16))  \(text), \(origin(of: figure))"
            if explanation.state != .open, recorded(figure) != value {
                line += "; the day has \(recorded(figure)?.text(as: figure) ?? "none")"
            }
            if explanation.lost.allows(figure.domain) { line += "; not sent, as a part of it was lost" }
            return line
        }
    }

    private func origin(of figure: Figure) -> String {
        let quarters = explanation.quarters(of: figure)
        guard let first = quarters.first, let last = quarters.last else { return "from no quarter" }
        if quarters.count == 1 { return "from the quarter at \(clock(first.began))" }
        return "from \(quarters.count) quarters, \(clock(first.began)) to \(clock(last.began))"
    }

    private var leftOutLines: [String] {
        var lines = omissions.map { "  \($0.span)  \($0.reason)" }
        for entry in changes {
            let (what, from, to) = entry.change.words
            lines.append("  \(clock(entry.at))           \(what): \(from), then \(to), by the \(entry.by)")
        }
        if let shortWear {
            lines.append(
                "  worn for \(shortWear.inMinutes) min, less than \(leastWear.inMinutes): nothing that needs wear is sent"
            )
        }
        if counts.waiting + counts.undated > 0 {
            lines.append(
                "  \(counts.waiting) quarters of an hour wait for a date, \(counts.undated) will have none: "
                    + "they may be of this day")
        }
        return lines
    }
}

/// The hour and minute in UTC.
func clock(_ time: WallTime?) -> String {
    guard let time else { return "??:??" }
    return "\(ClockTime(minute: Int((time - UTCDay(containing: time).start).inMinutes)))"
}
