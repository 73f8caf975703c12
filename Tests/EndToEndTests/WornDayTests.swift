import Foundation
import Quantities
import Simulation
import Testing

/// A body of the daily record, as it arrives.
struct DailyRecord: Decodable, Hashable {
    let userId: String
    let date: String
    let steps: Int?
    let sedentaryMinutes: Int?

    init(_ received: Device.Received) throws {
        self = try JSONDecoder().decode(DailyRecord.self, from: Data(received.body.utf8))
    }
}

@Suite struct WornDayTests {
    private let first = UTCDay(daysSinceEpoch: 20_101)

    @Test func daysOfWearArriveOnceAndAgreeWithTheTruth() throws {
        let device = try Device()
        try device.setUp(before: first)
        #expect(try device.daemon(seed: 3, days: 2, from: first).wait() == 0)
        #expect(try device.uploader(at: (first + 2).start + .hours(4)).wait() == 0)

        let received = try device.received()
        let days = try received.filter { $0.path.hasSuffix("daily_metrics") }.map(DailyRecord.init)
        // The second day stays open, because the run ends before it does.
        let truth = WearerLife(firstDay: first, days: 2, seed: 3).truth[0]
        #expect(days.map(\.date) == ["\(first)"])
        #expect(abs((days.first?.steps ?? 0) - truth.steps) <= truth.steps / 50)
        #expect(abs(Int64(days.first?.sedentaryMinutes ?? 0) - truth.sedentaryMinutes) <= 5)
        let events = received.filter { $0.path.hasSuffix("nudge/trigger") }
        #expect(events.allSatisfy { $0.body.contains(#""eventType":"sedentary_long""#) })
        #expect(Set(received.map(\.key)).count == received.count)
    }

    @Test func nothingIsSentBeforeItIsDueAndNothingTwice() throws {
        let device = try Device()
        try device.setUp(before: first)
        _ = try device.daemon(seed: 4, days: 2, from: first).wait()
        _ = try device.uploader(at: first.end + .hours(2)).wait()
        #expect(try !device.received().contains { $0.path.hasSuffix("daily_metrics") })
        for _ in 0..<3 { _ = try device.uploader(at: first.end + .hours(5)).wait() }
        #expect(try device.received().filter { $0.path.hasSuffix("daily_metrics") }.count == 1)
    }

    @Test func whatIsOffIsNeitherCollectedNorSent() throws {
        let device = try Device()
        try device.setUp(before: first)
        try device.turnOff("motion")
        _ = try device.daemon(seed: 5, days: 2, from: first).wait()
        _ = try device.uploader(at: first.end + .hours(5)).wait()
        let received = try device.received()
        let days = try received.filter { $0.path.hasSuffix("daily_metrics") }.map(DailyRecord.init)
        #expect(days.count == 1)
        #expect(days.first?.sedentaryMinutes == nil)
        #expect((days.first?.steps ?? 0) > 1_000)
        #expect(received.allSatisfy { !$0.path.hasSuffix("nudge/trigger") })
    }
}
