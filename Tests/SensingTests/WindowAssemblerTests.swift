import Devices
import Core
import Signal
import Testing

@testable import Sensing

@Suite struct WindowAssemblerTests {
    /// A tenth of the sample's number.
    private func ramp(_ indices: Range<Int>, step: Float = 0.1) -> [Acceleration] {
        indices.map { Acceleration(x: Float($0) * step, y: 0, z: 1) }
    }

    @Test func aChipAtTwentyFiveHertzIsTakenAsItIs() throws {
        var assembler = WindowAssembler(period: .milliseconds(40))
        #expect(assembler.wanted == 128)
        var given = 0
        for count in [26, 26, 27, 0, 26] {
            assembler.add(ramp(given..<given + count))
            given += count
            #expect(assembler.takeWindow { nil } == nil)
            #expect(assembler.missing == 128 - given && assembler.wanted == 128 - given)
        }
        assembler.add(ramp(given..<128))
        let window = try #require(assembler.takeWindow { 31 })
        #expect(window.samples == ramp(0..<128))
        #expect(window.temperature == 31)
        #expect(assembler.missing == 128)
    }

    @Test func whatIsLeftBelongsToTheNextWindow() throws {
        var assembler = WindowAssembler(period: .milliseconds(40))
        assembler.add(ramp(0..<150))
        #expect(assembler.takeWindow { nil }?.samples == ramp(0..<128))
        #expect(assembler.missing == 106)
        assembler.add(ramp(150..<256))
        #expect(assembler.takeWindow { nil }?.samples == ramp(128..<256))
    }

    /// 26, 104 and 12.5 Hz: on a straight line, each sample is the value in the middle of its 40 ms.
    @Test(arguments: [38_461_538, 9_615_385, 80_000_000] as [Int64])
    func anotherRateIsBroughtToTwentyFiveHertz(nanoseconds: Int64) throws {
        let period = Interval(nanoseconds: nanoseconds)
        var assembler = WindowAssembler(period: period)
        var given = 0
        var windows: [Window] = []
        while windows.count < 3 {
            let count = min(assembler.wanted, 20)
            #expect(count > 0)
            assembler.add(ramp(given..<given + count, step: Float(nanoseconds) * 1e-9))
            given += count
            if let window = assembler.takeWindow(temperature: { nil }) { windows.append(window) }
        }
        for (index, sample) in windows.flatMap(\.samples).enumerated() {
            #expect(abs(sample.x - (Float(index) * 0.04 + 0.02)) < 1e-3, "\(index)")
            #expect(abs(sample.z - 1) < 1e-4)
        }
        let needed = Float(3 * 128 * 40_000_000) / Float(nanoseconds)
        #expect(Float(given) - needed < 3, "no more is asked of the chip than the windows need")
    }

    @Test func aQuickRateIsAveragedSoThatItsNoiseDoesNotFoldBack() throws {
        var assembler = WindowAssembler(period: .milliseconds(10))
        assembler.add((0..<513).map { Acceleration(x: $0 % 2 == 0 ? 1 : -1, y: 0, z: 1) })
        let window = try #require(assembler.takeWindow { nil })
        #expect(window.samples.allSatisfy { abs($0.x) < 1e-5 })
    }
}
