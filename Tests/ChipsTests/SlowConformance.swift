import Ports
import Quantities
import SimulatedBus
import Testing

@testable import Chips

/// The duties of every driver at the slow rate of its chip.
extension ChipConformance {
    // MARK: Samples

    func theSlowRateIsSlower() throws {
        #expect(chip.slowSampling.period > chip.sampling.period)
        #expect(chip.slowSampling.startUp >= chip.sampling.startUp && chip.slowSampling.setUp == chip.sampling.setUp)
    }

    func theFIFOFillsSlowlyFromAnyState() throws {
        for place in Place.allCases {
            let bench = ChipBench(self)
            try place.reach(bench)
            let before = bench.chip.slowTime
            let awake = bench.chip.awakeTime
            rise(bench, every: bench.slowSampling.period, y: 0.5)
            let samples = try bench.slowSamples(12)
            #expect(samples.count == 12, "from \(place)")
            expectRising(samples, y: 0.5, "from \(place)")
            #expect(bench.chip.slowTime - before >= bench.slowSampling.period * 12)
            #expect(bench.chip.awakeTime - awake < .milliseconds(50))
            #expect(try !bench.sensor.hasMoved())
        }
    }

    func slowSamplesFollowOneAnother() throws {
        for maximumTransfer in [nil, 32, 7, 1] {
            for error in [-0.05, 0, 0.05] {
                let bench = ChipBench(self, oscillatorError: error, maximumTransfer: maximumTransfer)
                rise(bench, every: bench.slowSampling.period)
                do {
                    var samples = try bench.slowSamples(50)
                    samples += try bench.more(50, bench.slowSampling)
                    #expect(samples.count == 100)
                    expectRising(samples, y: 0, "\(error), \(maximumTransfer ?? 0) bytes")
                } catch SensorError.bus(.unsupported, _) {
                    #expect(maximumTransfer.map { $0 < 6 } ?? false, "a sample has six bytes")
                }
            }
        }
    }

    func slowSamplesAreRightInG() throws {
        for range in chip.ranges {
            let bench = ChipBench(self, range: range)
            bench.felt.acceleration = { _ in Acceleration(x: 0.5, y: -1.25, z: 100) }
            let samples = try bench.slowSamples(10)
            #expect(samples.count == 10)
            expectRight(samples, range: range)
        }
    }

    /// As for windows: nearly the whole depth without a loss, and never a gap that is not told.
    func everyWaitGivesRightSlowSamplesOrAnOverrun() throws {
        let depth = Int64(chip.slowSampling.fifoDepth)
        for quarters in (4 * depth - 16)...(4 * depth + 16) {
            let bench = ChipBench(self)
            rise(bench, every: chip.slowSampling.period)
            var samples = try bench.slowSamples(5)
            bench.wait(chip.slowSampling.period * quarters / 4)
            do {
                samples += try bench.sensor.drain(.max).samples
                #expect(quarters < 4 * (depth + 1))
                #expect(samples.count >= 5 + Int(quarters / 4) - 1)
            } catch {
                guard case .overrun = error else { throw error }
                #expect(quarters >= 4 * depth - 8, "after \(quarters) quarters of a sample")
                samples = []
            }
            samples += try bench.more(10, bench.slowSampling)
            expectRising(samples, y: 0, "after \(quarters) quarters of a sample")
        }
    }

    // MARK: Windows again

