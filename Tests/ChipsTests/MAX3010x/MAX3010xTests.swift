import Core
import Signal
import SimulatedBus
import Testing

@testable import Devices
import Domains

/// The duties of the MAX3010x's driver, at the registers of a simulated chip.
@Suite struct MAX3010xTests {
    @Test func itIsFoundByItsIdentityAlone() throws {
        let bench = try OximeterBench()
        bench.bus.isTracing = true
        let place = try ChipSearch<PulseOximeterChip>().find(on: bench.bus)
        #expect(place.chip == .max30102 && place.address == bench.address)
        #expect(bench.bus.trace == [.read([0x15], from: 0xFF, of: bench.address)])
    }

    @Test(arguments: [0x11, 0x00, 0xFF, 0x68] as [UInt8])
    func anotherChipIsNeverWrittenTo(identity: UInt8) throws {
        let bench = try OximeterBench()
        bench.chip.identity = identity
        bench.bus.isTracing = true
        let complaint = try #require(PulseOximeterChip.max30102.complaint(about: identity))
        #expect(throws: complaint) { try bench.sensor.initialise() }
        #expect(throws: complaint) { try bench.sensor.begin() }
        #expect(throws: complaint) { try bench.sensor.shutDown() }
        #expect(throws: SensorError.noWindow(chip: "MAX30102")) { try bench.sensor.drain() }
        #expect(bench.bus.trace == [BusTransfer](repeating: .read([identity], from: 0xFF, of: bench.address), count: 3))
    }

    @Test func anOlderChipIsNamed() throws {
        let text = try #require(PulseOximeterChip.max30102.complaint(about: 0x11)).description
        #expect(text.contains("MAX30100"))
    }

    /// As another program left it: off, at another rate, full, in the middle of a sample, in a reset.
    @Test(
        arguments: [
            [], [(0x09, 0x83), (0x0C, 0xFF)], [(0x08, 0xFF), (0x0A, 0x7F), (0x0C, 0xFF), (0x0D, 0xFF), (0x09, 0x03)],
            [(0x02, 0xFF), (0x0A, 0x20), (0x0C, 0x20), (0x09, 0x02)], [(0x09, 0x40)],
        ] as [[(UInt8, UInt8)]])
    func itIsSetUpFromAnyState(left: [(UInt8, UInt8)]) throws {
        let bench = try OximeterBench()
        for (register, value) in left { try bench.bus.write(value, to: register, of: bench.address) }
        if left.count > 1 { bench.wait(.seconds(2)) }
        _ = try bench.bus.drain(4, from: 0x07, of: bench.address)
        bench.rise()
        try bench.sensor.initialise()
        #expect(bench.chip.isOff)
        expectEvenRise(try bench.check(100))
        try bench.sensor.shutDown()
        #expect(bench.chip.isOff)
        let lit = bench.chip.litTime
        bench.wait(.minutes(10))
        #expect(bench.chip.isOff && bench.chip.litTime == lit)
    }

    /// A process that was killed left the LEDs lit.
    @Test func aNewDriverShutsDownAChipThatMeasures() throws {
        let bench = try OximeterBench()
        try bench.sensor.begin()
        let next = PulseOximeterChip.max30102.driver(on: bench.bus, at: bench.address)
        try next.shutDown()
        #expect(bench.chip.isOff)
        #expect(try !next.check(in: bench).isEmpty)
    }

    @Test(arguments: [nil, 32, 13])
    func noSampleIsLostInAMinute(maximumTransfer: Int?) throws {
        let bench = try OximeterBench(maximumTransfer: maximumTransfer)
        bench.rise()
        let samples = try bench.check(1500)
        #expect(samples.count == 1500)
        expectEvenRise(samples)
    }

