import Commands
import Delivery
import Domains
import Store
import Core

/// The wearer's last ended days, from the store.
struct Report {
    /// In order, without gaps; empty if nothing has been collected.
    var days: [ReportDay] = []
    /// The time of the report, by this machine's clock.
    var made: WallTime
    var delivery: DeliveryStatus
    /// The same period in days of the wearer's clock; nil without a time zone in the configuration.
    var local: LocalDays?
    /// The common wait of all records; nil if each has its own.
    var wait: QueueOutlook.Wait?

    /// The readable values of the figure for whole days.
    private func values(of figure: Figure) -> [Int64] {
        days.filter { !$0.isOfPart(figure) }.compactMap { $0.number(of: figure) }
    }

    /// Whether a figure is that of a part of its day.
    var hasParts: Bool { days.contains { day in day.figures.contains { day.isOfPart($0.figure) } } }

    /// The mean over the whole days with the figure, rounded; nil without any.
    func mean(of figure: Figure) -> Int64? {
        let values = values(of: figure)
        guard !values.isEmpty else { return nil }
        let count = Int64(values.count)
        return (values.reduce(0) { $0 + min($1, 1 << 48) } + count / 2) / count
    }

    /// The figures of any of the days, in order.
    var figures: [Figure] { Figure.shown.filter { figure in days.contains { $0.entry(of: figure) != nil } } }

    /// The number of days with figures or activity.
    var daysWithData: Int { days.count(where: \.hasData) }

    /// Such as `3 days, 2025-01-13 to 2025-01-15 (UTC), 2 with data`; nil without days.
    var period: String? {
        guard let first = days.first, let last = days.last else { return nil }
        let span = days.count == 1 ? "\(first.day)" : "\(first.day) to \(last.day)"
        return "\(counted(days.count, "day")), \(span) (UTC), \(daysWithData) with data"
    }

    /// The displayed means, and their names.
    var means: [(figure: Figure, words: String)] {
        Figure.shown.compactMap { figure in
            guard figure.form == .number, figure != .rawPulses, let mean = mean(of: figure) else { return nil }
            return (figure, figure.isTime ? "\(duration(mean)) \(figure.words.name)" : "\(mean) \(figure.words.name)")
        }
    }
}

/// A day of the report.
struct ReportDay {
    let day: UTCDay
    var figures: [HistoryDay.Entry] = []
    /// Nil if there is no record, or no longer one.
    var delivery: DayDelivery?
    /// 96, from midnight on.
    var states: [QuarterState] = []
    /// 24, from midnight on.
    var steps: [Int64] = []
    /// 96, from noon of the day before on: whether the wearer was asleep for most of it.
    var night: [Bool] = []
    var visits: [VisitReport.Row] = []

    func entry(of figure: Figure) -> HistoryDay.Entry? { figures.first { $0.figure == figure } }

    /// Nil if it is missing or does not open.
    func number(of figure: Figure) -> Int64? { entry(of: figure)?.value?.number }

    /// Whether the figure is that of a part of the day, and is marked.
    func isOfPart(_ figure: Figure) -> Bool { figures.isOfPart(figure) }

    var hasData: Bool {
        figures.contains { !$0.figure.tellsObserved } || states.contains { $0 != .off && $0 != .noData }
    }

    /// The number of quarters of an hour with the state.
    func quarters(_ state: QuarterState) -> Int { states.count { $0 == state } }

    /// Such as `Mon 13 Jan`.
    var name: String {
        let date = CivilDate(day)
        let weekday = Int(((day.daysSinceEpoch + 3) % 7 + 7) % 7)
        return "\(Self.weekdays[weekday]) \(date.day) \(Self.months[Int(date.month) - 1])"
    }

    private static let weekdays = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
}

extension Figure {
    /// Whether it is an amount of time.
    var isTime: Bool { form == .number && unit == .minutes }
}

extension DayDelivery? {
    /// The state of the record, in a word or two.
    var word: String {
        switch self {
        case nil: "–"
        case .queued: "waiting"
        case .delivered: "sent"
        case .setAside: "set aside"
        case .withheld: "withheld"
        case .incomplete: "incomplete"
        }
    }
}

/// Such as `7 h 05 min`.
func duration(_ minutes: Int64) -> String {
    let rest = minutes % 60
    return minutes < 60 ? "\(minutes) min" : "\(minutes / 60) h \(rest < 10 ? "0" : "")\(rest) min"
}

/// Such as `07:15`, of a quarter of an hour of a day; the 97th begins at 24:00.
func clock(ofQuarter quarter: Int) -> String { "\(ClockTime(minute: quarter * 15))" }
