import Domains
import Devices
import Core
import Testing

@testable import Sensing

private let noon = UTCDay(daysSinceEpoch: 20_103).start + .hours(12)
private let thermometer = GaugeID(rawValue: 200)

/// Keeps its inputs.
private struct Warmth: Collector {
    private(set) var readings: [(reading: GaugeReading, at: BootTime)] = []
    private(set) var openings = 0
    private(set) var interruptions = 0

    init(_ settings: DomainValues) {}

    mutating func handle(_ input: CollectorInput, at now: BootTime) -> [CollectorEffect] {
        switch input {
        case .gauge(let reading, let time): readings.append((reading, time))
        case .opened: openings += 1
        case .interrupted: interruptions += 1
        default: break
        }
        return []
    }
}

private let warmth = Domain(
    id: 50, name: "warmth", permission: .motion, scopes: [ScopePart(.motion, "warmth")], least: .motion,
    hardware: .gauge(thermometer), collector: Warmth.self,
    words: DomainWords(purpose: "", collected: "", whenOn: "", whenOff: "", policy: ""))

/// The life of a gauge in a session, and its measurements.
@Suite struct GaugeSessionTests {
    private static func harness() -> SessionHarness {
        var harness = SessionHarness(from: noon)
        harness.collect([.motion, warmth])
        return harness
    }

    private func collector(of harness: SessionHarness) throws -> Warmth {
        try #require(harness.session.collectors.last?.collector as? Warmth)
    }

    @Test func itIsMeasuredWithTheWindowsAndWakesNothing() throws {
        var bare = SessionHarness(from: noon)
        bare.collect([.motion])
        bare.order([.motion])
        bare.run(for: .hours(2))
        var harness = Self.harness()
        harness.order([.motion, warmth])
        #expect(harness.times(of: .open(.gauge(thermometer))) == [harness.now])
        harness.run(for: .hours(2))
        #expect(harness.wakeUps == bare.wakeUps)
        let windows = harness.times(of: .readWindow)
        #expect(windows.count > 20)
        #expect(harness.times(of: .measure(thermometer)) == harness.times(of: .startWindow))
        #expect(harness.times(of: .readGauge(thermometer)) == windows)
        let collector = try collector(of: harness)
        #expect(collector.readings.count == windows.count && collector.openings == 1)
        #expect(collector.readings.first?.reading == GaugeReading(20))
        #expect(collector.readings.map(\.at) == harness.times(of: .startWindow).prefix(windows.count).map(\.boot))
    }

    @Test func duringAWalkItIsMeasuredWithEveryWindow() throws {
        var harness = SessionHarness(from: noon, stepSource: .imu)
        harness.session = SensingSession(stepSource: .imu, boot: harness.boot, domains: [.steps, warmth])
        harness.session.begin(nil, at: harness.now)
        harness.feel { _ in true }
        harness.order([.steps, warmth])
        harness.run(for: .minutes(10))
        #expect(harness.times(of: .readWindow).count > 60)
        #expect(try collector(of: harness).readings.count == harness.times(of: .readWindow).count)
    }

    @Test func withoutWindowsItHasOneWakeUpAMinute() throws {
        var harness = Self.harness()
        harness.order(DomainSet(warmth))
        harness.run(for: .minutes(10) + .seconds(1))
        #expect(harness.wakeUps == 10)
        #expect(harness.times(of: .open(.imu)).isEmpty)
        let measured = harness.times(of: .measure(thermometer))
        #expect(measured.count == 11)
        #expect(zip(measured, measured.dropFirst()).allSatisfy { $1.boot - $0.boot == .minutes(1) })
        #expect(try collector(of: harness).readings.map(\.at) == measured.dropLast().map(\.boot), "when it was started")
    }

    @Test func itGoesOnWithoutAndWithWindows() throws {
        var harness = Self.harness()
        harness.order([.motion, warmth])
        harness.run(for: .minutes(10))
        harness.order(DomainSet(warmth))
        let before = try collector(of: harness).readings.count
        harness.run(for: .minutes(10))
        let without = try collector(of: harness).readings.count
        #expect((9...11).contains(without - before))
        harness.order([.motion, warmth])
        let windows = harness.times(of: .readWindow).count
        harness.run(for: .minutes(30))
        let with = try collector(of: harness).readings.count - without
        #expect(with == harness.times(of: .readWindow).count - windows)
    }

