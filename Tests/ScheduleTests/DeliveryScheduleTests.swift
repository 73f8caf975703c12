import Core
import RightClock
import Testing

struct DeliveryScheduleTests {
    let day = UTCDay(daysSinceEpoch: 20_103)

    @Test func aDayIsDueFromThreeOClockOfTheNext() {
        let schedule = DeliverySchedule(DeliveryRule(), deviceHash: 0)
        #expect(schedule.dueTime(of: day).description == "2025-01-16T03:00:00Z")
        #expect(!schedule.isDue(day, at: right(WallTime("2025-01-16T02:59:59Z")!)))
        #expect(schedule.isDue(day, at: right(WallTime("2025-01-16T03:00:00Z")!)))
    }

    @Test(arguments: [UInt64.zero, 1, 0x8000_0000_0000_0000, .max, DeliverySchedule.hash("a device".utf8)])
    func aDevicesOwnDelayIsFixedAndWithinTheJitter(hash: UInt64) {
        let rule = DeliveryRule()
        let schedule = DeliverySchedule(rule, deviceHash: hash)
        #expect(schedule == DeliverySchedule(rule, deviceHash: hash))
        #expect(schedule.delayAfterMidnight >= rule.dueAfterMidnight)
        #expect(schedule.delayAfterMidnight <= rule.dueAfterMidnight + rule.jitter)
    }

    @Test func aFleetSpreadsOverTheWholeJitter() {
        var devicesPerMinute = [Int](repeating: 0, count: 31)
        for number in 0..<3000 {
            let hash = DeliverySchedule.hash("device \(number)".utf8)
            let own = DeliverySchedule(DeliveryRule(), deviceHash: hash).delayAfterMidnight - .hours(3)
            devicesPerMinute[Int(own.inMinutes)] += 1
        }
        #expect(devicesPerMinute[..<30].allSatisfy { (50...150).contains($0) }, "\(devicesPerMinute)")
    }

    @Test func withoutJitterEveryDeviceIsDueAtOnce() {
        var rule = DeliveryRule()
        rule.jitter = .zero
        #expect(DeliverySchedule(rule, deviceHash: .max).delayAfterMidnight == .hours(3))
    }

    /// The vectors of the FNV reference code for "" and "foobar".
    @Test func theHashIsFNV1a() {
        #expect(DeliverySchedule.hash("".utf8) == 0xcbf2_9ce4_8422_2325)
        #expect(DeliverySchedule.hash("foobar".utf8) == 0x8594_4171_f739_67e8)
    }
}
