import Domains
import Core
import Sensing
import Testing

/// The time for which each domain was observed.
@Suite struct ObservedTimeTests {
    private static let noon = UTCDay(daysSinceEpoch: 20_101).start + .hours(12)

    private func minutes(_ domain: Domain, _ harness: SessionHarness) -> Int64 {
        harness.figure(domain.observed) ?? -1
    }

    @Test func windowsStandForTheTimeBetweenThem() {
        var harness = SessionHarness(from: Self.noon, stepSource: .imu)
        harness.allow(.motion, .steps, .sleep)
        harness.run(for: .hours(3))
        for domain in [Domain.motion, .steps, .sleep] {
            #expect((174...180).contains(minutes(domain, harness)), "\(domain)")
        }
        #expect(harness.figure(Domain.location.observed) == nil)
    }

    @Test func aSilentSensorObservesNothing() {
        var harness = SessionHarness(from: Self.noon)
        let silence = (Self.noon + .hours(1))..<(Self.noon + .hours(2))
        harness.sensorFault = { silence.contains($0.wall) ? .gone : nil }
        harness.window = { silence.contains($0.wall) ? .windowLost(.gone) : .window(SessionHarness.still) }
        harness.allow(.motion)
        harness.run(for: .hours(4))
        // The search for the sensor may end up to an hour later.
        #expect((110...180).contains(minutes(.motion, harness)))
    }

    @Test func aDomainThatIsOffIsNotObservedWhileAnotherIs() {
        var harness = SessionHarness(from: Self.noon)
        harness.allow(.motion, .sleep)
        harness.run(for: .hours(1))
        harness.allow(.sleep)
        harness.run(for: .hours(2))
        harness.allow(.motion, .sleep)
        harness.run(for: .hours(1))
        // What was collected before a domain is turned on anew goes with it.
        #expect((54...60).contains(minutes(.motion, harness)))
        #expect((228...240).contains(minutes(.sleep, harness)))
    }

    @Test func aLineIsObservedUntilItsLastDrain() {
        var harness = SessionHarness(from: Self.noon)
        harness.allow(.steps)
        harness.walk(from: .minutes(50), steps: 60)
        harness.run(for: .hours(1))
        #expect((50...55).contains(minutes(.steps, harness)))
        #expect(harness.wakeUps < 10)
    }

    @Test func aSourceThatIsNotReadStoresNothingForIt() {
        var harness = SessionHarness(from: Self.noon)
        harness.allow(.alarm, .location, .screenTime)
        harness.run(for: .hours(3))
        for domain in [Domain.alarm, .location, .screenTime, .phone] { #expect(harness.figure(domain.observed) == nil) }
    }

    @Test func aRestartObservesNothingTwice() throws {
        var harness = SessionHarness(from: Self.noon)
        harness.allow(.motion)
        harness.run(for: .hours(1))
        let checkpoint = harness.session.checkpoint(at: harness.now)
        harness.session = SensingSession(boot: harness.boot)
        harness.session.begin(nil, at: harness.now)
        try harness.session.restore(checkpoint, at: harness.now)
        harness.allow(.motion)
        harness.run(for: .hours(1))
        harness.deliver(.woke)
        #expect((114...120).contains(minutes(.motion, harness)))
    }

    @Test func timeBeforeTheClockIsTrustedIsObservedToo() {
        var harness = SessionHarness(from: Self.noon, isSynchronised: false)
        harness.allow(.motion)
        harness.run(for: .minutes(67))
        harness.now = Instant(boot: harness.now.boot, wall: harness.now.wall, isSynchronised: true)
        harness.run(for: .minutes(53))
        harness.deliver(.woke)
        #expect((113...120).contains(minutes(.motion, harness)))
    }

    /// A power gap: the second boot knows nothing of the time without power.
    @Test func timeWithoutPowerIsNotObserved() throws {
        var before = SessionHarness(from: Self.noon)
        before.allow(.motion)
        before.run(for: .hours(1))
        var harness = SessionHarness(from: Self.noon + .hours(4))
        try harness.session.restore(before.session.checkpoint(at: before.now), at: harness.now)
        harness.allow(.motion)
        harness.run(for: .hours(1))
        let all = harness.session.quarters.reduce(into: Int64(0)) { sum, quarter in
            sum += quarter.amount(of: Domain.motion.observed) ?? 0
        }
        let stored = harness.store.quarters.reduce(into: Int64(0)) { sum, quarter in
            sum += quarter.amount(of: Domain.motion.observed) ?? 0
        }
        #expect((108...120).contains(Interval(nanoseconds: all + stored).inMinutes))
    }

    @Test func aNightOfSlowSamplesIsObserved() {
        var harness = SessionHarness(from: Self.noon, stepSource: .imu)
        harness.allow(.motion, .sleep, .steps)
        harness.run(for: .hours(8))
        #expect((474...480).contains(minutes(.sleep, harness)))
    }
}
