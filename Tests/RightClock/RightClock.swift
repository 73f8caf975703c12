import Domains
import Store
import Core

/// A boot whose clock is right, and whose boot time is that of the epoch.
public let rightBoot = BootID(high: 1, low: 1)
public let rightClock = TrustedClock(began: WallTime(nanoseconds: 0), source: .kernel, since: BootTime(nanoseconds: 0))

/// A time that is trusted.
public func right(_ time: WallTime) -> TrustedTime { rightClock.time(at: BootTime(nanoseconds: time.nanoseconds)) }

extension Quarter {
    /// The figures of a whole day, as if they came in its first quarter of an hour.
    public init(_ day: ClosedDay) {
        self.init(
            boot: rightBoot, start: BootTime(nanoseconds: day.day.start.nanoseconds),
            amounts: day.figures.flatMap { entry in
                entry.value.numbers.map { number in
                    guard case .duration = entry.figure.fold else { return Amount(entry.figure.id, number) }
                    return Amount(entry.figure.id, number.multipliedReportingOverflow(by: 60_000_000_000).partialValue)
                }
            })
    }
}

extension Batch {
    /// Everything that was collected on these days, of which the last has just ended.
    public init(
        checkpoint: [UInt8], closedDays: [ClosedDay], events: [NudgeEvent] = [],
        consentRevision: ConsentEntry.ID = .max
    ) {
        let end = closedDays.map(\.day.end).max()
        let reading = BootReading(id: rightBoot, seen: BootTime(nanoseconds: end?.nanoseconds ?? 0), clock: rightClock)
        self.init(
            checkpoint: checkpoint,
            collected: Collected(
                quarters: closedDays.map(Quarter.init), boots: closedDays.isEmpty && events.isEmpty ? [] : [reading],
                settled: end.map(right)),
            events: events.map {
                RaisedEvent(
                    kind: $0.kind, boot: rightBoot, at: BootTime(nanoseconds: $0.at.nanoseconds),
                    value: $0.value)
            }, consentRevision: consentRevision)
    }

    public init(checkpoint: [UInt8], events: [NudgeEvent], consentRevision: ConsentEntry.ID = .max) {
        self.init(checkpoint: checkpoint, closedDays: [], events: events, consentRevision: consentRevision)
    }
}
