import Core
import Domains
import Foundation
import RightClock
import Store
import Testing

@testable import Delivery

/// The quarters of an hour that a record has (docs/decisions/0071-two-devices-of-one-person.md).
struct DayQuartersTests {
    private let bench: Bench
    private let noon: Int64
    private let minute = Interval.minutes(1).nanoseconds

    init() throws {
        bench = try Bench()
        noon = bench.day.start.nanoseconds + Interval.hours(12).nanoseconds
    }

    /// A quarter that began so many minutes after noon.
    private func quarter(at start: Int64, minutes: Int64, steps: Int64, boot: BootID = rightBoot) -> Quarter {
        Quarter(
            boot: boot, start: BootTime(nanoseconds: noon + start * minute), length: .minutes(minutes),
            amounts: [.init(Figure.steps.id, steps), .init(Domain.steps.observed.id, minutes * minute)])
    }

    private func commit(_ quarters: [Quarter]) throws {
        let end = right(bench.day.end)
        let reading = BootReading(
            id: rightBoot, seen: BootTime(nanoseconds: bench.day.end.nanoseconds), clock: rightClock)
        try bench.ledger.commit(
            Batch(
                checkpoint: [1], collected: Collected(quarters: quarters, boots: [reading], settled: end),
                events: [], consentRevision: bench.ledger.consent().lastEntry))
    }

    private func quarters(_ quarters: [Quarter], steps: Int64) throws -> [String: [String: [Int?]]] {
        try commit(quarters)
        let explanation = try bench.ledger.explanation(of: bench.day, DayRule(), knowing: [], and: [])
        let made = DayQuarters(of: explanation, [.steps: FigureValue(steps)], device: "device").json.utf8
        return try JSONDecoder().decode([String: [String: [Int?]]].self, from: Data(made))
    }

    @Test func anAmountIsInItsQuarter() throws {
        let lists = try #require(
            try quarters(
                [quarter(at: 0, minutes: 15, steps: 7), quarter(at: 30, minutes: 15, steps: 0)], steps: 7)["steps"])
        #expect(lists.mapValues(\.count) == ["observed": 96, "steps": 96])
        #expect(lists["steps"]?[47...51] == [nil, 7, nil, 0, nil])
        #expect(lists["observed"]?[47...51] == [nil, 15, nil, 15, nil])
    }

    /// A clock that was set shortens a quarter, and another one of the same time may follow.
    @Test func aQuarterIsNeverObservedForLonger() throws {
        let lists = try #require(
            try quarters(
                [quarter(at: -3, minutes: 10, steps: 5), quarter(at: 7, minutes: 8, steps: 2)], steps: 7)["steps"])
        #expect(lists["steps"]?[48] == 7 && lists["observed"]?[48] == 15)
    }

    @Test func whatDoesNotAddUpHasNoQuarters() throws {
        #expect(try quarters([quarter(at: 0, minutes: 15, steps: 7)], steps: 8).isEmpty)
    }

    /// Sitting that a phone reported is in the record, and has no quarter.
    @Test(arguments: [(25, true), (24, false), (26, false), (10, false)] as [(Int64, Bool)])
    func whatFillsAFigureIsLeftOut(record: Int64, hasQuarters: Bool) throws {
        let sitting = Quarter(
            boot: rightBoot, start: BootTime(nanoseconds: noon), length: .minutes(15),
            amounts: [
                .init(Figure.sedentaryMinutes.id, 10 * minute), .init(Domain.motion.observed.id, 15 * minute),
            ])
        try commit([sitting])
        let values: [Figure: FigureValue] = [.sedentaryMinutes: FigureValue(record), .phoneSitting: 15]
        let explanation = try bench.ledger.explanation(of: bench.day, DayRule(), knowing: [], and: [])
        let made = DayQuarters(of: explanation, values, device: "device")
        #expect(made.domains.isEmpty != hasQuarters)
    }
}
