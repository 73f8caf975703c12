import Core
import SimulatedBus
import Testing

/// The simulated MAX30102, to be read beside the register map.
@Suite struct SimulatedMAX3010xTests {
    private let clock = VirtualClock()
    private let chip: SimulatedMAX3010x

    init() {
        let clock = clock
        chip = SimulatedMAX3010x(clock: { clock.now })
        chip.ambient = 0
        chip.light = { _ in (10_000, 20_000) }
    }

    private func wait(_ time: Interval) {
        clock.now = clock.now + time
        chip.advance(to: clock.now)
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

    /// Averages of 4 at 100 Hz, 18 bits, 10 mA in both LEDs.
    private func measure(fifo: UInt8 = 0x40) {
        write((0x08, fifo), (0x0A, 0x27), (0x0C, 50), (0x0D, 50), (0x09, 0x03))
    }

    @Test func itWakesDarkWithItsIdentityAndTheFlagOfThePower() {
        #expect(read(2, from: 0xFE) == [0x03, 0x15] && chip.isOff)
        #expect(read(1, from: 0x00) == [0x01] && read(1, from: 0x00) == [0x00])
        wait(.seconds(10))
        #expect(read(3, from: 0x04) == [0, 0, 0] && chip.litTime == .zero)
    }

    @Test func samplesAreThreeBytesOfEachChannel() {
        measure()
        wait(.milliseconds(3 * 40))
        #expect(read(3, from: 0x04) == [3, 0, 0])
        // 100,000 and 200,000.
        #expect(read(6, from: 0x07) == [0x01, 0x86, 0xA0, 0x03, 0x0D, 0x40])
        #expect(read(3, from: 0x04) == [3, 0, 1])
        #expect(read(1, from: 0x00)[0] & 0x40 != 0)
    }

    @Test func halfASampleStaysInTheFIFO() {
        measure()
        wait(.milliseconds(2 * 40))
        _ = read(3, from: 0x07)
        #expect(read(3, from: 0x04) == [2, 0, 0] && read(3, from: 0x07) == [0x03, 0x0D, 0x40])
        #expect(read(3, from: 0x04) == [2, 0, 1])
    }

    @Test func a32ndSampleMakesThePointersEqualAndSetsTheFlag() {
        measure()
        wait(.milliseconds(31 * 40))
        _ = read(1, from: 0x00)
        #expect(read(3, from: 0x04) == [31, 0, 0])
        wait(.milliseconds(40))
        #expect(read(3, from: 0x04) == [0, 0, 0] && read(1, from: 0x00)[0] & 0x80 != 0 && chip.samplesHeld == 32)
    }

    @Test func aFullFIFOKeepsItsSamplesAndCountsThoseItLoses() {
        chip.light = { time in (Double(time.nanoseconds / 40_000_000), 0) }
        measure()
        wait(.milliseconds(35 * 40))
        #expect(read(3, from: 0x04) == [0, 3, 0])
        #expect(read(6, from: 0x07)[2] == 10, "the first sample, of 1 count for 1 mA")
        #expect(read(3, from: 0x04) == [0, 0, 1])
        wait(.seconds(100))
        #expect(read(3, from: 0x04) == [1, 31, 1])
    }

    @Test func withRollOverTheOldestAreOverwritten() {
        chip.light = { time in (Double(time.nanoseconds / 40_000_000), 0) }
        measure(fifo: 0x50)
        wait(.milliseconds(35 * 40))
        #expect(read(3, from: 0x04) == [3, 0, 3])
        #expect(read(6, from: 0x07)[2] == 40, "the fourth sample")
    }

    @Test func theFlagComesWithFewerSamplesIfSoSet() {
        measure(fifo: 0x4F)
        wait(.milliseconds(16 * 40))
        #expect(read(1, from: 0x00)[0] & 0x80 == 0)
        wait(.milliseconds(40))
        #expect(read(1, from: 0x00)[0] & 0x80 != 0)
    }

    @Test(
        arguments: [(0x00, 0x04, 100), (0x40, 0x04, 25), (0x20, 0x00, 25), (0xE0, 0x0C, 12)] as [(UInt8, UInt8, Int)])
    func theRateFollowsItsCodes(fifo: UInt8, rate: UInt8, samples: Int) {
        write((0x08, fifo | 0x10), (0x0A, rate | 0x03), (0x09, 0x03))
        var count = 0
        for _ in 0..<10 {
            wait(.milliseconds(100))
            count += chip.samplesHeld
            write((0x04, 0), (0x06, 0))
        }
        #expect(abs(count - samples) <= 1)
    }

    @Test func currentRangeAndPulseScaleTheLightAndShortPulsesHaveFewerBits() {
        func first(_ setting: UInt8, _ current: UInt8) -> UInt32 {
            write((0x09, 0x80), (0x08, 0x40), (0x0A, setting), (0x0C, current), (0x0D, 0), (0x04, 0), (0x06, 0))
            write((0x09, 0x03))
            wait(.milliseconds(40))
            let bytes = read(6, from: 0x07)
            #expect(bytes[3...] == [0, 0, 0])
            return UInt32(bytes[0]) << 16 | UInt32(bytes[1]) << 8 | UInt32(bytes[2])
        }
        #expect(first(0x27, 50) == 100_000 && first(0x27, 25) == 50_000 && first(0x27, 0) == 0)
        #expect(first(0x07, 50) == 200_000 && first(0x47, 50) == 50_000)
        #expect(first(0x27, 255) == 262_143, "cut off at the full scale")
        let short = first(0x24, 50)
        #expect(short < 17_000 && short % 8 == 0)
    }

    @Test func exchangedLEDsExchangeTheChannels() {
        let clock = clock
        let swapped = SimulatedMAX3010x(clock: { clock.now }, hasSwappedLEDs: true)
        swapped.ambient = 0
        swapped.light = { _ in (10_000, 20_000) }
        let settings: [(UInt8, UInt8)] = [(0x08, 0x40), (0x0A, 0x27), (0x0C, 50), (0x0D, 50), (0x09, 0x03)]
        for (register, value) in settings { swapped.write(value, to: register) }
        clock.now = clock.now + .milliseconds(40)
        swapped.advance(to: clock.now)
        #expect((0..<6).map { _ in swapped.read(from: 0x07) } == [0x03, 0x0D, 0x40, 0x01, 0x86, 0xA0])
    }

    @Test func shutDownKeepsTheSettingsAndTurnsTheLEDsOff() {
        measure()
        wait(.seconds(1))
        write((0x09, 0x83))
        #expect(chip.isOff && chip.litTime == .seconds(1))
        wait(.seconds(100))
        #expect(chip.litTime == .seconds(1) && read(6, from: 0x08) == [0x40, 0x83, 0x27, 0, 50, 50])
    }

    @Test func aResetTakesAMomentAndForgetsTheSettings() {
        measure()
        wait(.seconds(1))
        write((0x09, 0x40), (0x0C, 9))
        #expect(read(1, from: 0x09) == [0x40], "and writes during it are lost")
        wait(.milliseconds(2))
        #expect(read(6, from: 0x08) == [0, 0, 0, 0, 0, 0] && read(3, from: 0x04) == [0, 0, 0] && chip.isOff)
    }

    @Test func aLossOfPowerForgetsEverything() {
        measure()
        wait(.seconds(1))
        chip.losePower()
        #expect(chip.isOff && read(6, from: 0x08) == [0, 0, 0, 0, 0, 0] && read(1, from: 0x00) == [0x01])
    }

    @Test func aFingerBeatsAndWithoutOneThereIsOnlyOtherLight() {
        chip.light = nil
        chip.ambient = 500
        chip.finger = SimulatedFinger(beatsPerMinute: 60)
        write((0x08, 0x40), (0x0A, 0x27), (0x0C, 32), (0x0D, 32), (0x09, 0x03))
        wait(.seconds(1))
        let light = (0..<25).map { _ in
            let bytes = read(6, from: 0x07)
            return Double(UInt32(bytes[3]) << 16 | UInt32(bytes[4]) << 8 | UInt32(bytes[5]))
        }
        let (low, high) = (light.min() ?? 0, light.max() ?? 0)
        #expect((high - low) / high > 0.008 && (high - low) / high < 0.02 && abs(high - 128_500) < 2000)
        chip.finger = nil
        wait(.milliseconds(40))
        #expect(read(6, from: 0x07) == [0, 0x01, 0xF4, 0, 0x01, 0xF4])
    }
}
