import Core

/// Adds up reports of the paired phone, and raises an event once a UTC day for each threshold reached (SPEC §8).
///
/// Reports overlap, repeat, arrive out of order and may be about yesterday: the time covered by at least one of them
/// counts.
struct ScreenTimeCollector: Collector {
    /// Yesterday and today, if there was use.
    private var days: [UsedDay] = []
    /// Earlier use does not count.
    private var start = CollectionStart()
    /// In minutes, ascending.
    private let thresholds: [UInt8]
    private let count: ScreenTimeSettings.Count

    init(_ settings: DomainValues) {
        let settings = settings[ScreenTimeSettings.self]
        thresholds = (settings.warnsEarly ? [25] : []) + [30, 60]
        count = settings.count
    }

    mutating func handle(_ input: CollectorInput, at now: BootTime) -> [CollectorEffect] {
        switch input {
        case .began:
            start.begin(at: now)
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
        let began = start.date(by: clock, at: now)
        var effects: [CollectorEffect] = []
        for case .use(let use) in reports where use.upperBound >= began {
            if use.isEmpty {
                // A report of no use makes the figure zero.
                effects.append(.add(.one(0, at: clock.boot(at: use.upperBound)), to: .socialMinutes))
            }
            let used = max(use.lowerBound, began)..<use.upperBound
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
        start.pack(into: &packer)
        packer.put(UInt8(days.count))
        for day in days { day.pack(into: &packer) }
    }

    mutating func unpack(
        from unpacker: inout Unpacker, version: UInt8, times: RestoredTimes
    ) throws(Unpacker.Malformed) {
        try start.unpack(from: &unpacker, times)
        days = []
        for _ in 0..<(try unpacker.take(UInt8.self)) {
            let day = try UsedDay(from: &unpacker)
            guard days.count < 3, !days.contains(where: { $0.day == day.day }) else { throw Unpacker.Malformed() }
            days.append(day)
        }
    }
}
