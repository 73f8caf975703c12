import Core
import SimulatedBus
import Testing

@testable import Devices

/// How often a window sleeps in the kernel, and what becomes of drivers on adapters that join no messages.
@Suite struct JoinedWindowTests {
    private func window(_ bench: ChipBench, wakeOnMotion: Bool) throws -> Int {
        let before = bench.bus.statistics.transfers
        #expect(try bench.window().count == 128)
        try bench.sensor.rest(wakeOnMotion: wakeOnMotion)
        return bench.bus.statistics.transfers - before
    }

    @Test func aWindowOfAnMPU6050TakesSevenTransfers() throws {
        let bench = ChipBench(ChipConformance.all[0])
        _ = try window(bench, wakeOnMotion: true)
        bench.felt.temperature = 30
        let before = bench.bus.statistics.transfers
        _ = try bench.window()
        #expect(try bench.sensor.temperature() != nil)
        try bench.sensor.rest(wakeOnMotion: true)
        #expect(bench.bus.statistics.transfers - before == 7)
        _ = try window(bench, wakeOnMotion: false)
        let bytes = bench.bus.statistics.bytes
        #expect(try window(bench, wakeOnMotion: false) == 5)
        #expect(bench.bus.statistics.bytes - bytes == 854, "780 are samples")
    }

    /// Set-up notices that what was joined did not arrive, and writes everything singly from then on.
    @Test(arguments: ChipConformance.all) func anAdapterThatLosesJoinedWritesIsFoundOut(kind: ChipConformance) throws {
        let bench = ChipBench(kind)
        bench.bus.losesJoinedWrites = true
        _ = try window(bench, wakeOnMotion: true)
        #expect(!bench.bus.joinsMessages)
        _ = try window(bench, wakeOnMotion: true)
        #expect(bench.chip.rests && !bench.chip.isOff)
    }

    @Test(arguments: ChipConformance.all) func anAdapterThatJoinsNothingServes(kind: ChipConformance) throws {
        let bench = ChipBench(kind)
        bench.bus.mostMessages = 2
        for _ in 0..<2 { _ = try window(bench, wakeOnMotion: true) }
        #expect(bench.chip.rests && !bench.chip.isOff)
    }

    /// A chip that refuses a value is no fault of the adapter.
    @Test func aChipAtFaultLeavesTheAdapterJoining() throws {
        let bench = ChipBench(ChipConformance.all[0])
        bench.interfere(.dipOfTheSupply, after: 10)
        try bench.sensor.initialise()
        let bus = ScriptedI2CBus()
        bus.readOnly = [0x1C]
        bus.joinsMessages = true
        #expect(throws: SensorError.self) { try Chip.mpu6050.driver(on: bus, at: bench.address).initialise() }
        #expect(bus.joinsMessages)
    }

    @Test func anErrorNamesEveryRegisterOfItsTransfer() throws {
        let bench = ChipBench(ChipConformance.all[0])
        _ = try window(bench, wakeOnMotion: false)
        bench.bus.fault = .nak(next: 1, after: 2)
        do {
            try bench.sensor.start()
            Issue.record("a transfer without an acknowledgement goes unnoticed")
        } catch {
            #expect(
                "\(error)".hasPrefix(
                    "MPU-6050: register USER_CTRL (0x6A), USER_CTRL (0x6A) or FIFO_COUNTH (0x72) could not be reached"))
        }
    }

    /// A FIFO that holds less than is wanted: what is there is right, and the rest follows without a gap.
    @Test func aShortFIFOGivesWhatItHolds() throws {
        let bench = ChipBench(ChipConformance.all[0])
        bench.felt.acceleration = { time in
            Acceleration(x: Float(time.nanoseconds) / 40_000_000 * 0.016 - 6, y: 0, z: 1)
        }
        try bench.sensor.start()
        bench.wait(.seconds(4))
        let first = try bench.sensor.drain(128).samples
        #expect((90...100).contains(first.count))
        bench.wait(.seconds(2))
        ChipConformance.all[0].expectConsecutive(first + (try bench.sensor.drain(30).samples))
    }
}
