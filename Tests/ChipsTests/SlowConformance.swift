import Ports
import Quantities
import SimulatedBus
import Testing

@testable import Chips

/// The duties of every driver at the slow rate of its chip.
extension ChipConformance {
    func runAllSlowly() throws {
        try theSlowRateIsSlower()
        try theFIFOFillsSlowlyFromAnyState()
        try slowSamplesFollowOneAnother()
        try slowSamplesAreRightInG()
        try everyWaitGivesRightSlowSamplesOrAnOverrun()
        try windowsComeBackFromAnySlowState()
        try restAndSleepEndTheSlowFilling()
        try movementWakesItAfterASlowTime()
        try aTransferThatFailsWhileItIsSlowIsGotOver()
        try noInterferenceYieldsWrongSlowNumbers()
        try aDipOfTheSupplyIsNoticedWhileItIsSlow()
        try theThermometerWorksSlowly()
    }

    /// Where the driver may be told to fill the FIFO slowly, or to end that.
    enum Place: CaseIterable {
        case unknown, asleep, armed, filling, fillingSlowly, asleepAfterSlow, armedAfterSlow

        /// Some samples are left in a FIFO that fills.
        func reach(_ bench: ChipBench) throws {
            switch self {
            case .unknown: return
            case .asleep: try bench.sensor.initialise()
            case .armed, .filling:
                try bench.sensor.start()
                bench.wait(bench.sampling.startUp + bench.sampling.period * 10)
            case .fillingSlowly, .asleepAfterSlow, .armedAfterSlow:
                try bench.sensor.startSlowly()
                bench.wait(bench.slowSampling.startUp + bench.slowSampling.period * 10)
            }
            switch self {
            case .armed, .armedAfterSlow: try bench.sensor.rest(wakeOnMotion: true)
            case .asleepAfterSlow: try bench.sensor.rest(wakeOnMotion: false)
            case .unknown, .asleep, .filling, .fillingSlowly: return
            }
            bench.wait(.seconds(1))
        }
    }

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
            let fineness = Float(range) / 1000
            #expect(samples.count == 10)
            #expect(samples.allSatisfy { abs($0.x - 0.5) <= fineness && abs($0.y + 1.25) <= fineness }, "±\(range) g")
            #expect(samples.allSatisfy { $0.z >= 0.99 * Float(range) }, "±\(range) g")
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

    enum SlowOperation: CaseIterable {
        case setUp, startAsleep, startArmed, startFilling, startAgain, drain, overrun
        case window, windowAsleep, windowArmed, firstWindow, arm, rest, sleep

        private var place: Place {
            switch self {
            case .setUp: .unknown
            case .startAsleep, .firstWindow: .asleep
            case .startArmed: .armed
            case .startFilling: .filling
            case .startAgain, .drain, .overrun, .window, .arm, .rest, .sleep: .fillingSlowly
            case .windowAsleep: .asleepAfterSlow
            case .windowArmed: .armedAfterSlow
            }
        }

        var startsWindow: Bool { [.window, .windowAsleep, .windowArmed, .firstWindow].contains(self) }

        func prepare(_ bench: ChipBench) throws {
            try place.reach(bench)
            if self == .overrun { bench.wait(bench.slowSampling.period * Int64(bench.slowSampling.fifoDepth + 5)) }
        }

        func run(_ bench: ChipBench) throws -> [Acceleration] {
            switch self {
            case .setUp, .startAsleep, .startArmed, .startFilling, .startAgain: try bench.sensor.startSlowly()
            case .drain: return try bench.sensor.drain(.max).samples
            case .overrun:
                do throws(SensorError) {
                    return try bench.sensor.drain(.max).samples
                } catch {
                    guard case .overrun = error else { throw error }
                }
            case .window, .windowAsleep, .windowArmed, .firstWindow: try bench.sensor.start()
            case .arm: try bench.sensor.rest(wakeOnMotion: true)
            case .rest: try bench.sensor.rest(wakeOnMotion: false)
            case .sleep: try bench.sensor.sleep()
            }
            return []
        }

