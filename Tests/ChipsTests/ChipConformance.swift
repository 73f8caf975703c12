import Ports
import Quantities
import SimulatedBus
import Testing

@testable import Chips

/// Virtual time, a simulated chip of some kind on a simulated bus, and its driver.
final class ChipBench {
    final class Clock { var now = BootTime(nanoseconds: 0) }

    final class Felt: AccelerationSource {
        var acceleration: (BootTime) -> Acceleration = { _ in Acceleration(x: 0, y: 0, z: 1) }
        var temperature: Double?
        func acceleration(at time: BootTime) -> Acceleration { acceleration(time) }
        func temperature(at time: BootTime) -> Double? { temperature }
    }

    let clock = Clock()
    let felt = Felt()
    let chip: any SimulatedAccelerometer
    let bus: SimulatedI2CBus
    let sensor: any Accelerometer
    let address: I2CAddress

    init(_ kind: ChipConformance, range: Int = 8, oscillatorError: Double = 0, maximumTransfer: Int? = nil) {
        let clock = clock
        chip = kind.simulated.chip(
            feeling: felt, clock: { clock.now }, noiseDensity: 0, oscillatorError: oscillatorError, seed: 1)
        address = kind.chip.addresses[0]
        bus = SimulatedI2CBus(
            clock: { clock.now }, wait: { clock.now = clock.now + $0 }, chips: [(address, chip)])
        bus.maximumTransfer = maximumTransfer
        sensor = kind.chip.driver(on: bus, at: address, AccelerometerSetup(range: range))
    }

    var sampling: Sampling { sensor.chip.sampling }
    var slowSampling: Sampling { sensor.chip.slowSampling }

    func wait(_ interval: Interval) { clock.now = clock.now + interval }

    /// After so many accesses.
    func interfere(_ interference: ChipConformance.Interference, after position: Int) {
        var left = position
        bus.beforeTransfer = { [unowned self] in
            defer { left -= 1 }
            guard left == 0 else { return }
            switch interference {
            case .lostWrite: bus.losesNextWrite = true
            case .dipOfTheSupply: chip.losePower()
            }
        }
    }

    /// So many samples, drained as often as the FIFO needs, from a fresh start.
    func window(_ count: Int = 128) throws -> [Acceleration] {
        try sensor.start()
        wait(sampling.startUp)
        return try more(count)
    }

    /// So many samples at the slow rate, drained as seldom as the FIFO allows, from a fresh start.
    func slowSamples(_ count: Int) throws -> [Acceleration] {
        try sensor.startSlowly()
        wait(slowSampling.startUp)
        return try more(count, slowSampling)
    }

    /// The next so many.
    func more(_ count: Int) throws -> [Acceleration] { try more(count, sampling) }

    func more(_ count: Int, _ sampling: Sampling) throws -> [Acceleration] {
        var samples: [Acceleration] = []
        let most = Int64(sampling.fifoDepth - sampling.fifoDepth / 8)
        var patience = 3 * count
        while samples.count < count, patience > 0 {
            let missing = Int64(count - samples.count)
            wait(sampling.period * min(missing, most))
            samples += try sensor.drain(count - samples.count).samples
            patience -= 1
        }
        return samples
    }
}

/// The duties of every driver of an accelerometer, shown on a simulated chip.
struct ChipConformance: Sendable, CustomTestStringConvertible {
    let chip: Chip
    let simulated: SimulatedIMU

    var testDescription: String { chip.id }

    /// Every chip of the list that can be simulated here.
    static let all: [ChipConformance] = Chip.all.compactMap { chip in
        SimulatedIMU(chip.id).map { ChipConformance(chip: chip, simulated: $0) }
    }

    func runAll() throws {
        try aStrangerIsRefusedBeforeAnythingIsWritten()
        try theSearchFindsItAndWritesNothing()
        try everyRangeGivesTheSameAccelerationAndSaturatesAtItsEnd()
        try samplesFollowOneAnotherWhateverTheAdapterCanMoveAtOnce()
        try anyNumberCanBeDrainedAtAnyTime()
        try everyWaitGivesRightSamplesOrAnOverrun()
        try anAbandonedWindowLeavesNothingInTheNext()
        try movementRaisesTheInterruptOnceAndTheNextWindowClearsIt()
        try stillnessInAnyPostureRaisesNothing()
        try theThresholdDecidesWhatIsMovement()
        try withoutWakeOnMotionItIsOff()
        try sleepTurnsItOffFromAnyState()
        try whateverWasSetBeforeIsOverridden()
        try aTransferThatFailsAnywhereCostsNoMoreThanItsWindow()
        try noInterferenceYieldsWrongNumbers()
        try aDipWithinADrainYieldsNoZeros()
        try anotherChipIsNotPutToRestEither()
        try aStuckBusIsUsableAgainAfterItsRecovery()
        try aDipOfTheSupplyIsNoticed()
        try aDipOfTheSupplyAtRestIsNoticed()
        try anotherChipInItsPlaceIsNotWrittenTo()
        try theThermometerFollowsAndItsFailureCostsNoSamples()
        try runAllSlowly()
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
        let place = try SensorSearch().find(on: bench.bus)
        #expect(place.chip == chip && place.address == bench.address)
        #expect(!bench.bus.trace.contains { if case .wrote = $0 { true } else { false } })
    }

