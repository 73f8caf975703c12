import Domains
import Core
import Sensing
import SimulatedBus
import Testing

@testable import Simulation

/// A bag on a chair that is handled now and then: from registers to figures.
@Suite struct HandledBagTests {
    /// Six hours.
    private static let length = Interval.hours(6)

    @Test(arguments: [0.14, 0.4] as [Float], [Interval.minutes(1), .minutes(5)])
    func whatIsHandledForSixSecondsEveryHalfHourIsNotWorn(strength: Float, relaxedInterval: Interval) {
        for seed in 1...4 as ClosedRange<UInt64> {
            let clock = VirtualClock(bootingAt: SimulatedLifeTests.firstDay.start)
            let bag = HandledBag(strength: strength, from: clock.now.boot + .minutes(150), seed: seed)
            let devices = SimulatedDevices(source: bag, pulses: [], clock: clock, hasPulseLine: false, seed: seed)
            var rules = SensingRules()
            rules.dutyCycle.relaxedInterval = relaxedInterval
            let store = MemoryStore()
            let service = SensingService(rules: rules, devices: devices, store: store, note: { _ in }, signal: {})
            service.allow(CollectionOrder(domains: [.motion, .steps]), at: clock.now)
            let run = ServiceRun(service: service, devices: devices, seed: seed)
            let end = clock.now.wall + Self.length
            var minutesNotWorn = 0
            while clock.now.wall < end {
                run.run(until: clock.now.wall + .minutes(1))
                if !service.session.isWorn { minutesNotWorn += 1 }
            }
            let sedentary = store.total(of: .sedentaryMinutes, with: service.session)
            #expect(minutesNotWorn >= 220, "seed \(seed)")
            #expect(sedentary ?? 0 == 0, "seed \(seed)")
        }
    }
}

/// Tilted, with 4 mg of noise on each axis, and handled for six seconds every 31 minutes and 37 seconds from `start`.
private final class HandledBag: AccelerationSource {
    private let strength: Float
    private let start: BootTime
    /// Normal numbers, taken in turn. Drawing each anew would be most of the test.
    private let normals: [Float]
    private var next = 0

    init(strength: Float, from start: BootTime, seed: UInt64) {
        self.strength = strength
        self.start = start
        var generator = SeededGenerator(seed: seed)
        // Twelve uniform numbers make a normal one.
        normals = (0..<4093).map { _ in
            (0..<12).reduce(Float(-6)) { sum, _ in sum + Float.random(in: 0..<1, using: &generator) }
        }
    }

    func acceleration(at time: BootTime) -> Acceleration {
        let since = (time - start).inMilliseconds
        let isHandled = since >= 0 && since % 1_897_000 < 6000
        return Acceleration(x: 0.06 + noise(isHandled), y: 0.92 + noise(isHandled), z: 0.38 + noise(isHandled))
    }

    private func noise(_ isHandled: Bool) -> Float {
        next = (next + 1) % normals.count
        return normals[next] * (isHandled ? strength : 0.004)
    }
}
