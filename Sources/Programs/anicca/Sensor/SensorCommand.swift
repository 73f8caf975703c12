import ArgumentParser
import Commands
import Config
import Domains
import Store
import Devices
import Core

/// `anicca sensor`
struct SensorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sensor",
        abstract: "Test the sensor and its lines, or calibrate it.",
        discussion: """
            Uses the chip and the lines directly. Its measurements are not stored, except the numbers of a \
            calibration. A worn sensor is read only if motion, sleep or steps are on.

            Example:
              sudo anicca sensor test --not-worn
              sudo anicca sensor calibrate
            """,
        subcommands: [SensorTest.self, SensorCalibrate.self])
}

struct WornOptions: ParsableArguments {
    @Flag(help: "The device is not worn, so reading its sensor needs no consent.")
    var notWorn = false
}

/// The sensor data that a command may read: for a worn sensor, the wearer decides; for an unworn one, the
/// administrator.
struct SensorConsent {
    private let settings: Settings
    /// Nil if it is not worn.
    private let ledger: Ledger?

    /// Throws if the acceleration may not be read.
    init(_ installation: Installation, _ options: WornOptions) throws {
        settings = installation.settings
        try settings.allowSensor()
        guard options.notWorn || settings.store.exists else { throw Self.refusal }
        ledger = options.notWorn ? nil : try installation.openStore()
        _ = try demanded()
    }

    /// Call it repeatedly, because consent may end meanwhile.
    func demanded() throws -> LiveView.Permitted {
        let permitted = LiveView.Permitted(
            try ledger?.consent().collected ?? .everything.subtracting(settings.consent.forbidden),
            hasStepLine: settings.pulseLine.isWired)
        guard permitted.acceleration else { throw Self.refusal }
        return permitted
    }

    private static var refusal: Failure {
        Failure(
            "reading a worn sensor requires consent; run: sudo \(aniccaCommand("toggle motion on")); "
                + "or take it off, and add --not-worn", .consentNeeded)
    }
}

extension ConsentSnapshot {
    /// The domains that are on; none if consent is not trusted.
    var collected: DomainSet { isTrusted ? state.toggles : [] }
}

extension Settings {
    /// Throws if the administrator forbids all domains of the sensor.
    fileprivate func allowSensor() throws(Failure) {
        let served = Domain.all.filter {
            $0.hardware == .accelerometer || $0.hardware == .stepSensor && !pulseLine.isWired
        }
        guard served.allSatisfy(consent.forbidden.allows) else { return }
        let names = served.map { "\($0) = forbidden" }.joined(separator: ", ")
        throw Failure(
            "[policy] \(names) in the config forbids the use of the sensor; allow one of them, then run: "
                + "systemctl reload aniccad", .noPermission)
    }
}

extension SensorBench {
    /// The time of a measurement that must stop when consent ends or a daemon starts: waiting then throws.
    func uninterrupted(_ time: BenchTime, _ consent: SensorConsent) -> BenchTime {
        BenchTime(now: time.now) { length in
            try time.wait(length)
            _ = try consent.demanded()
            guard try self.keepLoan() else { return }
            throw Failure("aniccad has started and has used the sensor: run this again", .temporary)
        }
    }
}

/// Uses the sensor, and puts it to sleep in any case, even after Ctrl-C. An uncaught `Interruption` ends the process.
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
