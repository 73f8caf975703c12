import Core

/// Adds up reports of the paired phone, and raises an event once a UTC day for each threshold reached (SPEC §8).
///
/// Reports overlap, repeat, arrive out of order and may be about yesterday: the time covered by at least one of them
/// counts.
struct ScreenTimeCollector: Collector {
    /// Yesterday and today, if there was use.
    private var days: [UsedDay] = []
    /// Nil before collection began.
    private var beginning: Beginning?
    /// In minutes, ascending.
    private let thresholds: [UInt8]
    private let count: ScreenTimeSettings.Count

    /// The time of the wearer's agreement: earlier use does not count.
    private enum Beginning: Equatable {
        /// In this boot, at a time without a date so far.
        case undated(BootTime)
        case dated(WallTime)

        func date(by clock: TrustedClock) -> WallTime {
            switch self {
            case .undated(let time): clock.time(at: time).wall
            case .dated(let time): time
            }
        }
    }

    init(_ settings: DomainValues) {
        let settings = settings[ScreenTimeSettings.self]
        thresholds = (settings.warnsEarly ? [25] : []) + [30, 60]
        count = settings.count
    }

    mutating func handle(_ input: CollectorInput, at now: BootTime) -> [CollectorEffect] {
        switch input {
        case .began:
            beginning = beginning ?? .undated(now)
            return []
        case .reports(let reports, let clock): return take(reports, clock, at: now)
        default: return []
        }
    }

    private mutating func take(
        _ reports: [CompanionReport], _ clock: TrustedClock, at now: BootTime
    ) -> [CollectorEffect] {
        let today = clock.time(at: now).day
        days.removeAll { !(today + -1...today.next).contains($0.day) }
        let began = (beginning ?? .undated(now)).date(by: clock)
        beginning = .dated(began)
        var effects: [CollectorEffect] = []
        for report in reports where report.used.upperBound >= began {
            if report.used.isEmpty {
                // A report of no use makes the figure zero.
                effects.append(.add(.one(0, at: clock.boot(at: report.used.upperBound)), to: .socialMinutes))
            }
            let used = max(report.used.lowerBound, began)..<report.used.upperBound
            for day in [today + -1, today, today.next] { effects += add(used, to: day, clock) }
        }
        return effects.isEmpty ? [] : effects + [.storeSoon]
    }

    private mutating func add(_ used: Range<WallTime>, to day: UTCDay, _ clock: TrustedClock) -> [CollectorEffect] {
        guard used.lowerBound < day.end, day.start < used.upperBound else { return [] }
        let index = days.firstIndex { $0.day == day } ?? days.count
        if index == days.count { days.append(UsedDay(day)) }
        let effects: [CollectorEffect] = days[index].add(used).map {
            .add(.time(from: clock.boot(at: $0.lowerBound), to: clock.boot(at: $0.upperBound)), to: .socialMinutes)
        }
        // A session can go on over midnight.
        return effects + raise(on: day, clock) + raise(on: day.next, clock)
    }

    /// The events of the thresholds that are newly reached on a day.
    private mutating func raise(on day: UTCDay, _ clock: TrustedClock) -> [CollectorEffect] {
        guard let index = days.firstIndex(where: { $0.day == day }) else { return [] }
        let before = days.first { $0.day == day + -1 }
        var effects: [CollectorEffect] = []
        for minutes in thresholds where !days[index].told.contains(minutes) {
            let reached =
                switch count {
                case .day: days[index].reached(minutes: minutes)
                case .session: days[index].reached(minutes: minutes, inSessionAfter: before)
                }
            guard let reached else { break }
            days[index].told.append(minutes)
            effects.append(
                .raise(.socialThresholdExceeded, value: Int32(minutes), at: clock.boot(at: reached)))
        }
        return effects
    }

    // MARK: State

    func pack(into packer: inout Packer) {
        switch beginning {
        case nil: packer.put(UInt8(0))
        case .undated(let time):
            packer.put(UInt8(1))
            packer.put(time)
        case .dated(let time):
            packer.put(UInt8(2))
            packer.put(time.nanoseconds)
        }
        packer.put(UInt8(days.count))
        for day in days { day.pack(into: &packer) }
    }

    mutating func unpack(
        from unpacker: inout Unpacker, version: UInt8, times: RestoredTimes
    ) throws(Unpacker.Malformed) {
        switch try unpacker.take(UInt8.self) {
        case 0: beginning = nil
        case 1:
            let time = try unpacker.takeTime(times)
            if times.shift == .zero && !times.isBroken {
                beginning = .undated(time)
            } else {
                // By the clock of the earlier boot. Without a date, it may be longer ago than it seems, but not less.
                beginning = times.wall(at: time).map(Beginning.dated) ?? .undated(times.now)
            }
        case 2: beginning = .dated(try unpacker.takeWallTime())
        default: throw Unpacker.Malformed()
        }
        days = []
        for _ in 0..<(try unpacker.take(UInt8.self)) {
            let day = try UsedDay(from: &unpacker)
            guard days.count < 3, !days.contains(where: { $0.day == day.day }) else { throw Unpacker.Malformed() }
            days.append(day)
        }
    }
}
