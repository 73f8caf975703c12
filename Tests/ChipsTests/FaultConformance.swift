import Core
import SimulatedBus
import Testing

@testable import Devices

/// The duties of every driver when something goes wrong at any access to the bus, at either rate.
extension ChipConformance {
    func aTransferThatFailsAnywhereCostsNoMoreThanItsWindow() throws {
        for access in try accesses() {
            let bench = try benchWhoseAccessFails(access)
            let rates = ChipBench.Rate.allCases
            for rate in access.operation.rate == .slow ? rates.reversed() : rates {
                rise(bench, every: bench.sampling(at: rate).period, y: 0.5)
                let samples = try bench.samples(40, at: rate)
                #expect(samples.count == 40, "\(access)")
                expectRising(samples, y: 0.5, "\(access)")
            }
            try bench.sensor.sleep()
            #expect(bench.chip.isOff)
        }
    }

    enum Interference: CaseIterable { case lostWrite, dipOfTheSupply }

    /// Whatever is lost, and wherever the supply dips: samples are right and have the right rate, or there is an error, and it passes
    /// by itself.
    func noInterferenceYieldsWrongNumbers() throws {
        for access in try accesses() {
            for interference in Interference.allCases {
                let operation = access.operation
                let comment = "\(chip.id), \(interference), \(access)"
                let bench = ChipBench(self)
                let period = bench.sampling(at: operation.rate).period
                // What a drain takes was felt before.
                if operation.request == .drain { rise(bench, every: period, y: 0.5) }
                try operation.prepare(bench)
                if operation.request != .drain { rise(bench, every: period, y: 0.5) }
                bench.interfere(interference, after: access.position)
                expectRising((try? operation.run(bench)) ?? [], y: 0.5, comment)
                // Before a rate that is too fast fills the FIFO, and late enough for one that is too slow.
                let (fast, slow) = (bench.sampling, bench.slowSampling)
                let late = slow.startUp + slow.period * 8
                for wait in [fast.startUp + fast.period * 4, fast.period * 5, fast.period * 5, late, late] {
                    bench.wait(wait)
                    expectRising((try? bench.sensor.drain(.max).samples) ?? [], y: 0.5, comment)
                }
                try expectRecovery(bench, comment)
            }
        }
    }

    private func expectRecovery(_ bench: ChipBench, _ comment: String) throws {
        var slow: [Int] = []
        var windows: [Int] = []
        for _ in 0..<3 {
            rise(bench, every: bench.slowSampling.period, y: -0.5)
            let samples = (try? bench.slowSamples(6)) ?? []
            expectRising(samples, y: -0.5, comment)
            slow.append(samples.count)
            rise(bench, every: bench.sampling.period, y: 0.25)
            let window = (try? bench.window(10)) ?? []
            expectRising(window, y: 0.25, comment)
            windows.append(window.count)
        }
        #expect(slow.last == 6 && windows.last == 10, "\(comment): \(slow), \(windows)")
        try bench.sensor.sleep()
        #expect(bench.chip.isOff)
    }

    /// By a drain, or by the next start at either rate, of which no sample is wrong; what is taken after it is whole.
    func aDipOfTheSupplyIsNoticed() throws {
        for place in Place.allCases where place != .unknown {
            for rate in ChipBench.Rate.allCases {
                let bench = ChipBench(self)
                let sampling = bench.sampling(at: rate)
                try place.reach(bench)
                bench.chip.losePower()
                bench.wait(.seconds(1))
                rise(bench, every: sampling.period, y: 0.5)
                do throws(SensorError) {
                    switch (place, rate) {
                    case (.filling, .ofWindows), (.fillingSlowly, .slow): break
                    case (_, .ofWindows): try bench.sensor.start()
                    case (_, .slow): try bench.sensor.startSlowly()
                    }
                    bench.wait(sampling.startUp + sampling.period * 5)
                    #expect(try bench.sensor.drain(128).samples.isEmpty, "\(place)")
                    Issue.record("it is not noticed: \(place)")
                } catch {
                    guard case .configurationRefused = error else { throw error }
                }
                let samples = try bench.samples(40, at: rate)
                #expect(samples.count == 40)
                expectRising(samples, y: 0.5, "\(place)")
            }
        }
    }
}
