import Core
import SimulatedBus
import Testing

@testable import Devices

/// What is asked of a driver while something else goes wrong.
extension ChipConformance {
    /// What a driver and its chip are doing before.
    enum Place: CaseIterable {
        case unknown, asleep, armed, filling, fillingSlowly, asleepAfterSlow, armedAfterSlow

        /// Some samples are left in a FIFO that fills.
        func reach(_ bench: ChipBench) throws {
            switch self {
            case .unknown: return
            case .asleep: try bench.sensor.initialise()
            case .armed, .filling:
                try bench.sensor.start()
                bench.wait(bench.sampling.startUp + bench.sampling.period * 10)
            case .fillingSlowly, .asleepAfterSlow, .armedAfterSlow:
                try bench.sensor.startSlowly()
                bench.wait(bench.slowSampling.startUp + bench.slowSampling.period * 10)
            }
            switch self {
            case .armed, .armedAfterSlow: try bench.sensor.rest(wakeOnMotion: true)
            case .asleepAfterSlow: try bench.sensor.rest(wakeOnMotion: false)
            case .unknown, .asleep, .filling, .fillingSlowly: return
            }
            bench.wait(.seconds(1))
        }
    }

    enum Request { case initialise, start, startSlowly, drain, drainTooLate, arm, rest, sleep }

    struct Operation {
        let request: Request
        let place: Place

        static let all = operations([
            .initialise: [.unknown], .startSlowly: [.unknown, .asleep, .armed, .filling, .fillingSlowly],
            .start: [.asleep, .armed, .filling, .fillingSlowly, .asleepAfterSlow, .armedAfterSlow],
            .drain: [.filling, .fillingSlowly], .drainTooLate: [.fillingSlowly], .arm: [.filling, .fillingSlowly],
            .rest: [.filling, .fillingSlowly], .sleep: [.armed, .filling, .fillingSlowly],
        ])

        private static func operations(_ places: KeyValuePairs<Request, [Place]>) -> [Operation] {
            places.flatMap { request, places in places.map { Operation(request: request, place: $0) } }
        }

        /// At which samples come in it or after it.
        var rate: ChipBench.Rate {
            request == .start || request != .startSlowly && place == .filling ? .ofWindows : .slow
        }

        func prepare(_ bench: ChipBench) throws {
            try place.reach(bench)
            if request == .drainTooLate {
                bench.wait(bench.slowSampling.period * Int64(bench.slowSampling.fifoDepth + 5))
            }
        }

        func run(_ bench: ChipBench) throws -> [Acceleration] {
            switch request {
            case .initialise: try bench.sensor.initialise()
            case .start: try bench.sensor.start()
            case .startSlowly: try bench.sensor.startSlowly()
            case .drain: return try bench.sensor.drain(.max).samples
            case .drainTooLate:
                do throws(SensorError) {
                    return try bench.sensor.drain(.max).samples
                } catch {
                    guard case .overrun = error else { throw error }
                }
            case .arm: try bench.sensor.rest(wakeOnMotion: true)
            case .rest: try bench.sensor.rest(wakeOnMotion: false)
            case .sleep: try bench.sensor.sleep()
            }
            return []
        }
    }

    /// One access to the bus in an operation.
    struct Access: CustomStringConvertible {
        let operation: Operation
        let position: Int
        /// Everything that the operation transfers.
        let transfers: [BusTransfer]

        var description: String { "\(operation.request) when \(operation.place), access \(position)" }
    }

    /// Every access of each operation.
    func accesses() throws -> [Access] {
        try Operation.all.flatMap { operation in
            let bench = ChipBench(self)
            try operation.prepare(bench)
            let before = bench.bus.statistics.accesses
            bench.bus.isTracing = true
            _ = try operation.run(bench)
            return (0..<bench.bus.statistics.accesses - before).map {
                Access(operation: operation, position: $0, transfers: bench.bus.trace)
            }
        }
    }

    /// A bench at which one access was not acknowledged: the error names its register, and no window is left.
    func benchWhoseAccessFails(_ access: Access) throws -> ChipBench {
        let bench = ChipBench(self)
        try access.operation.prepare(bench)
        bench.bus.isTracing = true
        bench.bus.fault = .nak(next: 1, after: access.position)
        do {
            _ = try access.operation.run(bench)
            Issue.record("unnoticed: \(access)")
        } catch SensorError.bus(.noAcknowledge, let place) {
            // What comes last in the trace is the failure; here, its register is that of the transfer before.
            let register = access.transfers[bench.bus.trace.count - 1].register
            #expect((place.before + [place]).contains { $0.number & 0x7F == register & 0x7F }, "\(access): \(place)")
        }
        #expect(throws: SensorError.noWindow(chip: chip.name), "\(access)") { try bench.sensor.drain(1) }
        return bench
    }
}

extension BusTransfer {
    fileprivate var register: UInt8 {
        switch self {
        case .wrote(_, let register, _), .read(_, let register, _), .failed(_, let register, _): register
        }
    }
}