    // MARK: Samples

    func everyRangeGivesTheSameAccelerationAndSaturatesAtItsEnd() throws {
        for range in chip.ranges {
            let bench = ChipBench(self, range: range)
            bench.felt.acceleration = { _ in Acceleration(x: 0.5, y: -1.25, z: 100) }
            let samples = try bench.window()
            let fineness = Float(range) / 1000
            #expect(samples.count == 128)
            #expect(samples.allSatisfy { abs($0.x - 0.5) <= fineness && abs($0.y + 1.25) <= fineness }, "±\(range) g")
            #expect(samples.allSatisfy { $0.z >= 0.99 * Float(range) }, "±\(range) g")
        }
    }

    func samplesFollowOneAnotherWhateverTheAdapterCanMoveAtOnce() throws {
        for maximumTransfer in [nil, 32, 7, 1] {
            for error in [-0.05, 0, 0.05] {
                let bench = ChipBench(self, oscillatorError: error, maximumTransfer: maximumTransfer)
                rise(bench)
                do {
                    let samples = try bench.window() + bench.more(128)
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

    /// The latest moment at which draining is still in time, and whatever comes after it: never a gap that is not told.
    func everyWaitGivesRightSamplesOrAnOverrun() throws {
        let depth = Int64(chip.sampling.fifoDepth)
        for quarters in (4 * depth - 16)...(4 * depth + 16) {
            let bench = ChipBench(self)
            rise(bench)
            var samples = try bench.window(10)
            bench.wait(chip.sampling.period * quarters / 4)
            do {
                samples += try bench.sensor.drain(.max).samples
                #expect(quarters < 4 * (depth + 1))
            } catch {
                guard case .overrun = error else { throw error }
                #expect(quarters >= 4 * depth - 8, "after \(quarters) quarters of a sample")
                samples = []
            }
            samples += try bench.more(20)
            expectConsecutive(samples)
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

    func movementRaisesTheInterruptOnceAndTheNextWindowClearsIt() throws {
        let bench = ChipBench(self)
        _ = try bench.window()
        #expect(try !bench.sensor.hasMoved(), "it is not armed")
        try bench.sensor.rest(wakeOnMotion: true)
        #expect(bench.chip.rests)
        bench.wait(.seconds(30))
        #expect(bench.chip.interruptTime == nil)
        #expect(try !bench.sensor.hasMoved())

        bench.felt.acceleration = { _ in Acceleration(x: 0.3, y: 0, z: 0.95) }
        let moved = bench.clock.now
        bench.wait(.seconds(2))
        let interrupt = try #require(bench.chip.interruptTime)
        #expect(interrupt > moved && interrupt <= moved + .milliseconds(250))
        #expect(bench.chip.interrupts(after: moved, through: bench.clock.now).count == 1)
        #expect(try bench.sensor.hasMoved())

        #expect(try bench.window().allSatisfy { abs($0.x - 0.3) < 0.01 })
        let count = bench.chip.interrupts(after: moved, through: bench.clock.now).count
        try bench.sensor.rest(wakeOnMotion: true)
        bench.wait(.minutes(5))
        #expect(
            bench.chip.interrupts(after: moved, through: bench.clock.now).count == count,
            "the new posture is the one to compare with")
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

    func sleepTurnsItOffFromAnyState() throws {
        for operation in Operation.allCases {
            let bench = ChipBench(self)
            try operation.prepare(bench)
            try operation.run(bench)
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
        for junk in [UInt8(0xFF), 0xAA, 0x55, 0x7F] {
            let bench = ChipBench(self)
            for register in UInt8(0)...0x7F { try bench.bus.write(junk, to: register, of: bench.address) }
            bench.wait(.seconds(3))
            bench.felt.acceleration = { _ in Acceleration(x: 0.6, y: -0.5, z: 0.4) }
            let samples = try bench.window()
            #expect(samples.count == 128)
            #expect(samples.allSatisfy { abs($0.x - 0.6) < 0.01 && abs($0.y + 0.5) < 0.01 && abs($0.z - 0.4) < 0.01 })
            try bench.sensor.rest(wakeOnMotion: true)
            let armed = bench.clock.now
            bench.wait(.minutes(1))
            #expect(bench.chip.interrupts(after: armed, through: bench.clock.now).isEmpty, "after \(junk)")
        }
    }

    enum Operation: CaseIterable {
        case initialise, start, startWhileFilling, startWhenArmed, drain, arm, rest, sleep, sleepWhenArmed

        func prepare(_ bench: ChipBench) throws {
            switch self {
            case .initialise: break
            case .start: try bench.sensor.initialise()
            case .startWhileFilling, .drain, .arm, .rest, .sleep:
                try bench.sensor.start()
                bench.wait(bench.sampling.startUp + bench.sampling.period * 20)
            case .startWhenArmed, .sleepWhenArmed:
                _ = try bench.window(10)
                try bench.sensor.rest(wakeOnMotion: true)
            }
        }

        func run(_ bench: ChipBench) throws {
            switch self {
            case .initialise: try bench.sensor.initialise()
            case .start, .startWhileFilling, .startWhenArmed: try bench.sensor.start()
            case .drain: _ = try bench.sensor.drain(128)
            case .arm: try bench.sensor.rest(wakeOnMotion: true)
            case .rest: try bench.sensor.rest(wakeOnMotion: false)
            case .sleep, .sleepWhenArmed: try bench.sensor.sleep()
            }
        }
    }

    func aTransferThatFailsAnywhereCostsNoMoreThanItsWindow() throws {
        for operation in Operation.allCases {
            let rehearsal = ChipBench(self)
            try operation.prepare(rehearsal)
            let before = rehearsal.bus.statistics.accesses
            try operation.run(rehearsal)
            for position in 0..<(rehearsal.bus.statistics.accesses - before) {
                let bench = ChipBench(self)
                try operation.prepare(bench)
                bench.bus.fault = .nak(next: 1, after: position)
                #expect(throws: SensorError.self, "\(operation), transfer \(position)") { try operation.run(bench) }
                #expect(throws: SensorError.noWindow(chip: chip.name)) { try bench.sensor.drain(1) }
                rise(bench)
                let samples = try bench.window()
                #expect(samples.count == 128, "\(operation), transfer \(position)")
                expectConsecutive(samples)
                try bench.sensor.sleep()
                #expect(bench.chip.isOff)
            }
        }
    }

    enum Interference: CaseIterable { case lostWrite, dipOfTheSupply }

    /// Whatever is lost, and wherever the supply dips: samples are right or there is an error, and it passes by itself.
    func noInterferenceYieldsWrongNumbers() throws {
        let right = Acceleration(x: 0.6, y: -0.5, z: 0.4)
        for operation in Operation.allCases {
            let rehearsal = ChipBench(self)
            try operation.prepare(rehearsal)
            let before = rehearsal.bus.statistics.accesses
            try operation.run(rehearsal)
            for position in 0..<(rehearsal.bus.statistics.accesses - before) {
                for interference in Interference.allCases {
                    let bench = ChipBench(self)
                    bench.felt.acceleration = { _ in right }
                    try operation.prepare(bench)
                    bench.interfere(interference, after: position)
                    try? operation.run(bench)
                    var counts: [Int] = []
                    for _ in 0..<4 {
                        let samples = (try? bench.window(40)) ?? []
                        counts.append(samples.count)
                        let areRight = samples.allSatisfy { ($0 - right).magnitude < 0.05 }
                        #expect(areRight, "\(chip.id), \(operation), \(interference) at \(position)")
                    }
                    #expect(counts.last == 40, "\(chip.id), \(operation), \(interference) at \(position): \(counts)")
                    try bench.sensor.sleep()
                    #expect(bench.chip.isOff)
                }
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

    func aDipOfTheSupplyIsNoticed() throws {
        let bench = ChipBench(self)
        _ = try bench.window(20)
        bench.chip.losePower()
        bench.wait(.seconds(1))
        #expect(throws: SensorError.self) { try bench.sensor.drain(108) }
        #expect(try bench.window().count == 128)
    }

    /// By the next window, of which no sample is wrong; the one after it is whole.
    func aDipOfTheSupplyAtRestIsNoticed() throws {
        for wakeOnMotion in [true, false] {
            let bench = ChipBench(self)
            bench.felt.acceleration = { _ in Acceleration(x: 0.5, y: -1.25, z: 5) }
            _ = try bench.window(20)
            try bench.sensor.rest(wakeOnMotion: wakeOnMotion)
            bench.chip.losePower()
            bench.wait(.seconds(1))
            do throws(SensorError) {
                try bench.sensor.start()
                bench.wait(bench.sampling.startUp + bench.sampling.period * 20)
                #expect(try bench.sensor.drain(128).samples.isEmpty, "wake on motion: \(wakeOnMotion)")
                Issue.record("it is not noticed, wake on motion: \(wakeOnMotion)")
            } catch {
                guard case .configurationRefused = error else { throw error }
            }
            let samples = try bench.window()
            #expect(samples.count == 128)
            #expect(samples.allSatisfy { abs($0.x - 0.5) < 0.01 && abs($0.z - 5) < 0.01 })
        }
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
        let bench = ChipBench(self)
        rise(bench)
        bench.felt.temperature = 30
        var samples = try bench.window(100)
        guard let warm = try bench.sensor.temperature() else { return }
        bench.felt.temperature = 24.5
        bench.wait(bench.sampling.period)
        let cool = try #require(try bench.sensor.temperature())
        #expect(abs(warm - cool - 5.5) <= 1)
        bench.bus.fault = .nak(next: 1)
        #expect(throws: SensorError.self) { _ = try bench.sensor.temperature() }
        samples += try bench.more(28)
        #expect(samples.count == 128)
        expectConsecutive(samples)
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

    func expectConsecutive(_ samples: [Acceleration]) {
        let steps = zip(samples, samples.dropFirst()).map { ($1.x - $0.x) / 0.016 }
        #expect(
            steps.allSatisfy { (0.6...1.4).contains($0) }, "\(chip.id): \(steps.filter { !(0.6...1.4).contains($0) })")
        #expect(samples.allSatisfy { abs($0.z - 1) < 0.01 && abs($0.y) < 0.01 })
    }
}

@Suite struct ChipConformanceTests {
    @Test(arguments: ChipConformance.all) func identity(kind: ChipConformance) throws {
        try kind.aStrangerIsRefusedBeforeAnythingIsWritten()
        try kind.theSearchFindsItAndWritesNothing()
    }

    @Test(arguments: ChipConformance.all) func samplesAreRightInG(kind: ChipConformance) throws {
        try kind.everyRangeGivesTheSameAccelerationAndSaturatesAtItsEnd()
    }

    @Test(arguments: ChipConformance.all) func samplesFollowOneAnother(kind: ChipConformance) throws {
        try kind.samplesFollowOneAnotherWhateverTheAdapterCanMoveAtOnce()
        try kind.anyNumberCanBeDrainedAtAnyTime()
        try kind.anAbandonedWindowLeavesNothingInTheNext()
    }

    @Test(arguments: ChipConformance.all) func anOverrunIsTold(kind: ChipConformance) throws {
        try kind.everyWaitGivesRightSamplesOrAnOverrun()
    }

    @Test(arguments: ChipConformance.all) func movementWakesIt(kind: ChipConformance) throws {
        try kind.movementRaisesTheInterruptOnceAndTheNextWindowClearsIt()
        try kind.stillnessInAnyPostureRaisesNothing()
        try kind.theThresholdDecidesWhatIsMovement()
    }

    @Test(arguments: ChipConformance.all) func itRestsAndSleeps(kind: ChipConformance) throws {
        try kind.withoutWakeOnMotionItIsOff()
        try kind.sleepTurnsItOffFromAnyState()
    }

    @Test(arguments: ChipConformance.all) func aWarmStartIsAsGoodAsACold(kind: ChipConformance) throws {
        try kind.whateverWasSetBeforeIsOverridden()
    }

    @Test(arguments: ChipConformance.all) func whateverIsLostNumbersAreRight(kind: ChipConformance) throws {
        try kind.noInterferenceYieldsWrongNumbers()
        try kind.aDipWithinADrainYieldsNoZeros()
        try kind.anotherChipIsNotPutToRestEither()
    }

    @Test(arguments: ChipConformance.all) func aTransferThatFailsCostsOneWindow(kind: ChipConformance) throws {
        try kind.aTransferThatFailsAnywhereCostsNoMoreThanItsWindow()
        try kind.aStuckBusIsUsableAgainAfterItsRecovery()
    }

    @Test(arguments: ChipConformance.all) func aChipThatWasResetOrSwappedIsNoticed(kind: ChipConformance) throws {
        try kind.aDipOfTheSupplyIsNoticed()
        try kind.aDipOfTheSupplyAtRestIsNoticed()
        try kind.anotherChipInItsPlaceIsNotWrittenTo()
    }

    @Test(arguments: ChipConformance.all) func aThermometerCostsNoSamples(kind: ChipConformance) throws {
        try kind.theThermometerFollowsAndItsFailureCostsNoSamples()
    }

    @Test func everyChipOfTheListCanBeSimulated() {
        #expect(ChipConformance.all.map(\.chip) == Chip.all)
    }
}
