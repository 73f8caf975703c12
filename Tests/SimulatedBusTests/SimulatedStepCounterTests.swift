import Core
import SimulatedBus
import Testing

/// The step counters of the simulated LSM6 chips by their registers.
@Suite struct SimulatedStepCounterTests {
    private static let kinds: [SimulatedLSM6.Kind] = [.lsm6dso, .lsm6ds3trc]

    /// Low power, and the counter on, at the rate of this code.
    private func bench(_ kind: SimulatedLSM6.Kind, rate: UInt8 = 0x20) throws -> LSM6Bench {
        let bench = LSM6Bench(kind)
        try turn(bench, kind, on: true)
        try bench.set(0x15, 0x10)
        try bench.set(0x10, rate)
        return bench
    }

    private func turn(_ bench: LSM6Bench, _ kind: SimulatedLSM6.Kind, on isOn: Bool) throws {
        guard kind == .lsm6dso else { return try bench.set(0x19, isOn ? 0x14 : 0x00) }
        try bench.set(0x01, 0x80)
        try bench.set(0x04, isOn ? 0x08 : 0x00)
        try bench.set(0x01, 0x00)
    }

    private func count(_ bench: LSM6Bench, _ kind: SimulatedLSM6.Kind) throws -> Int {
        if kind == .lsm6dso { try bench.set(0x01, 0x80) }
        let bytes = try bench.bus.read(2, from: kind == .lsm6dso ? 0x62 : 0x4B, of: bench.address)
        if kind == .lsm6dso { try bench.set(0x01, 0x00) }
        return Int(bytes[0]) | Int(bytes[1]) << 8
    }

    /// Pushes of a sixth of a second, `rate` a second, each of so many g.
    private func push(_ bench: LSM6Bench, rate: Double = 2, by strength: Float = 0.5, seconds: Int64) {
        bench.source.felt = { time in
            let phase = (Double(time.nanoseconds) * 1e-9 * rate).truncatingRemainder(dividingBy: 1)
            return Acceleration(x: 0, y: 0, z: phase < 0.35 ? 1 + strength : 1)
        }
        bench.wait(seconds * 1000)
        bench.chip.advance(to: bench.clock.now)
        bench.feel(0)
        bench.wait(3000)
        bench.chip.advance(to: bench.clock.now)
    }

    @Test(arguments: kinds) func nothingIsCountedBeforeTheTenthStepInARow(kind: SimulatedLSM6.Kind) throws {
        let bench = try bench(kind)
        for _ in 0..<5 { push(bench, seconds: 4) }
        #expect(try count(bench, kind) == 0)
        push(bench, seconds: 20)
        #expect(try (38...41).contains(count(bench, kind)))
    }

    @Test(arguments: kinds) func typingIsCounted(kind: SimulatedLSM6.Kind) throws {
        let bench = try bench(kind)
        push(bench, rate: 3, by: 0.12, seconds: 60)
        #expect(try count(bench, kind) > 120)
    }

    @Test(arguments: kinds, [(0x10, 0), (0x00, 0), (0x20, 38), (0x40, 38)] as [(UInt8, Int)])
    func itCountsAt26HzOrMoreAlone(kind: SimulatedLSM6.Kind, example: (rate: UInt8, least: Int)) throws {
        let bench = try bench(kind, rate: example.rate)
        push(bench, seconds: 20)
        #expect(try (example.least...example.least + 3).contains(count(bench, kind)))
    }

    @Test(arguments: kinds) func itKeepsTheCountWhileItIsOff(kind: SimulatedLSM6.Kind) throws {
        let bench = try bench(kind)
        push(bench, seconds: 20)
        let before = try count(bench, kind)
        try bench.set(0x10, 0x00)
        push(bench, seconds: 20)
        try bench.set(0x10, 0x20)
        try turn(bench, kind, on: false)
        push(bench, seconds: 20)
        #expect(try before > 0 && count(bench, kind) == before)
    }

    @Test(arguments: kinds) func itWrapsAndALossOfPowerOrAResetClearsIt(kind: SimulatedLSM6.Kind) throws {
        for forget in [{ try $0.set(0x12, 0x05) }, { $0.chip.losePower() }] as [(LSM6Bench) throws -> Void] {
            let bench = try bench(kind)
            bench.chip.stepsCounted = 65_530
            push(bench, seconds: 20)
            #expect(try (30...36).contains(count(bench, kind)))
            try forget(bench)
            #expect(try count(bench, kind) == 0)
            push(bench, seconds: 20)
            #expect(try count(bench, kind) == 0, "it is off")
        }
    }

    @Test func theOneOfAnLSM6DSOResetsItselfOnce() throws {
        let bench = try bench(.lsm6dso)
        push(bench, seconds: 20)
        try bench.set(0x01, 0x80)
        try bench.set(0x64, 0x80)
        try bench.set(0x01, 0x00)
        #expect(try count(bench, .lsm6dso) == 0)
        push(bench, seconds: 20)
        #expect(try count(bench, .lsm6dso) > 30)
    }

    @Test func theOneOfAnLSM6DS3TRCStaysResetUntilItIsTold() throws {
        let bench = try bench(.lsm6ds3trc)
        push(bench, seconds: 20)
        try bench.set(0x19, 0x16)
        push(bench, seconds: 20)
        #expect(try count(bench, .lsm6ds3trc) == 0)
        try bench.set(0x19, 0x14)
        push(bench, seconds: 20)
        #expect(try count(bench, .lsm6ds3trc) > 30)
    }

    @Test func inTheUsualRegistersOfAnLSM6DSOThereIsNone() throws {
        let bench = try bench(.lsm6dso)
        push(bench, seconds: 20)
        #expect(try bench.get(0x62) == 0 && bench.get(0x63) == 0)
        try bench.set(0x01, 0x40)
        #expect(try bench.get(0x62) == 0, "nor in the bank of the sensor hub")
    }
}
