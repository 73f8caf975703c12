import Core

/// Takes the day totals of the paired phone. docs/decisions/0066-day-totals.md tells to which day they count.
struct PhoneCollector: Collector {
    private var start = CollectionStart()

    init(_ settings: DomainValues) {}

    mutating func handle(_ input: CollectorInput, at now: BootTime) -> [CollectorEffect] {
        switch input {
        case .began: start.begin(at: now)
        case .reports(let reports, let clock): return take(reports, clock, at: now)
        default: break
        }
        return []
    }

    /// A day that was over when the wearer agreed does not count.
    private mutating func take(
        _ reports: [CompanionReport], _ clock: TrustedClock, at now: BootTime
    ) -> [CollectorEffect] {
        let began = start.date(by: clock, at: now)
        var effects: [CollectorEffect] = []
        for case .total(let total) in reports where total.end > began {
            // Away from midnight, so that a corrected clock does not move it to another day, and not in the future.
            let time = max(total.day.start, min(clock.time(at: now).wall, total.day.start + .hours(12)))
            let stored = ReportedTotal(total.amount, at: total.written).stored
            effects.append(.add(.one(stored, at: clock.boot(at: time)), to: total.kind.figure))
        }
        return effects.isEmpty ? [] : effects + [.storeSoon]
    }

    func pack(into packer: inout Packer) { start.pack(into: &packer) }

    mutating func unpack(
        from unpacker: inout Unpacker, version: UInt8, times: RestoredTimes
    ) throws(Unpacker.Malformed) {
        try start.unpack(from: &unpacker, times)
    }
}

extension DayTotal.Kind {
    fileprivate var figure: Figure {
        switch self {
        case .sitting: .phoneSitting
        case .mindful: .mindfulMinutes
        case .nutrition: .dietaryEnergy
        }
    }
}
