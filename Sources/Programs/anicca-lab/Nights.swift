import ArgumentParser
import Commands
import System
import Core
import Recordings
import Signal
import SimulatedBus
import Simulation

/// `anicca-lab nights`
struct Nights: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Compare ways to sample a night, and write nights for the reference rule.",
        discussion: """
            Each night is a day from noon to noon of a simulated wrist. It is sampled at 25 Hz without a gap, by \
            windows at intervals, slowly, and by the daemon's own session through the registers of each chip; the same \
            estimate then gives the times in bed and asleep. The table shows the agreement with the truth, and the \
            costs of the daemon's night.

            With --out, writes what the first chip's night gave to DIR/nights.csv and the mean acceleration of every five seconds to \
            DIR/NIGHT.bin, for Training/sleep_nights.py.

            Examples:
              anicca-lab nights --nights 20
              anicca-lab nights --nights 500 --out .build/nights
            """)

    @Option(help: ArgumentHelp("Made-up nights.", valueName: "number"))
    var nights = 20

    @Option(help: ArgumentHelp("The seed of the first night; each next one has the next.", valueName: "number"))
    var seed: UInt64 = 1

    @Option(help: ArgumentHelp("Write nights for the reference rule there, and compare nothing.", valueName: "dir"))
    var out: String?

    @Option(
        help: ArgumentHelp(
            "Sample nights of this recorded movement: tables with t_s, count and psg.", valueName: "file"))
    var table: [String] = []

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (1...10_000).contains(nights) else { throw ValidationError("--nights takes a number from 1 to 10000.") }
    }

    func run() throws {
        let plans = try table.isEmpty ? (0..<UInt64(nights)).map { NightPlan(seed: seed &+ $0) } : recordedPlans()
        if let out { return try write(plans, to: out) }
        let progress = Progress("")
        let scores = Self.ways.enumerated().map { index, way in
            progress.show("\(index + 1) of \(Self.ways.count): \(way.name)")
            var score = NightScore(way.name)
            for plan in plans { score.add(NightTrial(plan, way.sampling), of: plan) }
            return score
        }
        progress.clear()
        if output.json { return scores.forEach { print($0.json.description) } }
        printLines(aligned([NightScore.header] + scores.map(\.cells)))
    }

    private func write(_ plans: [NightPlan], to directory: String) throws {
        var files = try NightFiles(directory)
        for plan in plans { try files.add(plan, NightTrial(plan, .device(SimulatedIMU.all[0]))) }
        try files.finish()
    }

    private func recordedPlans() throws -> [NightPlan] {
        do throws(RecordingError) {
            var plans: [NightPlan] = []
            for file in table {
                let movement = try MovementTable(path: file).rows.map(\.count)
                let stages = try MovementTable(path: file, count: "psg").rows.map(\.count)
                plans.append(
                    NightPlan(movement: movement, asleep: stages.map { $0 > 0 }, seed: seed &+ UInt64(plans.count)))
            }
            return plans
        } catch {
            throw Failure(error)
        }
    }

    private static let ways: [(name: String, sampling: NightTrial.Sampling)] =
        [
            ("25 Hz without a gap", .continuous),
            ("12.5 Hz", .slow(period: .milliseconds(80))),
            ("3.9 Hz", .slow(period: .milliseconds(256))),
            ("1 Hz", .slow(period: .seconds(1))),
            ("0.78 Hz", .slow(period: .milliseconds(1280))),
            ("windows each minute", .windows(every: .minutes(1))),
            ("the same, movement asked each 30 s", .asking(every: .seconds(30))),
            ("daemon, mpu6050, a window each minute", .withoutSleep(.mpu6050, windowsEvery: .minutes(1))),
        ]
        + SimulatedIMU.all.flatMap { imu in
            [
                (name: "daemon, \(imu.id), no sleep", sampling: NightTrial.Sampling.withoutSleep(imu)),
                (name: "daemon, \(imu.id)", sampling: .device(imu)),
            ]
        }
}
