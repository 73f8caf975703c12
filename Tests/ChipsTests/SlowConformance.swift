import Core
import SimulatedBus
import Testing

@testable import Devices

/// The duties of every driver at the slow rate of its chip.
extension ChipConformance {
    func theSlowRateIsSlower() throws {
        #expect(chip.slowSampling.period > chip.sampling.period)
        #expect(chip.slowSampling.startUp >= chip.sampling.startUp && chip.slowSampling.setUp == chip.sampling.setUp)
    }

    func eitherRateBeginsFromAnyState() throws {
        for place in Place.allCases {
            for rate in ChipBench.Rate.allCases {
                let bench = ChipBench(self)
                try place.reach(bench)
                let (slow, awake) = (bench.chip.slowTime, bench.chip.awakeTime)
                let length = bench.sampling(at: rate).period * 12
                rise(bench, every: bench.sampling(at: rate).period, y: 0.5)
                let samples = try bench.samples(12, at: rate)
                #expect(samples.count == 12, "from \(place)")
                expectRising(samples, y: 0.5, "from \(place)")
                let spent = (slow: bench.chip.slowTime - slow, awake: bench.chip.awakeTime - awake)
                switch rate {
                case .ofWindows: #expect(spent.slow == .zero && spent.awake >= length, "from \(place)")
                case .slow: #expect(spent.slow >= length && spent.awake < .milliseconds(50), "from \(place)")
                }
                #expect(try !bench.sensor.hasMoved())
            }
        }
    }

    func restAndSleepEndTheSlowFilling() throws {
        for wakeOnMotion in [nil, true, false] {
            let bench = ChipBench(self)
            try Place.fillingSlowly.reach(bench)
            if let wakeOnMotion {
                try bench.sensor.rest(wakeOnMotion: wakeOnMotion)
            } else {
                try bench.sensor.sleep()
            }
            #expect(bench.chip.rests && bench.chip.isOff == (wakeOnMotion != true))
            let before = bench.chip.slowTime
            bench.wait(.minutes(1))
            #expect(bench.chip.slowTime == before)
            #expect(throws: SensorError.noWindow(chip: chip.name)) { try bench.sensor.drain(1) }
        }
    }

    /// The posture that movement is compared with is that of rest, not of the last slow sample.
    func movementWakesItAfterASlowTime() throws {
        let bench = ChipBench(self)
        try Place.fillingSlowly.reach(bench)
        _ = try bench.sensor.drain(.max)
        bench.wait(bench.slowSampling.period / 10)
        bench.felt.acceleration = { _ in Acceleration(x: 0.6, y: 0, z: 0.8) }
        bench.wait(bench.slowSampling.period / 2)
        bench.felt.acceleration = { _ in Acceleration(x: 0, y: 0.6, z: 0.8) }
        bench.wait(.milliseconds(90))
        try bench.sensor.rest(wakeOnMotion: true)
        #expect(bench.chip.rests)
        bench.wait(.seconds(30))
        #expect(bench.chip.interruptTime == nil, "nobody moved")
        #expect(try !bench.sensor.hasMoved())
        bench.felt.acceleration = { _ in Acceleration(x: 0.3, y: 0.6, z: 0.7) }
        let moved = bench.clock.now
        bench.wait(.seconds(2))
        let interrupt = try #require(bench.chip.interruptTime)
        #expect(interrupt > moved && interrupt <= moved + .milliseconds(250))
        #expect(try bench.sensor.hasMoved())
        rise(bench, every: bench.slowSampling.period)
        expectRising(try bench.slowSamples(5), y: 0, "after a movement")
    }
}
