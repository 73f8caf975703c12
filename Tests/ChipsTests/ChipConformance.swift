import Core
import SimulatedBus
import Testing

@testable import Devices

/// The duties of every driver of an accelerometer, shown on a simulated chip.
struct ChipConformance: Sendable, CustomTestStringConvertible {
    let chip: Chip
    let simulated: SimulatedIMU

    var testDescription: String { chip.id }

    /// Every chip of the list that can be simulated here.
    static let all: [ChipConformance] = Chip.all.compactMap { chip in
        SimulatedIMU(chip.id).map { ChipConformance(chip: chip, simulated: $0) }
    }

    // MARK: Which chip it is

    func aStrangerIsRefusedBeforeAnythingIsWritten() throws {
        let bench = ChipBench(self)
        bench.chip.identity = chip.identities[0] ^ 0x55
        bench.bus.isTracing = true
        #expect(throws: chip.complaint(about: chip.identities[0] ^ 0x55) ?? .noWindow(chip: "")) {
            try bench.sensor.initialise()
        }
        #expect(!bench.bus.trace.contains { if case .wrote = $0 { true } else { false } })
    }

    func theSearchFindsItAndWritesNothing() throws {
        let bench = ChipBench(self)
        bench.bus.isTracing = true
        let place = try ChipSearch<Chip>().find(on: bench.bus)
        #expect(place.chip == chip && place.address == bench.address)
        #expect(!bench.bus.trace.contains { if case .wrote = $0 { true } else { false } })
    }

    // MARK: Samples

    func everyRangeGivesTheSameAccelerationAndSaturatesAtItsEnd() throws {
        for range in chip.ranges {
            for rate in ChipBench.Rate.allCases {
                let bench = ChipBench(self, range: range)
                bench.felt.acceleration = { _ in Acceleration(x: 0.5, y: -1.25, z: 100) }
                let samples = try bench.samples(128, at: rate)
                let fineness = Float(range) / 1000
                #expect(samples.count == 128)
                #expect(
                    samples.allSatisfy { abs($0.x - 0.5) <= fineness && abs($0.y + 1.25) <= fineness }, "±\(range) g")
                #expect(samples.allSatisfy { $0.z >= 0.99 * Float(range) }, "±\(range) g")
            }
        }
    }

    func samplesFollowOneAnotherWhateverTheAdapterCanMoveAtOnce() throws {
        for (maximumTransfer, rate) in [nil, 32, 7, 1].flatMap({ most in ChipBench.Rate.allCases.map { (most, $0) } }) {
            for error in [-0.05, 0, 0.05] {
                let bench = ChipBench(self, oscillatorError: error, maximumTransfer: maximumTransfer)
                rise(bench, every: bench.sampling(at: rate).period)
                do {
                    let samples = try bench.samples(128, at: rate) + bench.more(128, bench.sampling(at: rate))
                    #expect(samples.count == 256)
                    expectConsecutive(samples)
                } catch SensorError.bus(.unsupported, _) {
                    #expect(maximumTransfer.map { $0 < 6 } ?? false, "a sample has six bytes")
                }
            }
        }
    }

    func anyNumberCanBeDrainedAtAnyTime() throws {
        let bench = ChipBench(self)
        rise(bench)
        try bench.sensor.start()
        #expect(try bench.sensor.drain(128).samples.isEmpty)
        var samples: [Acceleration] = []
        for (periods, most) in [(1, 128), (9, 5), (2, 0), (3, 100), (20, 7), (1, .max), (1, 1), (0, 50)] {
            bench.wait(bench.sampling.period * Int64(periods))
            let drained = try bench.sensor.drain(most)
            #expect(drained.samples.count <= most)
            #expect(drained.waiting == bench.chip.samplesHeld || drained.samples.isEmpty)
            samples += drained.samples
        }
        #expect((30...37).contains(samples.count))
        expectConsecutive(samples)
    }

    /// Nearly the whole depth without a loss, and whatever comes after it: never a gap that is not told.
    func everyWaitGivesRightSamplesOrAnOverrun() throws {
        for rate in ChipBench.Rate.allCases {
            let sampling = ChipBench(self).sampling(at: rate)
            let depth = Int64(sampling.fifoDepth)
            // Twice over and more, as far as the rise goes.
            let later = [6 * depth, 8 * depth, 8 * depth + 5].filter { $0 < 3000 }
            for quarters in Array((4 * depth - 16)...(4 * depth + 16)) + later {
                let bench = ChipBench(self)
                rise(bench, every: sampling.period)
                var samples = try bench.samples(10, at: rate)
                bench.wait(sampling.period * quarters / 4)
                do {
                    samples += try bench.sensor.drain(.max).samples
                    #expect(quarters < 4 * (depth + 1))
                    #expect(samples.count >= 10 + Int(quarters / 4) - 1)
                } catch {
                    guard case .overrun = error else { throw error }
                    #expect(quarters >= 4 * depth - 8, "after \(quarters) quarters of a sample")
                    samples = []
                }
                samples += try bench.more(20, sampling)
                expectConsecutive(samples)
            }
        }
    }

    func anAbandonedWindowLeavesNothingInTheNext() throws {
        let bench = ChipBench(self)
        try bench.sensor.start()
        bench.wait(.seconds(10))
        bench.felt.acceleration = { _ in Acceleration(x: 0, y: 0.5, z: 0) }
        #expect(try bench.window().allSatisfy { abs($0.y - 0.5) < 0.01 && abs($0.z) < 0.01 })
    }

    // MARK: Rest

    /// Whether or not anybody asks meanwhile.
    func movementRaisesTheInterruptOnceAndTheNextWindowClearsIt() throws {
        let bench = ChipBench(self)
        for (round, isAsked) in [true, false, true].enumerated() {
            let start = bench.clock.now
            _ = try bench.window()
            #expect(try !bench.sensor.hasMoved(), "it is not armed")
            try bench.sensor.rest(wakeOnMotion: true)
            #expect(bench.chip.rests)
            bench.wait(.seconds(30))
            #expect(bench.chip.interrupts(after: start, through: bench.clock.now).isEmpty)
            if isAsked { #expect(try !bench.sensor.hasMoved()) }

            let x: Float = round == 1 ? 0 : 0.3
            bench.felt.acceleration = { _ in Acceleration(x: x, y: 0, z: 0.95) }
            let moved = bench.clock.now
            bench.wait(.seconds(2))
            let interrupt = try #require(bench.chip.interruptTime)
            #expect(interrupt > moved && interrupt <= moved + .milliseconds(250))
            #expect(bench.chip.interrupts(after: moved, through: bench.clock.now).count == 1)
            if isAsked {
                #expect(try bench.sensor.hasMoved())
                #expect(try !bench.sensor.hasMoved(), "it says so once")
            }

            #expect(try bench.window().allSatisfy { abs($0.x - x) < 0.01 })
            let count = bench.chip.interrupts(after: moved, through: bench.clock.now).count
            try bench.sensor.rest(wakeOnMotion: true)
            bench.wait(.minutes(5))
            #expect(
                bench.chip.interrupts(after: moved, through: bench.clock.now).count == count,
                "the new posture is the one to compare with")
        }
    }

    func stillnessInAnyPostureRaisesNothing() throws {
        let bench = ChipBench(self)
        for posture in [
            Acceleration(x: 1, y: 0, z: 0), Acceleration(x: 0, y: -1, z: 0), Acceleration(x: 0, y: 0, z: 1),
        ] {
            bench.felt.acceleration = { _ in posture }
            _ = try bench.window()
            try bench.sensor.rest(wakeOnMotion: true)
            bench.wait(.minutes(5))
            #expect(bench.chip.interruptTime == nil)
        }
    }

    /// 96 mg, rounded up to the chip's steps. A chip may take the value to compare with from its first sample at rest.
    func theThresholdDecidesWhatIsMovement() throws {
        for (change, raises) in [(Float(0.070), false), (-0.070, false), (0.200, true), (-0.200, true)] {
            let bench = ChipBench(self)
            _ = try bench.window()
            try bench.sensor.rest(wakeOnMotion: true)
            let moved = bench.clock.now + .milliseconds(100)
            bench.felt.acceleration = { Acceleration(x: 0, y: $0 < moved ? 0 : change, z: 1) }
            bench.wait(.seconds(1))
            #expect((bench.chip.interruptTime != nil) == raises, "\(change) g")
        }
    }

    func withoutWakeOnMotionItIsOff() throws {
        let bench = ChipBench(self)
        _ = try bench.window()
        try bench.sensor.rest(wakeOnMotion: false)
        #expect(bench.chip.isOff)
        bench.felt.acceleration = { _ in Acceleration(x: 2, y: 0, z: 0) }
        bench.wait(.minutes(5))
        #expect(bench.chip.interruptTime == nil)
        try bench.sensor.rest(wakeOnMotion: true)
        #expect(bench.chip.isOff, "there is nothing to compare with")
    }

    func theChipIsOnForTheWindowAlone() throws {
        let bench = ChipBench(self)
        _ = try bench.window()
        try bench.sensor.rest(wakeOnMotion: true)
        let (awake, low) = (bench.chip.awakeTime, bench.chip.lowPowerTime)
        bench.wait(.minutes(1))
        #expect(bench.chip.awakeTime == awake && bench.chip.lowPowerTime - low == .minutes(1))
    }

    func sleepTurnsItOffFromAnyState() throws {
        for operation in Operation.all {
            let bench = ChipBench(self)
            try operation.prepare(bench)
            _ = try operation.run(bench)
            try bench.sensor.sleep()
            #expect(bench.chip.isOff && bench.chip.samplesHeld == 0, "after \(operation)")
            let stranger = chip.driver(on: bench.bus, at: bench.address)
            _ = try bench.window()
            try stranger.sleep()
            #expect(bench.chip.isOff, "though another driver left it running")
        }
    }

    // MARK: Faults

    func whateverWasSetBeforeIsOverridden() throws {
        for junk in [UInt8(0xFF), 0xAA, 0x55, 0x7F, 0xFE, 0x54] {
            // Downwards, what puts other registers in front comes last.
            for registers in [Array(UInt8(0)...0x7F), (UInt8(0)...0x7F).reversed()] {
                let bench = ChipBench(self)
                for register in registers { try bench.bus.write(junk, to: register, of: bench.address) }
                bench.wait(.seconds(3))
                bench.felt.acceleration = { _ in Acceleration(x: 0.6, y: -0.5, z: 0.4) }
                let samples = try bench.window()
                #expect(samples.count == 128)
                #expect(
                    samples.allSatisfy { abs($0.x - 0.6) < 0.01 && abs($0.y + 0.5) < 0.01 && abs($0.z - 0.4) < 0.01 },
                    "after \(junk)")
                try bench.sensor.rest(wakeOnMotion: true)
                let armed = bench.clock.now
                bench.wait(.minutes(1))
                #expect(bench.chip.interrupts(after: armed, through: bench.clock.now).isEmpty, "after \(junk)")
                bench.felt.acceleration = { _ in Acceleration(x: 0.1, y: -0.5, z: 0.4) }
                bench.wait(.seconds(1))
                #expect(bench.chip.interrupts(after: armed, through: bench.clock.now).count == 1, "after \(junk)")
                try bench.sensor.sleep()
                #expect(bench.chip.isOff, "after \(junk)")
            }
        }
    }

    /// In the middle of a drain of whatever length.
    func aDipWithinADrainYieldsNoZeros() throws {
        for position in 0..<12 {
            let bench = ChipBench(self)
            bench.felt.acceleration = { _ in Acceleration(x: 0.6, y: -0.5, z: 0.4) }
            _ = try bench.window(5)
            bench.wait(chip.sampling.period * 20)
            bench.interfere(.dipOfTheSupply, after: position)
            let samples = (try? bench.sensor.drain(.max).samples) ?? []
            #expect(
                samples.allSatisfy { abs($0.x - 0.6) < 0.05 && abs($0.y + 0.5) < 0.05 }, "\(chip.id) at \(position)")
        }
    }

    func anotherChipIsNotPutToRestEither() throws {
        let bench = ChipBench(self)
        bench.chip.identity = 0x01
        bench.bus.isTracing = true
        #expect(throws: SensorError.self) { try bench.sensor.initialise() }
        #expect(throws: SensorError.self) { try bench.sensor.sleep() }
        #expect(throws: SensorError.self) { try bench.sensor.rest(wakeOnMotion: false) }
        #expect(throws: SensorError.self) { try bench.sensor.rest(wakeOnMotion: true) }
        #expect(!bench.bus.trace.contains { if case .wrote = $0 { true } else { false } })
    }

    func aStuckBusIsUsableAgainAfterItsRecovery() throws {
        let bench = ChipBench(self)
        try bench.sensor.start()
        bench.bus.fault = .stuck()
        for attempt in [{ _ = try bench.sensor.drain(1) }, { try bench.sensor.initialise() }] as [() throws -> Void] {
            do {
                try attempt()
                Issue.record("a bus that is held low goes unnoticed")
            } catch SensorError.bus(.stuck, let place) {
                #expect(place.chip == chip.name && !place.name.isEmpty)
            }
        }
        try bench.bus.recover()
        #expect(try bench.window().count == 128)
    }

    func anotherChipInItsPlaceIsNotWrittenTo() throws {
        let bench = ChipBench(self)
        _ = try bench.window(20)
        bench.chip.losePower()
        bench.chip.identity = 0x01
        #expect(throws: SensorError.self) { try bench.sensor.drain(108) }
        bench.bus.isTracing = true
        #expect(throws: chip.complaint(about: 0x01) ?? .noWindow(chip: "")) { try bench.sensor.start() }
        #expect(!bench.bus.trace.contains { if case .wrote = $0 { true } else { false } })
    }

    func theThermometerFollowsAndItsFailureCostsNoSamples() throws {
        for rate in ChipBench.Rate.allCases {
            let bench = ChipBench(self)
            rise(bench, every: bench.sampling(at: rate).period)
            bench.felt.temperature = 30
            var samples = try bench.samples(100, at: rate)
            guard let warm = try bench.sensor.temperature() else { return }
            bench.felt.temperature = 24.5
            bench.wait(bench.sampling(at: rate).period)
            let cool = try #require(try bench.sensor.temperature())
            #expect(abs(warm - cool - 5.5) <= 1)
            bench.bus.fault = .nak(next: 1)
            #expect(throws: SensorError.self) { _ = try bench.sensor.temperature() }
            samples += try bench.more(28, bench.sampling(at: rate))
            #expect(samples.count == 128)
            expectConsecutive(samples)
        }
    }

    // MARK: Helpers

    /// 16 mg more along x with each sample, at an exact rate, from now on: within ±8 g for 800 samples.
    private func rise(_ bench: ChipBench) { rise(bench, every: bench.sampling.period) }

    func rise(_ bench: ChipBench, every period: Interval, y: Float = 0) {
        let start = bench.clock.now
        bench.felt.acceleration = { time in
            Acceleration(x: Float((time - start).nanoseconds) / Float(period.nanoseconds) * 0.016 - 6, y: y, z: 1)
        }
    }

    func expectConsecutive(_ samples: [Acceleration]) { expectRising(samples, y: 0, chip.id) }

    /// Of one sample to the next by the rise of `rise`, felt since it began, and settled.
    func expectRising(_ samples: [Acceleration], y: Float, _ comment: String) {
        let steps = zip(samples, samples.dropFirst()).map { ($1.x - $0.x) / 0.016 }
        let wrong = steps.filter { !(0.6...1.4).contains($0) }
        #expect(wrong.isEmpty, "\(comment): \(wrong)")
        #expect(
            samples.allSatisfy { abs($0.y - y) < 0.01 && abs($0.z - 1) < 0.01 }, "\(comment): \(samples.prefix(20))")
    }
}

