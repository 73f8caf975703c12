import ArgumentParser
import Commands
import Config
import Domains
import Ports
import Quantities

/// `anicca sensor`
struct SensorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sensor",
        abstract: "Test the sensor and its lines, or calibrate it.",
        discussion: """
            Uses the chip and the lines itself. What it measures is not kept, but for the few numbers of a calibration.

            Example:
              sudo anicca sensor test
              sudo anicca sensor calibrate
            """,
        subcommands: [SensorTest.self, SensorCalibrate.self])
}

extension Settings {
    /// Throws where the administrator forbids everything that the sensor serves.
    func allowSensor() throws(Failure) {
        let served = Domain.all.filter {
            $0.hardware == .accelerometer || $0.hardware == .stepSensor && !pulseLine.isWired
        }
        guard served.allSatisfy(consent.forbidden.allows) else { return }
        let names = served.map { "\($0) = forbidden" }.joined(separator: ", ")
        throw Failure(
            "[policy] \(names) in the config: the sensor is not to be used; allow one of them, then run: "
                + "systemctl reload aniccad", .noPermission)
    }
}

extension SensorBench {
    /// The time of a measurement that does not outlive a daemon's start: waiting throws then.
    func uninterrupted(_ time: BenchTime) -> BenchTime {
        BenchTime(now: time.now) { length in
            try time.wait(length)
            guard try self.keepLoan() else { return }
            throw Failure("aniccad has started meanwhile, and had the sensor: begin again", .temporary)
        }
    }
}

/// Uses the sensor, and lets it sleep whatever happens, also at Ctrl-C. A body that catches no `Interruption` ends the process with it.
func withSensorBench(
    _ settings: Settings, for length: Interval? = nil, _ body: (SensorBench, BenchTime) throws -> Void
) throws {
    let signals = HeldSignals()
    defer { signals.release() }
    let bench = try SensorBench(settings, for: length)
    let outcome = Result { try body(bench, signals.time) }
    var fault: SensorError?
    do {
        try bench.close()
    } catch {
        fault = error
    }
    if let fault { tell("\(bench.sensorPlace): it may stay awake: \(fault)") }
    do {
        try outcome.get()
    } catch let interruption as Interruption {
        signals.end(with: interruption.signal)
        throw Failure("interrupted", .temporary)
    } catch let error as SensorError {
        throw Failure("\(bench.sensorPlace): \(error)", .unavailable)
    }
    if fault != nil { throw Failure("the sensor could not be put to sleep; run: sudo anicca doctor", .unavailable) }
}