    @Test func aLostWindowIsNoLostMeasurement() throws {
        var harness = Self.harness()
        harness.window = { _ in .windowLost(.nak) }
        harness.order([.motion, warmth])
        harness.run(for: .minutes(2))
        #expect(!harness.times(of: .readGauge(thermometer)).isEmpty)
        #expect(try collector(of: harness).readings.count == harness.times(of: .readGauge(thermometer)).count)
    }

    @Test func anUnreadyMeasurementIsReadAgainAndKeepsItsTime() throws {
        var harness = Self.harness()
        harness.reading = { _ in nil }
        harness.order(DomainSet(warmth))
        let start = harness.now.boot
        harness.run(for: .minutes(2) + .seconds(1))
        #expect(harness.times(of: .measure(thermometer)).count == 1)
        harness.reading = { _ in GaugeReading(21, other: 3) }
        harness.run(for: .minutes(1))
        let readings = try collector(of: harness).readings
        #expect(readings.map(\.at) == [start] && readings.map(\.reading) == [GaugeReading(21, other: 3)])
        #expect(harness.times(of: .measure(thermometer)).count == 2)
    }

    @Test func aFailureIsNotedAndTriedAgainWhileTheWindowsGoOn() throws {
        var harness = Self.harness()
        harness.order([.motion, warmth])
        harness.run(for: .minutes(3))
        harness.gaugeFault = { _ in .gone }
        harness.run(for: .minutes(4))
        #expect(harness.times(of: .close(.gauge(thermometer))).count > 1)
        #expect(try collector(of: harness).interruptions > 0)
        let wait = harness.session.rules.dutyCycle.retries.first
        #expect(harness.notes.contains(.failed(.gauge(thermometer), reason: "gone", retryIn: wait)))
        let windows = harness.times(of: .readWindow).count
        harness.gaugeFault = { _ in nil }
        harness.run(for: .hours(3))
        #expect(harness.notes.contains(.recovered(.gauge(thermometer))))
        #expect(harness.times(of: .readWindow).count > windows + 30)
        #expect(harness.losses.isEmpty)
        #expect(harness.times(of: .close(.imu)).isEmpty)
    }

    @Test func aChipThatStaysSilentIsLostAloneAndComesBackWithANewOrder() {
        var harness = Self.harness()
        harness.gaugeFault = { _ in .nak }
        harness.order([.motion, warmth])
        harness.run(for: .hours(20))
        #expect(harness.losses == [DeviceLoss(domain: warmth, obstacle: .absent, reason: "nak")])
        #expect(harness.session.allowed == [.motion])
        harness.gaugeFault = { _ in nil }
        let tried = harness.times(of: .open(.gauge(thermometer))).count
        harness.run(for: .hours(1))
        #expect(harness.times(of: .open(.gauge(thermometer))).count == tried)
        harness.order(DomainSet(.motion), suspended: DomainSet(warmth))
        harness.order([.motion, warmth])
        #expect(harness.session.isOpen(.gauge(thermometer)))
    }

    @Test func aRefusedBusIsALossAtOnce() {
        var harness = Self.harness()
        harness.gaugeFault = { _ in .refused }
        harness.order([.motion, warmth])
        #expect(harness.losses == [DeviceLoss(domain: warmth, obstacle: .refused, reason: "refused")])
        #expect(harness.times(of: .close(.gauge(thermometer))).count == 1)
    }

    @Test func itIsClosedWhenTheDomainIsTurnedOffOrSuspended() throws {
        for suspended in [DomainSet(), DomainSet(warmth)] {
            var harness = Self.harness()
            harness.order([.motion, warmth])
            harness.run(for: .minutes(5))
            harness.order(DomainSet(.motion), suspended: suspended)
            #expect(harness.times(of: .close(.gauge(thermometer))) == [harness.now])
            let measured = harness.times(of: .measure(thermometer)).count
            harness.run(for: .hours(1))
            #expect(harness.times(of: .measure(thermometer)).count == measured)
            #expect(harness.session.gaugeWake == nil)
            harness.order([.motion, warmth])
            harness.run(for: .hours(1))
            #expect(harness.times(of: .measure(thermometer)).count > measured + 10)
        }
    }

    @Test func aSessionWithoutItsDomainHasNoSuchSource() {
        #expect(
            SensingSession(domains: [.motion]).sources.map(\.kind) == [
                .imu, .pulses, .reports, .positions, .oximeter,
            ])
        #expect(Self.harness().session.sources.last?.kind == .gauge(thermometer))
    }
}