    func windowsComeBackFromAnySlowState() throws {
        for place in [Place.fillingSlowly, .asleepAfterSlow, .armedAfterSlow] {
            let bench = ChipBench(self)
            try place.reach(bench)
            let before = bench.chip.slowTime
            rise(bench, every: bench.sampling.period, y: 0.5)
            let samples = try bench.window(60)
            #expect(samples.count == 60, "from \(place)")
            expectRising(samples, y: 0.5, "from \(place)")
            #expect(bench.chip.slowTime == before, "from \(place)")
            #expect(bench.chip.awakeTime >= bench.sampling.period * 60)
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

    // MARK: Faults

    func aTransferThatFailsWhileItIsSlowIsGotOver() throws {
        for access in try accesses(of: Operation.slow) {
            let bench = try benchWhoseAccessFails(access)
            rise(bench, every: bench.slowSampling.period, y: 0.5)
            let samples = try bench.slowSamples(6)
            #expect(samples.count == 6, "\(access)")
            expectRising(samples, y: 0.5, "\(access)")
        }
    }

    /// Whatever is lost, and wherever the supply dips: samples are right and have the right rate, or there is an error.
    func noInterferenceYieldsWrongSlowNumbers() throws {
        for access in try accesses(of: Operation.slow) {
            for interference in Interference.allCases {
                let operation = access.operation
                let comment = "\(chip.id), \(interference), \(access)"
                let bench = ChipBench(self)
                let sampling = operation.request == .start ? bench.sampling : bench.slowSampling
                // What a drain takes was felt before.
                if operation.request == .drain { rise(bench, every: sampling.period, y: 0.5) }
                try operation.prepare(bench)
                if operation.request != .drain { rise(bench, every: sampling.period, y: 0.5) }
                bench.interfere(interference, after: access.position)
                expectRising((try? operation.run(bench)) ?? [], y: 0.5, comment)
                // Before a rate that is too fast fills the FIFO, and late enough for one that is too slow.
                let (fast, slow) = (bench.sampling, bench.slowSampling)
                let late = slow.startUp + slow.period * 8
                for wait in [fast.startUp + fast.period * 4, fast.period * 5, fast.period * 5, late, late] {
                    bench.wait(wait)
                    expectRising((try? bench.sensor.drain(.max).samples) ?? [], y: 0.5, comment)
                }
                try expectRecovery(bench, comment)
            }
        }
    }

    private func expectRecovery(_ bench: ChipBench, _ comment: String) throws {
        var slow: [Int] = []
        var windows: [Int] = []
        for _ in 0..<3 {
            rise(bench, every: bench.slowSampling.period, y: -0.5)
            let samples = (try? bench.slowSamples(6)) ?? []
            expectRising(samples, y: -0.5, comment)
            slow.append(samples.count)
            rise(bench, every: bench.sampling.period, y: 0.25)
            let window = (try? bench.window(10)) ?? []
            expectRising(window, y: 0.25, comment)
            windows.append(window.count)
        }
        #expect(slow.last == 6 && windows.last == 10, "\(comment): \(slow), \(windows)")
        try bench.sensor.sleep()
        #expect(bench.chip.isOff)
    }

    /// While the FIFO fills, and at rest before it is to fill.
    func aDipOfTheSupplyIsNoticedWhileItIsSlow() throws {
        for place in Place.allCases where place != .unknown {
            let bench = ChipBench(self)
            try place.reach(bench)
            bench.chip.losePower()
            bench.wait(.seconds(1))
            rise(bench, every: bench.slowSampling.period, y: 0.5)
            do throws(SensorError) {
                if place != .fillingSlowly { try bench.sensor.startSlowly() }
                bench.wait(bench.slowSampling.startUp + bench.slowSampling.period * 5)
                #expect(try bench.sensor.drain(128).samples.isEmpty, "\(place)")
                Issue.record("it is not noticed: \(place)")
            } catch {
                guard case .configurationRefused = error else { throw error }
            }
            let samples = try bench.slowSamples(6)
            #expect(samples.count == 6)
            expectRising(samples, y: 0.5, "\(place)")
        }
    }

    func theThermometerWorksSlowly() throws {
        let bench = ChipBench(self)
        rise(bench, every: bench.slowSampling.period)
        bench.felt.temperature = 30
        var samples = try bench.slowSamples(10)
        guard let warm = try bench.sensor.temperature() else { return }
        bench.felt.temperature = 24.5
        bench.wait(bench.slowSampling.period)
        let cool = try #require(try bench.sensor.temperature())
        #expect(abs(warm - cool - 5.5) <= 1)
        samples += try bench.more(10, bench.slowSampling)
        expectRising(samples, y: 0, "the thermometer costs none")
    }
}
