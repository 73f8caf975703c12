import Devices
import Core
import SimulatedBus
import Testing

@Suite struct ScriptedPulseLineTests {
    private let zero = { at(0) }

    /// A pulse at every whole second of the first ten minutes.
    private let everySecond = (1...600).map { at(Double($0)) }

    /// The same, made on demand; remembers the spans that it was asked for.
    private final class Script {
        var spans: [(BootTime, BootTime)] = []
        func pulses(after: BootTime, through: BootTime) -> [BootTime] {
            spans.append((after, through))
            return (1...600).map { at(Double($0)) }.filter { $0 > after && $0 <= through }
        }
    }

    @Test func aDrainTakesWhatHasArrivedAndNothingTwice() throws {
        let line = ScriptedPulseLine(clock: zero, pulses: everySecond)
        #expect(try line.drain(at: at(0.5)) == PulseBatch())
        #expect(try line.drain(at: at(3)) == PulseBatch(pulses: [at(1), at(2), at(3)]))
        #expect(try line.drain(at: at(3)) == PulseBatch())
        #expect(try line.drain(at: at(4.9)) == PulseBatch(pulses: [at(4)]))
    }

    @Test func pulsesBeforeTheLineWasOpenedAreNotSeen() throws {
        let line = ScriptedPulseLine(clock: { at(598) }, pulses: everySecond)
        #expect(try line.drain(at: at(700)).pulses == [at(599), at(600)])
    }

    @Test func withNumberedEdgesAFullBufferLosesTheOldestAndSaysSo() throws {
        let line = ScriptedPulseLine(clock: zero, pulses: everySecond, kernelBuffer: 4)
        #expect(try line.drain(at: at(4)) == PulseBatch(pulses: [at(1), at(2), at(3), at(4)]))
        #expect(try line.drain(at: at(10)) == PulseBatch(pulses: [at(7), at(8), at(9), at(10)], lost: 2))
        #expect(line.dropped == 2)
    }

    @Test func withoutNumbersItLosesTheNewestAndIsSilent() throws {
        let line = ScriptedPulseLine(clock: zero, pulses: everySecond, kernelBuffer: 4, reportsLoss: false)
        #expect(try line.drain(at: at(6)) == PulseBatch(pulses: [at(1), at(2), at(3), at(4)], lost: nil))
        #expect(line.dropped == 2)
        #expect(try line.drain(at: at(7)) == PulseBatch(pulses: [at(7)]))
    }

    @Test func aFaultIsThrownAndTheEdgesWait() throws {
        let line = ScriptedPulseLine(clock: zero, pulses: everySecond)
        line.fault = .absent
        #expect(throws: BusError.absent) { try line.drain(at: at(2)) }
        line.fault = nil
        #expect(try line.drain(at: at(2)).pulses.count == 2)
    }

    @Test func aGeneratorIsAskedForEverySpanOnce() throws {
        let script = Script()
        let line = ScriptedPulseLine(clock: zero, pulses: script.pulses)
        var pulses: [BootTime] = []
        for minute in 0..<12 {
            _ = line.nextPulse(after: at(Double(minute) * 60), before: at(Double(minute) * 60 + 90))
            pulses += try line.drain(at: at(Double(minute + 1) * 60)).pulses
        }
        #expect(pulses == everySecond)
        #expect(zip(script.spans, script.spans.dropFirst()).allSatisfy { $0.1 == $1.0 })
    }

    @Test(arguments: [false, true])
    func theNextPulseIsForeseen(isGenerated: Bool) throws {
        let line =
            isGenerated
            ? ScriptedPulseLine(clock: zero, pulses: Script().pulses)
            : ScriptedPulseLine(clock: zero, pulses: everySecond)
        #expect(line.nextPulse(after: at(0)) == at(1))
        #expect(line.nextPulse(after: at(1)) == at(2))
        #expect(line.nextPulse(after: at(1), before: at(2)) == nil)
        #expect(line.nextPulse(after: at(599.5)) == at(600))
        #expect(line.nextPulse(after: at(600)) == nil)
        #expect(try line.drain(at: at(2)).pulses == [at(1), at(2)])
        #expect(line.nextPulse(after: at(0)) == at(3))
    }

    @Test func theChipsInterruptCanBeALine() throws {
        let bench = Bench()
        bench.source.felt = { Acceleration(x: $0 < at(10) ? 0 : 0.5, y: 0, z: 1) }
        let line = ScriptedPulseLine(clock: { bench.clock.now }, pulses: bench.chip.interrupts)
        try bench.armMotion(pin: 0x20)
        bench.wait(.seconds(5))
        #expect(try line.drain(at: bench.clock.now) == PulseBatch())
        bench.wait(.seconds(10))
        #expect(try line.drain(at: bench.clock.now).pulses == [at(10.1)])
        #expect(try line.drain(at: bench.clock.now) == PulseBatch())
    }
}
