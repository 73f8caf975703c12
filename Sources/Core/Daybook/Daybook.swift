import Consent
import Quantities

/// A day that has ended, with every figure that was collected on it.
public struct ClosedDay: Equatable, Sendable {
    public let day: UTCDay
    /// In the order of `SampleType`; a figure without data is absent.
    public let figures: [Figure]

    public struct Figure: Equatable, Sendable {
        public let type: SampleType
        public let value: Int64

        public init(_ type: SampleType, _ value: Int64) {
            self.type = type
            self.value = value
        }
    }

    public init(day: UTCDay, figures: [Figure]) {
        self.day = day
        self.figures = figures
    }
}

/// Folds what was judged into one record per UTC day (SPEC §3, §4, §6), cut at 00:00 UTC.
///
/// A figure exists once its domain was observed on the day, even if it stayed zero; a day without any
/// observation leaves no record.
public struct Daybook: Sendable {
    private let mostStepsPerDay: Int64
    private var stationary = DayTally()  // nanoseconds
    private var steps = DayTally()
    private var rawPulses = DayTally()

    public init(mostStepsPerDay: Int32 = 150_000) { self.mostStepsPerDay = Int64(mostStepsPerDay) }

    /// Notes that a domain is being collected at `time`, so that its figure exists even when nothing happens.
    public mutating func observe(_ domain: Domain, at time: WallTime) {
        let day = UTCDay(containing: time)
        switch domain {
        case .motion: stationary.add(0, on: day)
        case .steps:
            steps.add(0, on: day)
            rawPulses.add(0, on: day)
        case .sleep, .screenTime, .location, .alarm: break
        }
    }

    /// Adds time spent stationary, worn and awake: nanoseconds by day.
    public mutating func add(stationary nanoseconds: DayTally) { stationary.add(nanoseconds) }

    /// Adds credited steps by day.
    public mutating func add(steps count: DayTally) { steps.add(count) }

    public mutating func addRawPulse(at time: WallTime) { rawPulses.add(1, on: UTCDay(containing: time)) }

    /// The earliest day that has figures.
    public var earliestDay: UTCDay? {
        [stationary.earliestDay, steps.earliestDay, rawPulses.earliestDay].compactMap { $0 }.min()
    }

    /// The figures of `day` so far.
    public func figures(of day: UTCDay) -> [ClosedDay.Figure] {
        var figures: [ClosedDay.Figure] = []
        if steps.contains(day) { figures.append(.init(.steps, min(steps.amount(on: day), mostStepsPerDay))) }
        if stationary.contains(day) {
            figures.append(.init(.sedentaryMinutes, min(Self.minutes(stationary.amount(on: day)), 1440)))
        }
        if rawPulses.contains(day) { figures.append(.init(.rawPulses, rawPulses.amount(on: day))) }
        return figures
    }

    /// Moves amounts of dates after tomorrow to `today`. Without that, a clock that once ran ahead would keep every day
    /// open until then.
    public mutating func redate(to today: UTCDay) {
        stationary.redate(to: today)
        steps.redate(to: today)
        rawPulses.redate(to: today)
    }

    /// Takes the earliest day out of the book when it ended before `settled`: nothing can be added to it any more.
    public mutating func closeDay(before settled: WallTime) -> ClosedDay? {
        guard let day = earliestDay, day.end <= settled else { return nil }
        let closed = ClosedDay(day: day, figures: figures(of: day))
        _ = stationary.take(day)
        _ = steps.take(day)
        _ = rawPulses.take(day)
        return closed
    }

    /// Deletes a domain's amounts that are not closed yet. Returns false when there were none.
    @discardableResult
    public mutating func drop(_ domain: Domain) -> Bool {
        switch domain {
        case .motion:
            defer { stationary = DayTally() }
            return !stationary.isEmpty
        case .steps:
            defer { (steps, rawPulses) = (DayTally(), DayTally()) }
            return !steps.isEmpty || !rawPulses.isEmpty
        case .sleep, .screenTime, .location, .alarm:
            return false
        }
    }

    /// Whole minutes, the nearest.
    private static func minutes(_ nanoseconds: Int64) -> Int64 {
        (Interval(nanoseconds: nanoseconds) + .seconds(30)).inMinutes
    }
}

extension Daybook {
    public func pack(into packer: inout Packer) {
        stationary.pack(into: &packer)
        steps.pack(into: &packer)
        rawPulses.pack(into: &packer)
    }

    public mutating func unpack(from unpacker: inout Unpacker) throws(Unpacker.Malformed) {
        try stationary.unpack(from: &unpacker)
        try steps.unpack(from: &unpacker)
        try rawPulses.unpack(from: &unpacker)
    }
}
