import Devices
import Commands
import Config
import System
import Glibc
import Sensing
import Core

/// The configured sensor and lines, for a command that uses them itself.
///
/// The daemon lends them, and takes them back when this is closed, the process ends, or the time of the loan is over.
/// One command can have them at a time. `close()` puts the chip to sleep and frees the lines.
final class SensorBench {
    /// The chip, identified but not set up: the command calls `initialise()`.
    let sensor: any Accelerometer
    private let place: ChipSearch<Chip>.Place
    /// `/dev/i2c-1, MPU-6050 at 0x68`
    let sensorPlace: String
    /// Nil if no step sensor is wired.
    private(set) var pulseLine: LinuxPulseLine?
    /// The IMU's interrupt; nil if it is not wired.
    private(set) var motionLine: LinuxPulseLine?
    private let bus: any I2CBus
    private var isClosed = false
    private let lock: RunLock?
    /// Nil while no daemon runs.
    private var loan: DeviceLoan?
    private let directory: String
    private let length: Interval?

    /// Throws a failure with the place and the remedy.
    ///
    /// - Parameter length: the duration of the command; nil for the usual time of a loan.
    init(_ settings: Settings, for length: Interval?) throws(Failure) {
        lock = try Self.lock(settings)
        directory = settings.wakeFileDirectory
        self.length = length
        loan = try Self.borrow(directory, for: length)
        if loan == nil { try Self.checkThatNoDaemonRuns(settings) }
        let imu = settings.imu
        do {
            bus = try openI2CBus(imu.bus)
            place = try ChipSearch<Chip>(imu).find(on: bus)
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
                steps.chip, line, steps.edge, steps.bias, debounce: settings.rhythm.debounce)
        }
        if let chip = imu.interruptChip, let line = imu.interruptLine {
            motionLine = try Self.take(chip, line, .rising)
        }
    }

    /// The chip, with the samples that the daemon would judge: corrected if it is calibrated.
    func calibrated(_ settings: Settings) -> any Accelerometer {
        do {
            let file = CalibrationFile(in: settings.store.directory)
            guard let found = try file.calibration(of: place.chip.id, at: place.address) else { return sensor }
            return CalibratedAccelerometer(sensor, found.correction)
        } catch {
            tell("\(error); the samples are not corrected")
            return sensor
        }
    }

    /// Whether a running daemon has lent them.
    var isLent: Bool { loan != nil }

    /// Borrows the devices from a daemon that has started meanwhile. Call it about once a second. Throws once the time
    /// of the loan is over.
    ///
    /// Returns whether there was one: it may have changed the chip, which has to be set up again.
    func keepLoan() throws(Failure) -> Bool {
        switch loan?.standing {
        case .held: return false
        case .over: throw Self.loanIsOver
        case .ended, nil: loan = nil
        }
        loan = try Self.borrow(directory, for: length)
        return loan != nil
    }

    /// The person is active, so the loan is extended to its usual time from now on, if that is longer.
    func extendLoan() { loan?.ask() }

    private static let loanIsOver = Failure(
        "aniccad has taken its sensor back: the time of the loan is over. For a longer loan add --for, or press a key "
            + "from time to time in watch and record. The default is loan in [run]", .temporary)

    private static func lock(_ settings: Settings) throws(Failure) -> RunLock? {
        let path = settings.store.sensorLock
        do {
            if let lock = try RunLock(path: path) { return lock }
        } catch .absent {
            return nil  // No daemon has run on this machine yet.
        } catch .denied {
            throw Failure("\(path): permission denied; run: \(sudoCommand)", .noPermission)
        } catch {
            throw Failure("\(error)", .cannotCreate)
        }
        throw Failure("another anicca command uses the sensor: end it first", .temporary)
    }

    /// A daemon that cannot be asked would read the chip at the same time.
    private static func checkThatNoDaemonRuns(_ settings: Settings) throws(Failure) {
        guard case .running = DaemonState(settings) else { return }
        throw Failure(
            "aniccad cannot lend its sensor: \(LendingSocket.path(in: settings.wakeFileDirectory)) is missing or "
                + "belongs to another process; run: sudo systemctl restart aniccad", .temporary)
    }

    /// Nil if no daemon runs.
    private static func borrow(_ directory: String, for length: Interval?) throws(Failure) -> DeviceLoan? {
        do {
            let loan = try DeviceLoan(from: directory)
            // Plus time for the steps before and after.
            if let length { loan.ask(for: length + .seconds(30)) }
            return loan
        } catch {
            switch error {
            case .noDaemon: return nil
            case .taken: throw Failure("another command has the sensor: end it first", .temporary)
            case .denied:
                throw Failure(
                    "\(directory): aniccad lends its sensor only to its own user and root; run: \(sudoCommand); if you "
                        + "already did, remove \(LendingSocket.path(in: directory)), and restart aniccad",
                    .noPermission)
            case .silent(let seconds):
                throw Failure(
                    "aniccad has not lent its sensor within \(seconds) s; see: journalctl -u aniccad", .temporary)
            case .failed(let code):
                throw Failure("\(directory): the sensor cannot be borrowed: \(text(of: code))", .unavailable)
            }
        }
    }

    private static func text(of code: Int32) -> String { String(cString: strerror(code)) }

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

    /// Throws if the chip cannot be put to sleep; the lines and the bus are still freed.
    func close() throws(SensorError) {
        guard !isClosed else { return }
        isClosed = true
        defer {
            pulseLine?.close()
            motionLine?.close()
            bus.close()
            loan = nil
        }
        try sensor.sleep()
    }
}
