import ArgumentParser
import Commands
import Config
import System
import Simulation

/// `anicca-lab energy`
struct Energy: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Estimate the energy of a day of the agent with the devices of a configuration.",
        discussion: """
            The typical day is simulated in virtual time with the accelerometer, the interrupt line and the step line \
            of the configuration, motion and steps on. A model from data sheets and assumptions, most of them from \
            memory, converts the counts into charge and energy: docs/energy.md has each with its range. Nothing is \
            measured or written.

            Example:
              anicca-lab energy --config my.conf
            """)

    @Option(
        help: ArgumentHelp(
            "The configuration [\(Settings.defaultPath)]; FILE.d/*.conf is read after it.", valueName: "file"))
    var config: String?

    @OptionGroup var output: OutputOptions

    func run() throws {
        let settings = try readSettings(config)
        let trial = EnergyTrial.live(settings)
        if output.json { return print(json(trial).description) }
        printLines(aligned(rows(trial)) + [""] + remarks(trial))
    }

    private func rows(_ trial: EnergyTrial) -> [[String]] {
        let whole = trial.total
        let parts = trial.parts.map { part in
            [
                part.name, "\(Int(part.charge.rounded()))", hundredths(part.energy.typical),
                shareText(part.energy.typical / whole.typical),
                "\(hundredths(part.energy.low)) to \(hundredths(part.energy.high))",
            ]
        }
        let charge = trial.parts.reduce(0) { $0 + $1.charge }
        let sum = [
            "all", "\(Int(charge.rounded()))", hundredths(whole.typical), "100.0 %",
            "\(hundredths(whole.low)) to \(hundredths(whole.high))",
        ]
        return [["a day", "µAh at 3.3 V", "mWh", "share", "between"]] + parts + [sum]
    }

    private func remarks(_ trial: EnergyTrial) -> [String] {
        let devices = [
            trial.imu.id, trial.hasMotionLine ? "INT wired" : "INT not wired",
            trial.hasPulseLine ? "step line wired" : "no step line",
        ]
        let idle = EnergyModel.idleBoardDay.typical
        let lamp = EnergyModel.lampDay.typical
        return [
            "With \(devices.joined(separator: ", ")): \(trial.day.wakeUps) wake-ups, \(trial.day.windows) windows,",
            "\(trial.day.transfers) transfers, \(trial.day.commits) commits.",
            "An idle Zero 2 W takes \(Int(idle.rounded())) mWh; this is \(hundredths(trial.total.typical / idle * 100)) % of it.",
            "The power LED of a GY-521 would take \(Int(lamp.rounded())) mWh.",
        ]
    }

    private func json(_ trial: EnergyTrial) -> JSONObject {
        var json = JSONObject()
        json.put("chip", trial.imu.id)
        json.put("interruptWired", trial.hasMotionLine)
        json.put("stepLineWired", trial.hasPulseLine)
        json.put("wakeUps", trial.day.wakeUps)
        json.put("windows", trial.day.windows)
        json.put("i2cTransfers", trial.day.transfers)
        json.put("commits", trial.day.commits)
        json.put(
            "parts",
            trial.parts.map { part in
                var object = JSONObject()
                object.put("part", part.id)
                object.put("microampHours", part.charge)
                put(part.energy, into: &object)
                object.put("share", part.energy.typical / trial.total.typical)
                return object
            })
        var total = JSONObject()
        total.put("microampHours", trial.parts.reduce(0) { $0 + $1.charge })
        put(trial.total, into: &total)
        json.put("total", total)
        json.put("idleBoardMilliwattHours", EnergyModel.idleBoardDay.typical)
        json.put("powerLEDMilliwattHours", EnergyModel.lampDay.typical)
        return json
    }

    private func put(_ energy: Estimate, into object: inout JSONObject) {
        object.put("milliwattHours", energy.typical)
        object.put("lowMilliwattHours", energy.low)
        object.put("highMilliwattHours", energy.high)
    }

    private func hundredths(_ value: Double) -> String {
        let count = Int((value * 100).rounded())
        return "\(count / 100).\(count % 100 / 10)\(count % 10)"
    }
}
