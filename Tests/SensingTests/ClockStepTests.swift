import Domains
import Devices
import Core
import Sensing
import Testing

private let day = UTCDay(daysSinceEpoch: 20_103)
private let noon = day.start + .hours(12)

/// The wall clock is wrong, or was wrong when the checkpoint was written.
@Suite struct ClockStepTests {
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

    @Test func aWindowOfTheFutureNeitherShortensASittingNorHidesASilentSensor() throws {
        var before = SessionHarness(from: noon + .days(1_000))
        before.window = Self.sitting
        before.allow(.motion)
        before.run(for: .minutes(30))

        var harness = SessionHarness(from: noon)
        try harness.session.restore(before.session.checkpoint(at: before.now), at: harness.now)
        var isSilent = true
        harness.window = { isSilent ? .windowLost(.nak) : Self.sitting($0) }
        harness.allow(.motion)
        harness.run(for: .minutes(5))
        #expect(!harness.times(of: .close(.imu)).isEmpty)
        isSilent = false
        harness.run(for: .minutes(100))
        #expect(harness.events.map(\.kind) == [.sedentaryLong])
    }

    /// Wherever in the checkpoint a number lies, an absurd one is refused or lived with.
    @Test func noNumberInACheckpointStopsTheSession() throws {
        var before = SessionHarness(from: day.end - .minutes(40))
        before.window = Self.sitting
        before.walk(from: .minutes(30), steps: 3)
        before.allow(.motion, .steps)
        before.run(for: .minutes(50))
        let checkpoint = before.session.checkpoint(at: before.now)
        for value in [Int64.min, .min / 2, -1, .max / 2, .max] {
            for start in 1...(checkpoint.count - 8) {
                var forged = checkpoint
                for offset in 0..<8 { forged[start + offset] = UInt8(truncatingIfNeeded: value >> (8 * Int64(offset))) }
                var harness = SessionHarness(from: before.now.wall)
                harness.window = Self.sitting
                do {
                    try harness.session.restore(forged, at: harness.now)
                } catch {
                    continue
                }
                harness.walk(from: .minutes(1), steps: 10)
                harness.allow(.motion, .steps)
                harness.run(for: .minutes(20))
                _ = harness.session.checkpoint(at: harness.now)
            }
        }
    }

    private static func sitting(_ now: Instant) -> SensingEvent {
        let eighths: Int64 = (now.wall - noon).inMinutes / 8
        return .window(eighths % 2 == 0 ? SessionHarness.still : SessionHarness.leaning)
    }
}
