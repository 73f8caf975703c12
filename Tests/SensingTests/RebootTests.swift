import Domains
import Ledger
import Quantities
import Sensing
import Testing
import Timekeeping

private let day = UTCDay(daysSinceEpoch: 20_103)
private let noon = day.start + .hours(12)

/// What outlives a boot, and what is known of the time meanwhile.
@Suite struct RebootTests {
    private static func sitting(_ now: Instant) -> SensingEvent {
        .window((now.boot.nanoseconds / 480_000_000_000) % 2 == 0 ? SessionHarness.still : SessionHarness.leaning)
    }

    @Test func aTrustedClockThatStepsIsToldAndFollowed() {
        var harness = SessionHarness(from: noon)
        harness.window = Self.sitting
        harness.allow(.motion)
        harness.run(for: .minutes(30))
        harness.now = Instant(boot: harness.now.boot, wall: noon + .days(1), isSynchronised: true)
        harness.run(for: .minutes(6))
        #expect(harness.notes.contains(.clockStepped(by: .days(1) - .minutes(30), .kernel)))
        #expect(harness.closedDays.isEmpty, "all of it is of the other day")
    }

    /// The part of the daybook as the version before wrote it: steps of two days, and minutes that were held.
    @Test func theStateOfTheVersionBeforeIsReadWhole() throws {
        var parts = Parts()
        parts.put(Parts.Kind(1, version: 1)) { packer in
            packer.put([1, Figure.steps.id, 1])
            packer.put(day.daysSinceEpoch)
            packer.put(Int64(4_000))
            packer.put([1, Figure.sedentaryMinutes.id, 1])
            packer.put(day.daysSinceEpoch)
            packer.put(Interval.minutes(7).nanoseconds)
        }
        var harness = SessionHarness(from: noon)
        harness.window = Self.sitting
        try harness.session.restore(parts.bytes, at: harness.now)
        harness.walk(from: .minutes(1), steps: 100)
        harness.allow(.motion, .steps)
        harness.run(for: .minutes(30))
        #expect(harness.figure(.steps) == 4_100)
        harness.run(for: .hours(14))
        #expect(harness.closedDays.first?.figures.first { $0.figure == .steps } == .init(.steps, 4_100))
    }
}
