import Commands
import Core
import Domains
import Store
import System

/// Days of the wearer's clock (`[wearer] time-zone`), folded from the stored quarters of an hour. Records are of UTC days.
struct LocalDays {
    private let zone: LocalZone
    private let folds: [UTCDay: [ClosedDay.Entry]]
    /// Nil while no clock is trusted.
    let today: UTCDay?

    /// Such as `Days of the wearer's clock (Europe/Berlin)`.
    let title: String
    private let count: Int

    /// Nil without a time zone in the configuration.
    ///
    /// - Parameter count: the most days that have ended, the latest.
    init?(ended count: Int, _ ledger: Ledger, _ installation: Installation, at now: Instant) throws {
        guard let zone = installation.wearerZone else { return nil }
        let boot = try thisBoot()
        let session = try ledger.session(installation.settings, boot, now)
        let today = session.clock.map { zone.day(at: $0.time(at: now.boot).wall) }
        let last = today ?? UTCDay(containing: now.wall)
        // The wearer's days begin up to a day before or after those of UTC.
        let first = count > 0 ? min(last, try ledger.days(limit: count + 1).last?.day ?? last) : last
        var folds: [UTCDay: DayFold] = [:]
        for dated in try ledger.datedQuarters(
            of: first + -1...last + 1, knowing: session.boots, and: session.quarters)
        {
            guard let began = dated.began else { continue }
            let day = zone.day(at: began + dated.quarter.length / 2)
            folds[day, default: DayFold()].add(dated.quarter, began: began)
        }
        self.count = count
        title = "Days of the wearer's clock (\(installation.settings.wearerTimeZone ?? "UTC"))"
        self.zone = zone
        self.today = today
        self.folds = folds.mapValues { $0.figures(nil) }
    }

    /// The days with data that have ended, newest first.
    var ended: [UTCDay] {
        Array(folds.keys.filter { day in today.map { day < $0 } ?? true }.sorted { $0 > $1 }.prefix(count))
    }

    func figures(of day: UTCDay) -> [ClosedDay.Entry] { folds[day]?.filter { !$0.figure.tellsObserved } ?? [] }

    /// Whether the figure is that of a part of the day; false if the observed time is unknown.
    private func isOfPart(_ figure: Figure, _ day: UTCDay) -> Bool {
        guard let observed = folds[day]?.first(where: { $0.figure == figure.domain.observed }) else { return false }
        return .minutes(observed.value.number) < Coverage.whole
    }

    /// Whether a figure of an ended day is that of a part of it.
    var hasParts: Bool { ended.contains { day in figures(of: day).contains { isOfPart($0.figure, day) } } }

    func value(of figure: Figure, on day: UTCDay) -> FigureValue? {
        figures(of: day).first { $0.figure == figure }?.value
    }

    /// The figures of any ended day.
    ///
    /// - Parameter all: also those that are in no record.
    func types(all: Bool) -> [Figure] {
        Figure.shown.filter { type in (all || type.isSent) && ended.contains { value(of: type, on: $0) != nil } }
    }

    /// A row for each ended day, with these figures.
    func listing(all: Bool) -> Listing {
        let types = types(all: all)
        return Listing(
            ended.map { day in
                [Field("date", day, "date")]
                    + types.map { type in
                        let value = value(of: type, on: day)
                        return Field(
                            "\(type)", value?.json(as: type), type.words.heading, text(of: type, on: day), .right)
                    }
            })
    }

    /// With a mark if it is that of a part of the day; `-` without a value.
    private func text(of figure: Figure, on day: UTCDay) -> String {
        value(of: figure, on: day).map { text($0, figure) + mark(of: figure, on: day) } ?? "-"
    }

    func mark(of figure: Figure, on day: UTCDay) -> String { isOfPart(figure, day) ? "*" : "" }

    /// A time is that of the wearer's clock.
    func text(_ value: FigureValue, _ figure: Figure) -> String {
        guard figure.form == .time, figure.table == nil else { return value.text(as: figure) }
        return "\(ClockTime(minute: zone.minute(at: WallTime(secondsSinceEpoch: value.number))))"
    }
}

extension Installation {
    /// The zone of the wearer's clock; nil if the configuration names none.
    fileprivate var wearerZone: LocalZone? {
        guard let name = settings.wearerTimeZone else { return nil }
        if !LocalZone.choose(name) { tell("[wearer] time-zone \(LocalZone.isUnknown), so times are UTC") }
        return .ofSystem
    }
}
