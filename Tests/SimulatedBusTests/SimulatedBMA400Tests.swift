import Core
import SimulatedBus
import Testing

/// The simulated BMA400, to be read beside the register map.
@Suite struct SimulatedBMA400Tests {
    private final class Felt: AccelerationSource {
        var now = BootTime(nanoseconds: 0)
        var acceleration: (BootTime) -> Acceleration = { _ in Acceleration(x: 0, y: 0, z: 1) }

        func acceleration(at time: BootTime) -> Acceleration { acceleration(time) }
    }

    private let felt = Felt()
    private let chip: SimulatedBMA400

    init() {
        let felt = felt
        chip = SimulatedBMA400(source: felt, clock: { felt.now }, noiseDensity: 0, seed: 1)
    }

    private func wait(_ time: Interval) {
        felt.now = felt.now + time
        chip.advance(to: felt.now)
    }

    private func write(_ values: (UInt8, UInt8)...) {
        for (register, value) in values { chip.write(value, to: register) }
    }

    private func read(_ count: Int, from register: UInt8) -> [UInt8] {
        var place = register
        return (0..<count).map { _ in
            defer { place = chip.register(after: place) }
            return chip.read(from: place)
        }
    }

    private var length: Int { read(2, from: 0x12).enumerated().reduce(0) { $0 | Int($1.element) << (8 * $1.offset) } }

    @Test func itWakesAsleepWithItsIdentity() {
        #expect(chip.read(from: 0x00) == 0x90 && chip.read(from: 0x19) == 0x00 && chip.isOff)
        write((0x26, 0xE0))
        wait(.seconds(10))
        #expect(length == 0 && chip.awakeTime == .zero)
    }

    @Test func framesHaveAHeaderAndTwelveBitsOfEachAxis() {
        felt.acceleration = { _ in Acceleration(x: 0.5, y: -1, z: 1.25) }
        write((0x1A, 0xB6), (0x26, 0xE0), (0x19, 0x02))
        wait(.milliseconds(4 * 40 + 10))
        #expect(length == 28)
        _ = read(14, from: 0x14)
        // 128, -256 and 320 at 3.9 mg.
        #expect(read(7, from: 0x14) == [0x9E, 0x00, 0x08, 0x00, 0xF0, 0x00, 0x14])
        #expect(length == 7)
        write((0x7E, 0xB0))
        #expect(length == 0 && read(2, from: 0x14) == [0x80, 0x80])
    }

    @Test func aFullFIFODropsItsOldestFrames() {
        write((0x1A, 0xB6), (0x26, 0xE0), (0x19, 0x02))
        wait(.seconds(10))
        #expect(length == 146 * 7 && chip.samplesHeld == 146)
    }

    @Test func aChangeOfTheRangePutsAControlFrameIntoAFIFOThatFills() {
        write((0x1A, 0xB6), (0x26, 0xE0), (0x19, 0x02), (0x1A, 0x76))
        #expect(read(3, from: 0x14) == [0x48, 0x01, 0x80])
    }

    @Test func theRateFollowsItsCode() {
        for (code, samples) in [(5, 125), (6, 250), (8, 1000)] as [(UInt8, Int)] {
            write((0x19, 0x00), (0x26, 0x00), (0x1A, 0x80 | code), (0x26, 0xE0), (0x19, 0x02))
            var count = 0
            for _ in 0..<100 {
                wait(.milliseconds(100))
                count += read(length, from: 0x14).count / 7
            }
            #expect(abs(count - samples) <= 1)
        }
    }

    @Test func theDetectorComparesWithItsFirstSampleAndLatches() {
        write(
            (0x41, 12), (0x3F, 0xE4), (0x40, 0x02), (0x21, 0x04), (0x20, 0x80), (0x1A, 0x86), (0x19, 0x02))
        // The first samples are not settled.
        wait(.milliseconds(200))
        write((0x1F, 0x04))
        wait(.seconds(1))
        #expect(chip.interruptTime == nil)
        felt.acceleration = { _ in Acceleration(x: 0.2, y: 0, z: 1) }
        wait(.seconds(1))
        #expect(chip.interruptTime != nil)
        #expect(chip.read(from: 0x0E) == 0x04)
        // It is still beyond.
        wait(.milliseconds(40))
        #expect(chip.read(from: 0x0E) == 0x04)
        write((0x1F, 0x00))
        #expect(chip.read(from: 0x0E) == 0)
    }

    @Test func stepsAreCountedFromTheTenthOnInNormalModeAlone() {
        felt.acceleration = { time in
            let second = Double(time.nanoseconds) / 1e9
            return Acceleration(x: 0, y: 0, z: second.truncatingRemainder(dividingBy: 0.5) < 0.25 ? 0.7 : 1.3)
        }
        write((0x20, 0x01), (0x1A, 0x86), (0x19, 0x01))
        wait(.seconds(30))
        #expect(read(3, from: 0x15) == [0, 0, 0], "low power")
        write((0x19, 0x02))
        wait(.seconds(4))
        #expect(chip.stepsCounted == 0)
        wait(.seconds(26))
        #expect((50...60).contains(chip.stepsCounted))
        chip.stepsCounted = 0x01_02_03
        #expect(read(3, from: 0x15) == [3, 2, 1])
        write((0x7E, 0xB1))
        #expect(chip.stepsCounted == 0)
    }

    @Test func theThermometerHasHalfDegreesFrom23() {
        write((0x19, 0x02))
        #expect(chip.read(from: 0x11) == 4)
    }
}
