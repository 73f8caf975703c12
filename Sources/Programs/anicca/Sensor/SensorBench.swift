import Chips
import Commands
import Config
import LinuxBus
import Permissions
import Ports
import Quantities

/// The sensor and the lines that the config names, in the hands of a command that uses them itself.
///
/// `close()` puts the chip to sleep and frees the lines.
final class SensorBench {
    /// The chip, found and not set up: `initialise()` is up to the command.
    let sensor: any Accelerometer
    /// `/dev/i2c-1, MPU-6050 at 0x68`
    let sensorPlace: String
    /// Nil where no step sensor is wired.
    private(set) var pulseLine: LinuxPulseLine?
    /// The IMU's interrupt; nil where it is not wired.
    private(set) var motionLine: LinuxPulseLine?
    private let bus: LinuxI2CBus
    private var isClosed = false

    /// Throws a failure that says where, and what to do.
    init(_ settings: Settings) throws(Failure) {
        let imu = settings.imu
        do {
            bus = try LinuxI2CBus(path: imu.bus)
            let place = try SensorSearch(imu).find(on: bus)
            sensor = place.chip.driver(on: bus, at: place.address, AccelerometerSetup(imu))
            sensorPlace = "\(imu.bus), \(place.chip.name) at \(place.address)"
        } catch let error as BusError {
            throw Failure("\(imu.bus): \(error.words.node); \(error.words.nodeAdvice)", .unavailable)
        } catch {
            throw Failure("\(imu.bus): \(error)", .unavailable)
        }
        let steps = settings.pulseLine
        pulseLine = try steps.line.map { line throws(Failure) in
            try Self.take(
                steps.chip, line, steps.edge.forLine, steps.bias.forLine, debounce: settings.rhythm.debounce)
        }
        if let chip = imu.interruptChip, let line = imu.interruptLine {
            motionLine = try Self.take(chip, line, .rising)
        }
    }

    private static func take(
        _ chip: String, _ line: UInt32, _ edge: LinuxPulseLine.Edge, _ bias: LinuxPulseLine.Bias = .asIs,
        debounce: Interval = .zero
    ) throws(Failure) -> LinuxPulseLine {
        do {
            return try LinuxPulseLine(chip: chip, offset: line, edge: edge, bias: bias, debounce: debounce)
        } catch {
            throw Failure("\(chip) line \(line): \(error.lineAdvice)", .unavailable)
        }
    }

    /// Throws where the chip cannot be put to sleep; the lines and the bus are free all the same.
    func close() throws(SensorError) {
        guard !isClosed else { return }
        isClosed = true
        defer {
            pulseLine?.close()
            motionLine?.close()
            bus.close()
        }
        try sensor.sleep()
    }
}
