import Core
import SimulatedBus
import Testing

@testable import Devices

/// The duties of every driver whose chip has a step counter; and of the others, to have none.
extension ChipConformance {
    func aChipWithoutACounterIsUntouched() throws {
        guard !chip.hasStepCounter else { return }
        let traces = try [false, true].map { countsSteps in
            let bench = ChipBench(self)
            bench.sensor.countsSteps = countsSteps
            bench.bus.isTracing = true
            _ = try bench.window(20)
            try bench.sensor.rest(wakeOnMotion: false)
            #expect(try bench.sensor.stepCount() == nil)
            #expect(!bench.sensor.countsSteps && bench.chip.isOff)
            return bench.bus.trace
        }
        #expect(traces[0] == traces[1])
    }

    func stepsAreCountedWheneverItIsNotAsleep() throws {
        guard chip.hasStepCounter else { return }
        let bench = ChipBench(self)
        #expect(try bench.sensor.stepCount() == nil, "it does not count yet")
        bench.sensor.countsSteps = true
        bench.walk()
        var before: Int = 0
        func walked(_ comment: String, _ expected: ClosedRange<Int>) throws {
            bench.wait(.seconds(30))
            let count = Int(try #require(try bench.sensor.stepCount()))
            #expect(expected.contains(count - before), "\(comment): \(count - before)")
            before = count
        }
        try bench.sensor.start()
        try walked("in a window", 50...62)
        try bench.sensor.rest(wakeOnMotion: true)
        try walked("watching", 48...62)
        try bench.sensor.start()
        try bench.sensor.rest(wakeOnMotion: false)
        #expect(bench.chip.rests)
        try walked("at rest", 48...62)
        try bench.sensor.startSlowly()
        try walked("filling slowly", 48...62)
        try bench.sensor.sleep()
        #expect(bench.chip.isOff)
        bench.wait(.seconds(30))
        try bench.sensor.start()
        #expect(try bench.sensor.stepCount().map(Int.init) == before, "none while it slept")
        try walked("after that", 48...62)
        bench.sensor.countsSteps = false
        try bench.sensor.initialise()
        #expect(try bench.sensor.stepCount() == nil)
    }

    func withTheCounterSamplesAreTheSame() throws {
        guard chip.hasStepCounter else { return }
        for (place, rate) in Place.allCases.flatMap({ place in ChipBench.Rate.allCases.map { (place, $0) } }) {
            let bench = ChipBench(self)
            bench.sensor.countsSteps = true
            try bench.sensor.initialise()
            try place.reach(bench)
            rise(bench, every: bench.sampling(at: rate).period, y: 0.5)
            let samples = try bench.samples(60, at: rate)
            #expect(samples.count == 60)
            expectRising(samples, y: 0.5, "\(place), \(rate)")
        }
    }

    /// Wherever it comes, even if the chip hides its identity while other registers are in front.
    func aFaultInAReadingCostsNoSamples() throws {
        guard chip.hasStepCounter else { return }
        for rate in ChipBench.Rate.allCases {
            for fault in ReadingFault.allCases {
                var position = 0
                var accesses = 1
                while position < accesses {
                    let bench = ChipBench(self)
                    (bench.chip as? SimulatedLSM6)?.hidesIdentity = true
                    bench.sensor.countsSteps = true
                    try bench.sensor.initialise()
                    rise(bench, every: bench.sampling(at: rate).period, y: 0.5)
                    var samples = try bench.samples(30, at: rate)
                    let before = bench.bus.statistics.accesses
                    #expect(try bench.sensor.stepCount() == 0)
                    accesses = bench.bus.statistics.accesses - before
                    switch fault {
                    case .unacknowledged: bench.bus.fault = .nak(next: 1, after: position)
                    case .lostWrite: bench.interfere(.lostWrite, after: position)
                    }
                    let count = (try? bench.sensor.stepCount()) ?? 0
                    #expect(count == 0, "\(fault) at \(position)")
                    bench.bus.losesNextWrite = false
                    bench.bus.beforeTransfer = {}
                    samples += try bench.more(30, bench.sampling(at: rate))
                    #expect(samples.count == 60)
                    expectRising(samples, y: 0.5, "\(fault) at \(position)")
                    #expect(try bench.sensor.stepCount() == 0)
                    position += 1
                }
            }
        }
    }

    enum ReadingFault: CaseIterable { case unacknowledged, lostWrite }

    /// At any access in any operation, and for any time: an error at most, and the next windows are whole and counted.
    func withTheCounterAFaultAnywherePasses() throws {
        guard chip.hasStepCounter else { return }
        for operation in Operation.all {
            for (position, length) in (0..<60).flatMap({ position in [1, 2, 7].map { (position, $0) } }) {
                let bench = ChipBench(self)
                (bench.chip as? SimulatedLSM6)?.hidesIdentity = true
                bench.sensor.countsSteps = true
                try bench.sensor.initialise()
                try operation.prepare(bench)
                bench.bus.fault = .nak(next: length, after: position)
                _ = try? operation.run(bench)
                _ = try? bench.sensor.stepCount()
                bench.bus.fault = nil
                rise(bench, every: bench.sampling.period, y: 0.5)
                let comment = "\(operation.request) when \(operation.place), \(length) from access \(position) on"
                let samples = try bench.window(20)
                expectRising(samples, y: 0.5, comment)
                #expect(samples.count == 20, "\(comment)")
                #expect(try bench.sensor.stepCount() != nil, "\(comment)")
            }
        }
    }
}

extension ChipBench {
    /// At two steps a second, from now on.
    func walk() {
        let start = clock.now
        felt.acceleration = { time in
            let phase = Float((time - start).nanoseconds % 500_000_000) / 500_000_000
            return Acceleration(x: 0, y: 0, z: 0.85 + (phase < 0.25 ? 0.6 : 0))
        }
    }
}
