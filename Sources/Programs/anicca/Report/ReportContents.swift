import Commands
import Config
import Domains
import Store
import System
import Core
import Sensing

/// Reads the report from the store, without changing it.
struct ReportContents {
    private let installation: Installation
    private let ledger: Ledger
    private let now = Instant.now
    /// Nil while no clock is trusted.
    private let today: UTCDay?

    init(_ installation: Installation) throws {
        self.installation = installation
        ledger = try installation.openStore(showing: Domain.all)
        let now = now
        today = try installation.knownClock(of: ledger, at: now)?.time(at: now.boot).day
    }

    /// - Parameter count: the most days.
    func report(of count: Int) throws -> Report {
        try ledger.tellIfUntrusted()
        let boot = try thisBoot()
        let wait = try installation.outlook(of: ledger).common
        var report = Report(made: now.wall, delivery: try ledger.deliveryStatus(), wait: wait)
        report.local = try LocalDays(ended: count, ledger, installation, at: now)
        let visits = try VisitReport(ledger, installation.settings.location)
        let history = try ledger.days(limit: count)
        guard let period = period(of: count, history.map(\.day) + visits.latestDays) else { return report }
        let deliveries = try ledger.dayDeliveries()
        // A night begins on the day before.
        let amounts = try amounts(boot, of: period.lowerBound + -1...period.upperBound)
        let motion = try motionTimes()
        var day = period.lowerBound
        while day <= period.upperBound {
            report.days.append(
                ReportDay(
                    day: day, figures: history.first { $0.day == day }?.figures ?? [], delivery: deliveries[day],
                    states: amounts.states(of: day, motion), steps: amounts.steps(of: day),
                    night: amounts.night(before: day), visits: visits.rows(of: day)))
            day = day.next
        }
        return report
    }

    /// The days up to yesterday or, if none of them has data, up to the last day with data. Never before the first day
    /// with data.
    private func period(of count: Int, _ stored: [UTCDay]) -> ClosedRange<UTCDay>? {
        let known = stored.filter { day in today.map { day < $0 } ?? true }
        guard let latest = known.max() else { return nil }
        let yesterday = today.map { $0 + -1 } ?? latest
        let last = latest > yesterday + -count ? yesterday : latest
        let first = last + (1 - count)
        return max(first, known.filter { $0 >= first }.min() ?? last)...last
    }

    /// The collected data of these days by quarter of an hour, independent of later consent.
    private func amounts(_ boot: BootID, of days: ClosedRange<UTCDay>) throws(LedgerError) -> CollectedAmounts {
        let session = try ledger.session(installation.settings, boot, now)
        var amounts = CollectedAmounts()
        for quarter in try ledger.datedQuarters(of: days, knowing: session.boots, and: session.quarters) {
            amounts.add(quarter)
        }
        return amounts
    }

    private func motionTimes() throws(LedgerError) -> MotionTimes {
        let trail = try ledger.readableTrail()
        let turns = trail.entries.compactMap { entry -> (at: WallTime, isOn: Bool)? in
            guard case .toggle(.motion, _, let isOn) = entry.change else { return nil }
            return (entry.at, isOn)
        }
        return MotionTimes(turns, isUncertain: !trail.unreadable.isEmpty)
    }
}

/// All amounts, by day and quarter of an hour.
struct CollectedAmounts {
    static let quartersOfDay = 96
    private var days: [UTCDay: [Int: QuarterAmounts]] = [:]

    /// A quarter that does not coincide with one of the clock counts as the one that contains its middle; a quarter
    /// without a date is left out.
    mutating func add(_ dated: DatedQuarter) {
        guard let day = dated.day, let began = dated.began else { return }
        let middle = began + dated.quarter.length / 2
        let index = Int((middle - day.start).inMinutes / QuarterHour.length.inMinutes)
        days[day, default: [:]][min(max(index, 0), Self.quartersOfDay - 1), default: QuarterAmounts()]
            .add(dated.quarter)
    }

    func states(of day: UTCDay, _ motion: MotionTimes) -> [QuarterState] {
        (0..<Self.quartersOfDay).map { index in
            if let state = days[day]?[index]?.state { return state }
            let middle = day.start + QuarterHour.length * Int64(index) + QuarterHour.length / 2
            return motion.isOff(at: middle) ? .off : .noData
        }
    }

    func steps(of day: UTCDay) -> [Int64] {
        (0..<24).map { hour in
            (0..<4).reduce(0) { $0 + (days[day]?[hour * 4 + $1]?.steps ?? 0) }
        }
    }

    func night(before day: UTCDay) -> [Bool] {
        let half = Self.quartersOfDay / 2
        return (half..<2 * half).map { days[day + -1]?[$0]?.isAsleep ?? false }
            + (0..<half).map { days[day]?[$0]?.isAsleep ?? false }
    }
}
