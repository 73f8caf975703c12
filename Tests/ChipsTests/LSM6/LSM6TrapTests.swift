import Ports
import Quantities
import SimulatedBus
import Testing

@testable import Chips

/// The traps of the LSM6 chips, through their drivers and on simulated chips.
@Suite struct LSM6TrapTests {
    private static let kinds = ["lsm6dso", "lsm6ds3trc"]

    private let bench: ChipBench
    private let chip: SimulatedLSM6

    init() throws { (bench, chip) = try Self.bench("lsm6dso") }

    private static func bench(_ id: String, range: Int = 8, oscillatorError: Double = 0) throws -> (
        ChipBench, SimulatedLSM6
    ) {
        let kind = try #require(ChipConformance.all.first { $0.chip.id == id })
        let bench = ChipBench(kind, range: range, oscillatorError: oscillatorError)
        return (bench, try #require(bench.chip as? SimulatedLSM6))
    }

    private func set(_ value: UInt8, _ register: UInt8, on bench: ChipBench) throws {
        try bench.bus.write(value, to: register, of: bench.address)
    }

    @Test func theSearchTellsTheTwoApartAtEitherAddress() throws {
        let clock = bench.clock
        for (kind, id) in [(SimulatedLSM6.Kind.lsm6dso, "lsm6dso"), (.lsm6ds3trc, "lsm6ds3trc")] {
            for address in [UInt8(0x6A), 0x6B] {
                let place = try #require(I2CAddress(address))
                let chip = SimulatedLSM6(kind, source: bench.felt, clock: { clock.now }, seed: 1)
                let found = try SensorSearch().find(
                    on: SimulatedI2CBus(clock: { clock.now }, chips: [(place, chip)]))
                #expect(found.chip.id == id && found.address == place)
            }
        }
    }

    @Test(
        arguments: [
            (0x69, "LSM6DS3 or LSM6DS33"), (0x6A, "sensor = lsm6ds3trc"), (0x6B, "ISM330DHCX"),
            (0x6C, "sensor = lsm6dso"),
            (0x42, "another chip"),
        ] as [(UInt8, String)])
    func aStrangerIsNamed(identity: UInt8, name: String) {
        for chip in [Chip.lsm6dso, .lsm6ds3trc] where chip.identities[0] != identity {
            let complaint = chip.complaint(about: identity)
            #expect(complaint.map { "\($0)".contains(name) } ?? false)
        }
    }

    // MARK: Another program was here

    @Test(arguments: kinds) func everyRegisterThatWasLeftInFrontIsOverridden(id: String) throws {
        for (junk, range) in [(UInt8(0xFE), 8), (0xAA, 16), (0x54, 2), (0x7E, 16)] {
            let (bench, _) = try Self.bench(id, range: range)
            for register in UInt8(2)...0x7F { try set(junk, register, on: bench) }
            bench.wait(.seconds(3))
            bench.felt.acceleration = { _ in Acceleration(x: 0.6, y: -0.5, z: 0.4) }
            let samples = try bench.window()
            #expect(samples.count == 128)
            #expect(
                samples.allSatisfy { abs($0.x - 0.6) < 0.01 && abs($0.y + 0.5) < 0.01 && abs($0.z - 0.4) < 0.01 },
                "\(id) after \(junk)")
            try bench.sensor.rest(wakeOnMotion: true)
            let armed = bench.clock.now
            bench.wait(.minutes(1))
            #expect(bench.chip.interrupts(after: armed, through: bench.clock.now).isEmpty)
            try bench.sensor.sleep()
            #expect(bench.chip.isOff, "the gyroscope too")
        }
    }

    @Test(arguments: kinds) func aRunningGyroscopeIsTurnedOffBySleepAlone(id: String) throws {
        let (bench, _) = try Self.bench(id)
        try set(0x60, 0x11, on: bench)
        #expect(!bench.chip.isOff)
        try bench.sensor.sleep()
        #expect(bench.chip.isOff)
    }

    @Test(arguments: kinds) func otherRegistersInFrontArePutAway(id: String) throws {
        let (bench, _) = try Self.bench(id)
        try set(0x80, 0x01, on: bench)
        #expect(try bench.window().count == 128)
    }

    @Test(arguments: kinds) func whereTheyHideTheIdentityNothingIsWritten(id: String) throws {
        let (bench, chip) = try Self.bench(id)
        chip.hidesIdentity = true
        try set(0x80, 0x01, on: bench)
        bench.bus.isTracing = true
        #expect(throws: SensorError.self) { try bench.sensor.initialise() }
        #expect(!bench.bus.trace.contains { if case .wrote = $0 { true } else { false } })
    }

    // MARK: Samples

    @Test func samplesThatAreMarkedAreNeverSeen() throws {
        chip.unsettledSamples = 9
        bench.felt.acceleration = { _ in Acceleration(x: 0.5, y: 0, z: 1) }
        let samples = try bench.window()
        #expect(samples.count == 128)
        #expect(samples.allSatisfy { abs($0.x - 0.5) < 0.001 && abs($0.z - 1) < 0.001 })
    }

