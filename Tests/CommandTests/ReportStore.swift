import Domains
import Store
import System
import Core
import RightClock
import Testing

/// Stores with days of quarters, for `anicca report`.
struct ReportStore {
    static let first = UTCDay(daysSinceEpoch: 20_101)
    static let home = Fence(name: "<b>&home")
    let ledger: Ledger

    /// With all that the report shows turned on.
    init(_ device: TestDevice, and more: [Domain] = []) throws {
        ledger = try device.makeStore()
        for domain in [Domain.motion, .steps, .location] + more {
            try ledger.change([.reply(domain, .agreedWholly(to: domain.permission))], at: Self.first.start - .days(1))
        }
        try ledger.change([.turn(.sleep, on: true)], at: Self.first.start - .days(1))
    }

    /// A device with two ordinary days, their visits and an alarm.
    static func filledDevice(with more: [Quarter] = [], of domains: [Domain] = []) throws -> (TestDevice, ReportStore) {
        let device = try TestDevice("[fence \"home\"]\nlatitude = 52.5\nlongitude = 13.4\n")
        let store = try ReportStore(device, and: domains)
        let days = (0..<2).map { first + $0 }
        try store.keep(days.flatMap(ordinary) + more, until: first + 1)
        try store.visit(days)
        _ = try device.anicca("alarm", "add", "wake", "07:00", "--days", "weekdays")
        return (device, store)
    }

    /// A quarter of an hour of a day, in which everything that is measured took the minutes given.
    static func quarter(
        _ day: UTCDay, _ index: Int, _ minutes: [(Figure, Int64)], steps: Int64? = nil
    ) -> Quarter {
        let start = day.start + QuarterHour.length * Int64(index)
        var amounts = minutes.map { Quarter.Amount($0.0.id, Interval.minutes($0.1).nanoseconds) }
        if let steps { amounts.append(.init(Figure.steps.id, steps)) }
        return Quarter(
            boot: rightBoot, start: BootTime(nanoseconds: start.nanoseconds),
            amounts: amounts.sorted { $0.figure < $1.figure })
    }

    /// A day in which every quarter is another than the one before.
    static func restless(_ day: UTCDay) -> [Quarter] {
        let kinds: [Figure] = [.sedentaryMinutes, .walkingMinutes, .runningMinutes, .automotiveMinutes, .asleepMinutes]
        return (0..<96).map { index in
            let kind = kinds[index % kinds.count]
            let worn: Int64 = index % 7 == 6 ? 0 : 15
            var minutes = [(Figure.wornMinutes, worn), (Figure.asleepMinutes, Int64(0))].filter { $0.0 != kind }
            minutes.append((kind, worn))
            return quarter(day, index, minutes, steps: Int64(index * 7))
        }
    }

    /// An ordinary day: asleep until 06:30, at a desk, a walk at noon, off the wrist at 19:00 for two hours.
    static func ordinary(_ day: UTCDay) -> [Quarter] {
        (0..<96).map { index in
            switch index {
            case ..<26:
                var night = quarter(day, index, [(.wornMinutes, 15), (.asleepMinutes, 15)], steps: 0)
                if index == 25 {
                    let slept: [Quarter.Amount] = [
                        .init(Figure.sleepDuration.id, 390), .init(Figure.wakeAt.id, 840_001),
                    ]
                    night.amounts = slept + night.amounts
                }
                return night
            case 48: return quarter(day, index, [(.wornMinutes, 15), (.walkingMinutes, 15)], steps: 1500)
            case 76..<84: return quarter(day, index, [(.wornMinutes, 0), (.asleepMinutes, 0)], steps: 0)
            default: return quarter(day, index, [(.wornMinutes, 15), (.sedentaryMinutes, 15)], steps: 3)
            }
        }
    }

    /// Stores the quarters of days, of which the last has ended.
    func keep(_ quarters: [Quarter], until last: UTCDay) throws {
        let end = last.end + .hours(3)
        let reading = BootReading(
            id: rightBoot, seen: BootTime(nanoseconds: end.nanoseconds), clock: rightClock)
        try ledger.commit(
            Batch(
                checkpoint: [], collected: Collected(quarters: quarters, boots: [reading], settled: right(end))))
    }

    /// Two visits of each day, the second at the fence of the hostile name.
    func visit(_ days: [UTCDay]) throws {
        let position = try #require(Coordinates(latitude: 52.5163, longitude: 13.3777))
        let notes = days.flatMap { day -> [PlaceNote] in
            [(8, 16, Int32(0)), (18, 30, Self.home.number)].map { arrived, left, place in
                .visit(
                    Visit(
                        arrived: day.start + .hours(arrived), left: day.start + .hours(left), place: place,
                        position: position))
            }
        }
        try ledger.commit(Batch(checkpoint: [], notes: notes.map { BookNote($0) }))
    }
}
