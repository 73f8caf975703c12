import ArgumentParser
import Devices
import Commands
import Config
import Domains
import System

/// `anicca sensor test`
struct SensorTest: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test",
        abstract: "Measure whether the sensor and its lines are sound.",
        discussion: """
            Lay the sensor on a table. Checks identity, self-test, noise, gravity, orientation and sampling rate; then, on a terminal, \
            asks you to move it and to tap the step sensor. No measurement is stored. At the end the chip sleeps.

            Example:
              sudo anicca sensor test --not-worn
              anicca sensor test --no-wait --json | jq '.[] | select(.state == "failed")'

            Exit status: 0 when nothing failed, else 69; 77 the config forbids all domains of the sensor; 79 the \
            wearer has not agreed.
            """)

    @Flag(help: "Skip the checks that need a person to move or tap the sensor.")
    var noWait = false

    @OptionGroup var worn: WornOptions
    @OptionGroup var config: ConfigOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        let installation = try config.installation()
        let settings = installation.settings
        let consent = try SensorConsent(installation, worn)
        var results: [CheckResult] = []
        let outcome = Result {
            try withSensorBench(settings) { bench, time in
                try checks(bench, settings, time, consent).run { result in
                    results.append(result)
                    guard !output.json else { return }
                    for line in result.lines(.standardOutput) { print(line) }
                }
            }
        }
        if case .failure(let failure as Failure) = outcome, results.isEmpty, failure.code == .unavailable {
            results = SensorChecks.withoutSensor(failure.message)
            if !output.json { for line in results.flatMap({ $0.lines(.standardOutput) }) { print(line) } }
        }
        if output.json, !results.isEmpty { print(results.map(\.json).listing) }
        let failures = results.count { $0.state == .failed }
        if failures > 0 { throw Failure("\(failures) of \(results.count) checks failed", .unavailable) }
        try outcome.get()
    }

    private func checks(
        _ bench: SensorBench, _ settings: Settings, _ time: BenchTime, _ consent: SensorConsent
    ) throws -> SensorChecks {
        var checks = SensorChecks(
            sensor: bench.sensor, motion: bench.motionLine, time: bench.uninterrupted(time, consent), say: { tell($0) },
            talk: noWait ? nil : .terminal)
        if settings.consent.forbidden.allowsAny(on: .stepSensor) {
            checks.whyNoSteps = "[policy] steps = forbidden in the config"
        } else if try !consent.demanded().steps {
            checks.whyNoSteps = "steps are off"
        } else {
            checks.steps = bench.pulseLine
        }
        do {
            if let address = ChipInspection(bench.sensor)?.address {
                checks.calibration = try CalibrationFile(in: settings.store.directory).calibration(
                    of: bench.sensor.chip.id, at: address)
            }
        } catch {
            checks.calibrationFault = "\(error)"
        }
        return checks
    }
}
