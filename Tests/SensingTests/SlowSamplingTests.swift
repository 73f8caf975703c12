import Domains
import Devices
import Core
import Signal
import Testing

@testable import Sensing

private let evening = UTCDay(daysSinceEpoch: 20_103).start + .hours(20)

/// The time between windows while sleep is measured.
@Suite struct SlowSamplingTests {
    private static func harness(_ domains: Domain..., resting: Bool = true) -> SessionHarness {
        var harness = SessionHarness(from: evening)
        if !resting { harness.window = { _ in .window(SessionHarness.fidgeting) } }
        var set = DomainSet()
        for domain in domains { set.set(domain, to: true) }
        harness.order(set)
        return harness
    }

    @Test func samplesAreTakenBetweenWindowsFromTheThirdStationaryWindowOn() throws {
        var harness = Self.harness(.motion, .sleep)
        harness.run(for: .minutes(60))
        let windows = harness.times(of: .readWindow)
        #expect(harness.times(of: .sampleSlowly).first == windows[2])
        #expect(harness.times(of: .restSensor).count == 2)
    }

    @Test func withoutSleepTheChipRests() {
        var harness = Self.harness(.motion)
        harness.run(for: .minutes(60))
        #expect(harness.times(of: .sampleSlowly).isEmpty && harness.times(of: .readSamples).isEmpty)
    }

    @Test func whoIsNotStationaryIsLookedAtInWindowsAlone() {
        var harness = Self.harness(.motion, .sleep, resting: false)
        harness.run(for: .minutes(60))
        #expect(harness.times(of: .sampleSlowly).isEmpty)
    }

    /// 170 samples of 256 ms, less an eighth for wake-ups that come late.
    @Test func theFIFOIsDrainedBeforeItRunsOverAndBeforeAWindow() {
        var harness = Self.harness(.motion, .sleep)
        harness.run(for: .hours(3))
        let drains = harness.times(of: .readSamples)
        var since: BootTime?
        for (time, action) in harness.asked where action == .readSamples || action == .sampleSlowly {
            if action == .readSamples { #expect(time.boot - (since ?? time.boot) <= .seconds(39)) }
            since = time.boot
        }
        for (index, asked) in harness.asked.enumerated() where asked.action == .startWindow && index > 100 {
            #expect(harness.asked[index - 1].action == .readSamples)
        }
        #expect((80...100).contains(drains.filter { $0.boot > harness.now.boot - .hours(1) }.count))
    }

    @Test func movementBringsTheNextWindowForwardButNoCloserThanAMinute() {
        var harness = Self.harness(.motion, .sleep)
        harness.run(for: .hours(1))
        let before = harness.times(of: .startWindow).count
        var moving = [Acceleration](repeating: .upright, count: 150)
        moving[70] = Acceleration(x: 0.2, y: 0, z: 1)
        harness.samples = { _ in .samples(moving) }
        harness.run(for: .hours(1))
        let windows = harness.times(of: .startWindow).dropFirst(before)
        #expect((50...61).contains(windows.count))
        for (one, next) in zip(windows, windows.dropFirst()) { #expect(next.boot - one.boot >= .seconds(60)) }
        #expect(harness.session.pace == .relaxed, "a sleeper turns")
    }

    @Test func whoGetsUpIsAttendedTo() {
        var harness = Self.harness(.motion, .sleep)
        harness.run(for: .hours(1))
        harness.window = { _ in .window(SessionHarness.walking) }
        harness.run(for: .minutes(10))
        #expect(harness.session.pace == .attentive)
        let last = harness.times(of: .sampleSlowly).last
        #expect(last.map { harness.now.boot - $0.boot > .minutes(3) } == true)
    }

    @Test func aFIFOThatStaysEmptyIsGivenUpUntilTheSensorIsOpenedAnew() {
        var harness = Self.harness(.motion, .sleep)
        harness.samples = { _ in .samples([]) }
        harness.run(for: .hours(1))
        #expect((3...4).contains(harness.times(of: .readSamples).count), "one of them before a window")
        #expect(harness.notes.count { if case .windowLost = $0 { true } else { false } } == 1)
        harness.samples = { _ in .samples([Acceleration](repeating: .upright, count: 150)) }
        harness.order([])
        harness.order([.motion, .sleep])
        harness.run(for: .minutes(30))
        #expect(harness.times(of: .readSamples).count > 10)
    }

    @Test func aDrainThatFailsCostsTheSamplesAndNothingElse() {
        var harness = Self.harness(.motion, .sleep)
        harness.run(for: .minutes(30))
        harness.samples = { _ in .windowLost(.nak) }
        harness.run(for: .minutes(30))
        #expect(harness.times(of: .open(.imu)).count == 1, "windows go on")
        harness.samples = { _ in .samples([Acceleration](repeating: .upright, count: 150)) }
        let before = harness.times(of: .readSamples).count
        harness.run(for: .minutes(30))
        #expect(harness.times(of: .readSamples).count > before + 20)
    }
}
