import Domains
import Core
import Sensing
import Signal
import SimulatedBus
import Testing

@testable import Simulation

/// Days that go through registers, pulses, driver, session and folding.
@Suite struct SimulatedDayTests {
    private static let day = SimulatedLifeTests.firstDay

    @Test func theTypicalDayIsMeasuredRightlyAndCheaply() throws {
        let sensed = SensedLife(.typicalDay(Self.day))
        try sensed.expectTruth()
        let cost = sensed.run.costs[0]
        #expect(cost.wakeUps <= 3000)
        #expect(cost.attentive.share <= 0.09)
        #expect(cost.sensorShare <= 0.09)
        #expect(cost.busTime < .seconds(60))
    }

    @Test func aSensorOnTheTableIsNotWornAndASleeperIs() throws {
        let life = WearerLife.typicalDay(Self.day)
        let clock = VirtualClock(bootingAt: life.start)
        let devices = SimulatedDevices(life: life, clock: clock)
        let service = makeService(devices, MemoryStore())
        let run = ServiceRun(service: service, devices: devices, seed: 5)
        var wrong = 0
        while clock.now.wall < life.end {
            run.run(until: clock.now.wall + .minutes(1))
            let now = clock.now.wall
            let episode = try #require(life.episodes.last { $0.start <= now })
            // It is known after half an hour, and after the two windows that follow.
            guard now - episode.start > .minutes(45) else { continue }
            if service.session.isWorn == (episode.kind == .off) { wrong += 1 }
        }
        #expect(wrong == 0)
    }

    @Test(arguments: [2, 6] as [UInt64]) func severalDaysAreMeasuredRightly(seed: UInt64) throws {
        try SensedLife(WearerLife(firstDay: Self.day, days: 3, seed: seed)).expectTruth()
    }

    @Test func withoutAnInterruptLineTheDayIsTheSameForLess() throws {
        let sensed = SensedLife(.typicalDay(Self.day), hasMotionLine: false)
        try sensed.expectTruth()
        #expect(sensed.run.costs[0].wakeUps <= 2000)
        #expect(sensed.run.costs[0].relaxed.share <= 0.02)
    }

    @Test func aSmallKernelBufferCostsWakeUpsButNoSteps() throws {
        let sensed = SensedLife(.typicalDay(Self.day), kernelBuffer: 16)
        try sensed.expectTruth()
        #expect(sensed.run.costs[0].wakeUps > 3000)
    }

    @Test func aRunInPartsIsTheSameRun() {
        let whole = SensedLife(.typicalDay(Self.day))
        let parts = SensedLife(.typicalDay(Self.day), part: .minutes(7))
        #expect(whole.store.days == parts.store.days)
        #expect(whole.store.events == parts.store.events)
        #expect(whole.run.costs.map(\.wakeUps) == parts.run.costs.map(\.wakeUps))
        #expect(whole.run.costs.map(\.busBytes) == parts.run.costs.map(\.busBytes))
        #expect(whole.run.costs.map(\.sensorShare) == parts.run.costs.map(\.sensorShare))
    }
}

/// A life that was sensed, until three hours after its end, when every day is closed.
struct SensedLife {
    let life: WearerLife
    let store = MemoryStore()
    let run: ServiceRun

    init(
        _ life: WearerLife, hasMotionLine: Bool = true, hasPulseLine: Bool = true, kernelBuffer: Int = 1024,
        part: Interval = .days(9)
    ) {
        self.life = life
        let clock = VirtualClock(bootingAt: life.start)
        let devices = SimulatedDevices(
            life: life, clock: clock, hasMotionLine: hasMotionLine, hasPulseLine: hasPulseLine,
            kernelBuffer: kernelBuffer)
        run = makeRun(devices, store)
        let end = life.end + .hours(3)
        while clock.now.wall < end { run.run(until: min(end, clock.now.wall + part)) }
    }

    func figure(_ type: Figure, on day: UTCDay) -> Int64? {
        store.days.first { $0.day == day }?.figures.first { $0.figure == type }?.value.number
    }

    /// Compares every day with the truth.
    func expectTruth() throws {
        for truth in life.truth {
            let context = "\(truth.day), seed \(life.seed)"
            let steps = try #require(figure(.steps, on: truth.day))
            let sedentary = try #require(figure(.sedentaryMinutes, on: truth.day))
            #expect(
                abs(Int(steps) - truth.steps) * 50 <= truth.steps, "\(steps) of \(truth.steps) steps, \(context)")
            #expect(abs(sedentary - truth.sedentaryMinutes) <= 10, "\(sedentary) for \(truth), \(context)")
            let events = store.events.filter { UTCDay(containing: $0.at) == truth.day }
            #expect(events.count == truth.longSittings.count, "\(events), \(context)")
            for (event, expected) in zip(events, truth.longSittings) {
                #expect(event.kind == .sedentaryLong)
                #expect(abs((event.at - expected).inSeconds) <= 360, "\(event.at) for \(expected), \(context)")
            }
        }
    }
}

private func makeRun(_ devices: SimulatedDevices, _ store: MemoryStore) -> ServiceRun {
    ServiceRun(service: makeService(devices, store), devices: devices, seed: 5)
}

private func makeService(_ devices: SimulatedDevices, _ store: MemoryStore) -> SensingService {
    let service = SensingService(rules: SensingRules(), devices: devices, store: store, note: { _ in }, signal: {})
    service.allow(CollectionOrder(domains: [.motion, .steps]), at: devices.clock.now)
    return service
}