    @Test(arguments: [(31, 31), (32, 32), (33, nil), (64, nil), (200, nil)] as [(Int, Int?)])
    func aFIFOThatIsNearlyFullFullOrTooFull(waiting: Int, taken: Int?) throws {
        let bench = try OximeterBench()
        bench.rise()
        try bench.sensor.begin()
        let before = try bench.steady().samples
        bench.wait(.milliseconds(Int64(40 * waiting)))
        #expect(bench.chip.samplesHeld == min(waiting, 32))
        if let taken {
            let drained = try bench.sensor.drain()
            #expect(drained.samples.count == taken && drained.continues)
            expectEvenRise(before + drained.samples)
        } else {
            #expect(throws: SensorError.overrun(ChipRegister(chip: "MAX30102", "OVF_COUNTER", 0x05))) {
                try bench.sensor.drain()
            }
        }
        #expect(bench.chip.samplesHeld == 0)
        // What follows is whole; after a restart the first second is dropped.
        bench.wait(.milliseconds(1000))
        if taken == nil {
            #expect(try bench.sensor.drain().samples.isEmpty)
            bench.wait(.milliseconds(1000))
        }
        let next = try bench.sensor.drain()
        #expect(next.samples.count == 25 && next.continues == (taken != nil))
        expectEvenRise(next.samples)
        #expect(try bench.sensor.drain().samples.isEmpty, "an empty FIFO is not taken for a full one")
    }

    /// The driver is stopped between the count and the read.
    @Test(arguments: [(20, 11, false), (20, 12, true), (20, 80, true), (31, 0, false), (31, 1, true)])
    func aDelayWithinADrainLosesNoSampleUnseen(waiting: Int, late: Int, isSeen: Bool) throws {
        let bench = try OximeterBench()
        bench.rise()
        try bench.sensor.begin()
        let before = try bench.steady().samples
        bench.wait(.milliseconds(Int64(40 * waiting)))
        var accesses = 0
        bench.bus.beforeTransfer = { [unowned bench] in
            accesses += 1
            if accesses == 1 {
                bench.wait(.milliseconds(Int64(40 * late)))
            }
        }
        do throws(SensorError) {
            let drained = try bench.sensor.drain()
            #expect(!isSeen)
            bench.bus.beforeTransfer = {}
            let rest = try bench.sensor.drain()
            #expect(drained.samples.count + rest.samples.count == waiting + late && rest.continues)
            expectEvenRise(before + drained.samples + rest.samples)
        } catch {
            guard case .overrun = error else { throw error }
            #expect(isSeen)
        }
    }

    @Test func aJoinedWriteThatIsLostIsSentAlone() throws {
        let bench = try OximeterBench()
        bench.bus.losesJoinedWrites = true
        bench.rise()
        expectEvenRise(try bench.check(100))
        #expect(!bench.bus.joinsMessages)
    }

    @Test(arguments: [(18_000.0, 20_000.0), (1_800, 2_000), (100_000, 4_000), (300, 9_000), (90_000, 90_000)])
    func theCurrentIsFoundByTheLight(red: Double, infrared: Double) throws {
        let bench = try OximeterBench()
        bench.chip.finger = SimulatedFinger(red: red, infrared: infrared)
        try bench.sensor.begin()
        let samples = try bench.check(50)
        for sample in samples {
            let full = 262_143.0
            #expect(Double(sample.second) > 0.2 * full && Double(sample.second) < 0.95 * full)
            #expect(Double(sample.first) < 0.95 * full)
        }
        try bench.sensor.shutDown()
        // The next spot check needs no search: its samples come after one second.
        try bench.sensor.begin()
        bench.wait(.milliseconds(1200))
        #expect(try bench.sensor.drain().samples.count == 5)
    }

    @Test func withoutAFingerItIsDarkAndTheLEDsGoOff() throws {
        let bench = try OximeterBench()
        bench.chip.finger = nil
        try bench.sensor.begin()
        var found: PulseDrain.Light?
        for _ in 0..<20 where found != .dark {
            bench.wait(.milliseconds(1200))
            found = try bench.sensor.drain().light
        }
        #expect(found == .dark)
        try bench.sensor.shutDown()
        #expect(bench.chip.isOff && bench.chip.litTime < .seconds(20))
        // A finger that comes later is found again.
        bench.chip.finger = SimulatedFinger()
        #expect(try bench.check(50).count == 50)
    }

    @Test func aFingerThatLeavesIsNoticed() throws {
        let bench = try OximeterBench()
        try bench.sensor.begin()
        try bench.steady()
        bench.chip.finger = nil
        bench.wait(.milliseconds(1200))
        _ = try bench.sensor.drain()
        bench.wait(.milliseconds(1200))
        let drained = try bench.sensor.drain()
        #expect(drained.light == .searching && drained.samples.isEmpty)
    }

    @Test(arguments: [false, true], [45.0, 72, 130])
    func thePulseIsInTheInfraredChannel(hasSwappedLEDs: Bool, rate: Double) throws {
        let bench = try OximeterBench(hasSwappedLEDs: hasSwappedLEDs, noise: 60)
        bench.chip.finger = SimulatedFinger(beatsPerMinute: rate)
        let samples = try bench.check(PulseWindow.length)
        let light = samples.map { Float(hasSwappedLEDs ? $0.first : $0.second) }
        let still = [Acceleration](repeating: Acceleration(x: 0, y: 0, z: 1), count: PulseWindow.length)
        let window = PulseWindow(
            light: light, acceleration: still, fullScale: Float(PulseOximeterChip.max30102.fullScale))
        #expect(abs(try PulseRate(try #require(window)).beatsPerMinute - Float(rate)) < 2)
    }
}

extension PulseOximeter {
    /// Some samples of a spot check by this driver.
    fileprivate func check(in bench: OximeterBench) throws -> [PulseSample] {
        try begin()
        for _ in 0..<10 {
            bench.wait(.milliseconds(1200))
            let drained = try drain()
            if !drained.samples.isEmpty { return drained.samples }
        }
        return []
    }
}