@Suite struct ChipConformanceTests {
    @Test(arguments: ChipConformance.all, ChipDuty.all) func everyChipDoes(kind: ChipConformance, duty: ChipDuty) throws
    {
        try duty.isDone(by: kind)
    }

    /// For the loops in virtual time, which leap from one event to the next.
    @Test(arguments: ChipConformance.all) func theSimulationForeseesTheInterrupt(kind: ChipConformance) throws {
        let bench = ChipBench(kind)
        _ = try bench.window(10)
        try bench.sensor.rest(wakeOnMotion: true)
        let moves = bench.clock.now + .seconds(30)
        bench.felt.acceleration = { Acceleration(x: $0 >= moves ? 0.5 : 0, y: 0, z: 1) }
        let foreseen = try #require(bench.chip.nextInterrupt(before: bench.clock.now + .minutes(1)))
        #expect(foreseen >= moves && foreseen <= moves + .milliseconds(250))
        #expect(bench.chip.interruptTime == nil)
        bench.clock.now = foreseen
        #expect(bench.chip.interruptTime == foreseen)
        #expect(bench.felt.wasAskedInOrder)
    }

    @Test func everyChipOfTheListCanBeSimulated() {
        #expect(ChipConformance.all.map(\.chip) == Chip.all)
    }
}
