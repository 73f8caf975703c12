import Core
import SimulatedBus
import Testing

@testable import Devices

/// The traps of the LSM6 chips, through their drivers and on simulated chips.
@Suite struct LSM6TrapTests {
    private static let kinds = ["lsm6dso", "lsm6ds3trc"]

    private let bench: ChipBench
    private let chip: SimulatedLSM6

    init() throws { (bench, chip) = try Self.bench("lsm6dso") }

    private static func bench(_ id: String, range: Int = 8) throws -> (ChipBench, SimulatedLSM6) {
        try ChipBench.with(SimulatedLSM6.self, id, range: range)
    }

    private func set(_ value: UInt8, _ register: UInt8, on bench: ChipBench) throws {
        try bench.bus.write(value, to: register, of: bench.address)
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

    @Test(arguments: kinds) func aRunningGyroscopeIsTurnedOffBySleepAlone(id: String) throws {
        let (bench, _) = try Self.bench(id)
        try set(0x60, 0x11, on: bench)
        #expect(!bench.chip.isOff)
        try bench.sensor.sleep()
        #expect(bench.chip.isOff)
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

    // MARK: Movement

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
}