    @Test func aBlowBeyondTheRangeIsNoGap() throws {
        _ = try bench.window(10)
        let blow = bench.clock.now
        bench.felt.acceleration = { time in
            Acceleration(x: time < blow + .milliseconds(100) ? 50 : 0, y: 0, z: 1)
        }
        let held = bench.chip.samplesHeld
        bench.wait(bench.sampling.period * 20)
        let samples = try bench.sensor.drain(.max).samples
        #expect(samples.count == held + 20)
        #expect(samples.count { $0.x > 7.9 } >= 2)
    }

    @Test(arguments: [-0.06, -0.03, 0, 0.0015, 0.06])
    func thePeriodIsThatOfThisChip(oscillatorError: Double) throws {
        let (bench, _) = try Self.bench("lsm6dso", oscillatorError: oscillatorError)
        try bench.sensor.initialise()
        let expected = 1e9 / (26 * (1 + oscillatorError))
        #expect(abs(Double(bench.sampling.period.nanoseconds) / expected - 1) < 0.001)
        #expect(Chip.lsm6dso.sampling.period == Interval(nanoseconds: 1_000_000_000 / 26))
    }

    /// An LSM6DSO32 is set up like an LSM6DSO and read with half of its scale: gravity tells.
    @Test func aChipWithTwiceTheScaleShowsHalfOfGravity() throws {
        for range in [2, 4, 8, 16] {
            let clock = bench.clock
            let chip = SimulatedLSM6(
                .lsm6dso32, source: bench.felt, clock: { clock.now }, noiseDensity: 0, seed: 1)
            let bus = SimulatedI2CBus(clock: { clock.now }, chips: [(bench.address, chip)])
            let sensor = Chip.lsm6dso.driver(on: bus, at: bench.address, AccelerometerSetup(range: range))
            try sensor.start()
            bench.wait(.seconds(1))
            let samples = try sensor.drain(20).samples
            #expect(samples.count == 20 && samples.allSatisfy { abs($0.z - 0.5) < 0.01 })
        }
    }

    // MARK: The supply

    /// The driver does not know of a dip at rest, so the next window is set up in part: it stays empty.
    @Test(arguments: kinds) func aDipOfTheSupplyAtRestGivesNoNumbers(id: String) throws {
        for wakes in [true, false] {
            let (bench, chip) = try Self.bench(id)
            _ = try bench.window()
            try bench.sensor.rest(wakeOnMotion: wakes)
            chip.losePower()
            try bench.sensor.start()
            bench.wait(.seconds(5))
            #expect(throws: SensorError.self) { try bench.sensor.drain(128) }
            #expect(try bench.window().count == 128)
        }
    }

    // MARK: Movement

    @Test(arguments: kinds) func aLatchThatWasNeverReadIsNoObstacleToTheNext(id: String) throws {
        let (bench, _) = try Self.bench(id)
        for _ in 0..<3 {
            _ = try bench.window()
            try bench.sensor.rest(wakeOnMotion: true)
            let armed = bench.clock.now
            let before = bench.felt.acceleration(armed)
            let tilt = Acceleration(x: before.x < 0.2 ? 0.4 : 0, y: 0, z: 1)
            bench.felt.acceleration = { $0 < armed + .seconds(10) ? before : tilt }
            bench.wait(.seconds(20))
            #expect(bench.chip.interrupts(after: armed, through: bench.clock.now).count == 1)
        }
    }

    /// Movement during the window sets no latch, and one that another program left is cleared.
    @Test(arguments: kinds) func aLatchFromBeforeDoesNotKeepTheLineLow(id: String) throws {
        let (bench, _) = try Self.bench(id)
        try bench.sensor.start()
        bench.wait(.seconds(1))
        try set(id == "lsm6dso" ? 0x80 : 0x81, 0x58, on: bench)
        bench.felt.acceleration = { _ in Acceleration(x: 1, y: 0, z: 0) }
        bench.wait(.seconds(1))
        try bench.sensor.rest(wakeOnMotion: true)
        bench.wait(.seconds(5))
        #expect(bench.chip.interruptTime == nil, "that was before")
        bench.felt.acceleration = { _ in Acceleration(x: 0, y: 0, z: 1) }
        bench.wait(.seconds(1))
        #expect(bench.chip.interruptTime != nil)
    }

    @Test(arguments: [(2, 0.095, false), (2, 0.11, true), (4, 0.11, true), (16, 0.13, true), (16, 0.09, false)])
    func aFineThresholdHoldsInEveryRange(range: Int, change: Double, raises: Bool) throws {
        let (bench, _) = try Self.bench("lsm6dso", range: range)
        _ = try bench.window()
        try bench.sensor.rest(wakeOnMotion: true)
        bench.felt.acceleration = { _ in Acceleration(x: 0, y: Float(change), z: 1) }
        bench.wait(.seconds(1))
        #expect((bench.chip.interruptTime != nil) == raises)
    }

    @Test(arguments: kinds) func atRestItIsInLowPower(id: String) throws {
        let (bench, chip) = try Self.bench(id)
        _ = try bench.window()
        try bench.sensor.rest(wakeOnMotion: true)
        let awake = chip.awakeTime
        bench.wait(.minutes(1))
        #expect(chip.awakeTime == awake && chip.lowPowerTime == .minutes(1))
    }
}
