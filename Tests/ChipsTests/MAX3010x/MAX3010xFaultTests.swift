import Core
import SimulatedBus
import Testing

@testable import Devices
import Domains

/// What the driver does when something goes wrong at any access to the bus.
@Suite struct MAX3010xFaultTests {
    enum Operation: CaseIterable {
        case initialise, begin, beginAgain, drainWhileSearching, drainThatAdjusts, drain, drainTooLate, shutDown

        func prepare(_ bench: OximeterBench) throws {
            switch self {
            case .initialise, .begin: break
            case .beginAgain: try bench.sensor.initialise()
            case .drainWhileSearching:
                try bench.sensor.begin()
                bench.wait(.milliseconds(400))
            case .drainThatAdjusts:
                // Too little light for the least current.
                try bench.sensor.begin()
                bench.wait(.milliseconds(1240))
            case .drain, .drainTooLate, .shutDown:
                try bench.sensor.begin()
                try bench.steady()
                bench.wait(self == .drainTooLate ? .seconds(5) : .milliseconds(800))
            }
        }

        func run(_ bench: OximeterBench) throws -> [PulseSample] {
            switch self {
            case .initialise: try bench.sensor.initialise()
            case .begin, .beginAgain: try bench.sensor.begin()
            case .shutDown: try bench.sensor.shutDown()
            case .drainWhileSearching, .drainThatAdjusts, .drain: return try bench.sensor.drain().samples
            case .drainTooLate:
                do throws(SensorError) {
                    return try bench.sensor.drain().samples
                } catch {
                    guard case .overrun = error else { throw error }
                }
            }
            return []
        }
    }

    private func bench(_ operation: Operation) throws -> OximeterBench {
        let bench = try OximeterBench()
        bench.chip.light = { time in
            // The least current gives less than a quarter of the full scale.
            let value = 20_000 + Double(time.nanoseconds / 1_000_000) / 40
            return (value, value)
        }
        try operation.prepare(bench)
        return bench
    }

    private func accesses(of operation: Operation) throws -> Int {
        let bench = try bench(operation)
        let before = bench.bus.statistics.accesses
        _ = try operation.run(bench)
        return bench.bus.statistics.accesses - before
    }

    @Test(arguments: Operation.allCases)
    func aTransferThatFailsAnywhereCostsNoMoreThanItsSpotCheck(operation: Operation) throws {
        for position in 0..<(try accesses(of: operation)) {
            let bench = try bench(operation)
            bench.bus.fault = .nak(next: 1, after: position)
            do {
                _ = try operation.run(bench)
                Issue.record("unnoticed: \(operation), access \(position)")
            } catch SensorError.bus(.noAcknowledge, at: let register) {
                #expect(register.chip == "MAX30102")
            }
            #expect(throws: SensorError.noWindow(chip: "MAX30102")) { try bench.sensor.drain() }
            let samples = try bench.check(60)
            expectEvenRise(samples, "\(operation), access \(position)")
            try bench.sensor.shutDown()
            #expect(bench.chip.isOff)
        }
    }

    @Test(arguments: Operation.allCases, [false, true])
    func noInterferenceYieldsWrongNumbers(operation: Operation, isDip: Bool) throws {
        for position in 0..<(try accesses(of: operation)) {
            let comment: Comment = "\(operation), access \(position)"
            let bench = try bench(operation)
            var left = position
            bench.bus.beforeTransfer = { [unowned bench] in
                defer { left -= 1 }
                guard left == 0 else { return }
                if isDip { bench.chip.losePower() } else { bench.bus.losesNextWrite = true }
            }
            expectEvenRise((try? operation.run(bench)) ?? [], comment)
            for _ in 0..<4 {
                bench.wait(.milliseconds(1000))
                expectEvenRise((try? bench.sensor.drain().samples) ?? [], comment)
            }
            bench.bus.beforeTransfer = {}
            bench.bus.losesNextWrite = false
            var samples: [PulseSample] = []
            for _ in 0..<3 where samples.isEmpty {
                samples = (try? bench.check(60)) ?? []
                expectEvenRise(samples, comment)
            }
            #expect(samples.count == 60, comment)
            try bench.sensor.shutDown()
            #expect(bench.chip.isOff)
        }
    }

    @Test func aDipOfTheSupplyIsNoticedByTheNextDrain() throws {
        for wait in [Int64(0), 400, 1200, 10_000] {
            let bench = try bench(.drain)
            bench.chip.losePower()
            bench.wait(.milliseconds(wait))
            do throws(SensorError) {
                _ = try bench.sensor.drain()
                Issue.record("it is not noticed")
            } catch {
                guard case .configurationRefused = error else { throw error }
            }
            #expect(bench.chip.isOff)
            expectEvenRise(try bench.check(60))
        }
    }

    @Test func aBusThatDoesNotAnswerIsNamed() throws {
        for fault in [BusFault.absent, .stuck(), .lasting(.denied)] {
            let bench = try bench(.drain)
            bench.bus.fault = fault
            #expect(throws: SensorError.self) { try bench.sensor.drain() }
            #expect(throws: SensorError.self) { try bench.sensor.begin() }
            bench.bus.fault = nil
            expectEvenRise(try bench.check(60))
        }
    }
}
