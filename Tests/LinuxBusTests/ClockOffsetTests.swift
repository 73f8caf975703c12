import Core
import Testing

@testable import Devices

@Suite struct ClockOffsetTests {
    @Test func timeInSuspendIsAddedToTheMonotonicClock() {
        let offset = ClockOffset(suspended: .seconds(3600))
        let edge = MonotonicTime(nanoseconds: 5_000_000_001)
        #expect(offset.boot(at: edge) == BootTime(nanoseconds: 3_605_000_000_001))
    }

    @Test func bootTimeIsNeverBehindTheMonotonicClock() {
        #expect(ClockOffset.current().suspended >= .zero)
    }
}
