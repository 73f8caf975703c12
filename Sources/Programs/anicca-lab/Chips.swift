import ArgumentParser
import Commands
import System
import Core
import SimulatedBus
import Simulation

/// `anicca-lab chips`
struct Chips: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Simulate the same day with every chip, and compare.",
        discussion: """
            The typical day goes through the registers of each chip, its driver and the session, in virtual time: first with a step \
            sensor, then with steps counted in acceleration. The table shows the cost with a step sensor, the windows that are \
            judged as through the first chip, and the steps in acceleration.

            The charge is that of the accelerometer alone, by typical currents of data sheets, most of them from memory: a guide \
            for choosing, not a measurement. Nothing is written.
            """)

    @OptionGroup var output: OutputOptions

    private struct Row {
        let imu: SimulatedIMU
        let line: ChipTrial
        let agreement: Double
        let alone: ChipTrial
    }

    func run() throws {
        var rows: [Row] = []
        let progress = Progress("")
        for imu in SimulatedIMU.all {
            progress.show("a day with \(imu.id), \(rows.count + 1) of \(SimulatedIMU.all.count)")
            let line = ChipTrial.live(imu, hasPulseLine: true)
            let alone = ChipTrial.live(imu, hasPulseLine: false)
            rows.append(
                Row(imu: imu, line: line, agreement: line.agreement(with: rows.first?.line ?? line), alone: alone))
        }
        progress.clear()
        if output.json { return rows.forEach { print(json($0).description) } }
        printLines(aligned([Self.header] + rows.map(cells)))
    }

    private static let header = [
        "chip", "windows", "alike", "wake-ups", "transfers", "a window", "I²C bytes", "IMU on", "charge",
        "steps in acceleration",
    ]

    private func cells(_ row: Row) -> [String] {
        let line = row.line
        return [
            line.imu.id, "\(line.verdicts.count)", shareText(row.agreement), "\(line.wakeUps)", "\(line.busTransfers)",
            tenths(line.transfersPerWindow), "\(line.busBytes)", shareText(line.use.share),
            "\(Int((line.charge * 1000).rounded())) µAh",
            "\(row.alone.steps)",
        ]
    }

    private func json(_ row: Row) -> JSONObject {
        var json = JSONObject()
        json.put("chip", row.imu.id)
        json.put("windows", row.line.verdicts.count)
        json.put("agreePermille", Int((row.agreement * 1000).rounded(.down)))
        json.put("wakeUps", row.line.wakeUps)
        json.put("wakeUpsWithoutStepLine", row.alone.wakeUps)
        json.put("i2cTransfers", row.line.busTransfers)
        json.put("i2cTransfersPerWindow", (row.line.transfersPerWindow * 10).rounded() / 10)
        json.put("i2cBytes", row.line.busBytes)
        json.put("onMs", Int(row.line.use.on.inMilliseconds))
        json.put("slowMs", Int(row.line.use.slow.inMilliseconds))
        json.put("watchingMs", Int(row.line.use.watching.inMilliseconds))
        json.put("chargeMicroampHours", Int((row.line.charge * 1000).rounded()))
        json.put("steps", row.line.steps)
        json.put("stepsInAcceleration", row.alone.steps)
        return json
    }
}