        /// The number of accesses that it takes.
        func accesses(_ kind: ChipConformance) throws -> Int {
            let bench = ChipBench(kind)
            try prepare(bench)
            let before = bench.bus.statistics.accesses
            _ = try run(bench)
            return bench.bus.statistics.accesses - before
        }
    }

    func aTransferThatFailsWhileItIsSlowIsGotOver() throws {
        for operation in SlowOperation.allCases {
            for position in 0..<(try operation.accesses(self)) {
                let bench = ChipBench(self)
                try operation.prepare(bench)
                bench.bus.fault = .nak(next: 1, after: position)
                #expect(throws: SensorError.self, "\(operation), transfer \(position)") { try operation.run(bench) }
                #expect(throws: SensorError.noWindow(chip: chip.name)) { try bench.sensor.drain(1) }
                rise(bench, every: bench.slowSampling.period, y: 0.5)
                let samples = try bench.slowSamples(6)
                #expect(samples.count == 6, "\(operation), transfer \(position)")
                expectRising(samples, y: 0.5, "\(operation), transfer \(position)")
            }
        }
    }

    /// Whatever is lost, and wherever the supply dips: samples are right and have the right rate, or there is an error.
    func noInterferenceYieldsWrongSlowNumbers() throws {
        for operation in SlowOperation.allCases {
            for position in 0..<(try operation.accesses(self)) {
                for interference in Interference.allCases {
                    let comment = "\(chip.id), \(operation), \(interference) at \(position)"
                    let bench = ChipBench(self)
                    let sampling = operation.startsWindow ? bench.sampling : bench.slowSampling
                    // What a drain takes was felt before.
                    if operation == .drain { rise(bench, every: sampling.period, y: 0.5) }
                    try operation.prepare(bench)
                    if operation != .drain { rise(bench, every: sampling.period, y: 0.5) }
                    bench.interfere(interference, after: position)
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

    // MARK: Helpers

    /// Of one sample to the next by the rise of `rise`, felt since it began, and settled.
    private func expectRising(_ samples: [Acceleration], y: Float, _ comment: String) {
        let steps = zip(samples, samples.dropFirst()).map { ($1.x - $0.x) / 0.016 }
        #expect(steps.allSatisfy { (0.6...1.4).contains($0) }, "\(comment): \(steps.prefix(20))")
        #expect(
            samples.allSatisfy { abs($0.y - y) < 0.01 && abs($0.z - 1) < 0.01 }, "\(comment): \(samples.prefix(20))")
    }
}

@Suite struct SlowConformanceTests {
    @Test(arguments: ChipConformance.all) func theFIFOFillsSlowly(kind: ChipConformance) throws {
        try kind.theSlowRateIsSlower()
        try kind.theFIFOFillsSlowlyFromAnyState()
        try kind.slowSamplesFollowOneAnother()
        try kind.slowSamplesAreRightInG()
    }

    @Test(arguments: ChipConformance.all) func anOverrunIsTold(kind: ChipConformance) throws {
        try kind.everyWaitGivesRightSlowSamplesOrAnOverrun()
    }

    @Test(arguments: ChipConformance.all) func itEnds(kind: ChipConformance) throws {
        try kind.windowsComeBackFromAnySlowState()
        try kind.restAndSleepEndTheSlowFilling()
        try kind.movementWakesItAfterASlowTime()
    }

    @Test(arguments: ChipConformance.all) func aTransferThatFailsIsGotOver(kind: ChipConformance) throws {
        try kind.aTransferThatFailsWhileItIsSlowIsGotOver()
    }

    @Test(arguments: ChipConformance.all) func whateverIsLostNumbersAreRight(kind: ChipConformance) throws {
        try kind.noInterferenceYieldsWrongSlowNumbers()
        try kind.aDipOfTheSupplyIsNoticedWhileItIsSlow()
    }

    @Test(arguments: ChipConformance.all) func aThermometerCostsNoSamples(kind: ChipConformance) throws {
        try kind.theThermometerWorksSlowly()
    }
}
