import ArgumentParser
import Commands
import SimulatedBus
import Simulation
import System

/// `anicca-lab floors`
struct Floors: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Simulate days with stairs and a barometer, and count wrong flights.",
        discussion: """
            The wearer takes stairs, lifts and escalators, drives a car, and goes by train, through tunnels and over hills, while the \
            weather changes, doors shut and the wind blows. The daemon's own session counts the flights, through the \
            registers of an accelerometer and a barometer. The table shows the days whose count is right within one, \
            and the flights that were counted where there were none.

            Examples:
              anicca-lab floors --days 100
              anicca-lab floors --days 1000 --no-stairs
            """)

    @Option(help: ArgumentHelp("Simulated days.", valueName: "number"))
    var days = 50

    @Option(help: ArgumentHelp("The seed of the first day; each next one has the next.", valueName: "number"))
    var seed: UInt64 = 1

    @Flag(name: .customLong("no-stairs"), help: "The wearer takes lifts only.")
    var hasNoStairs = false

    @Flag(help: "A step sensor is wired.")
    var stepSensor = false

    @Option(help: ArgumentHelp("The accelerometer.", valueName: "chip"))
    var imu = SimulatedIMU.all[0]

    @Option(help: ArgumentHelp("The barometer: bmp280 or bmp388.", valueName: "chip"))
    var barometer = "bmp280"

    @Flag(name: .customLong("off"), help: "Floors are off, to compare the wake-ups.")
    var isOff = false

    @Flag(help: "Print each day that is wrong.")
    var list = false

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (1...100_000).contains(days) else { throw ValidationError("--days takes a number from 1 to 100000.") }
        guard ["bmp280", "bmp388"].contains(barometer) else {
            throw ValidationError("--barometer takes bmp280 or bmp388.")
        }
    }

    func run() throws {
        var conditions = FloorsTrial.Conditions()
        conditions.barometer = barometer
        conditions.imu = imu
        conditions.hasStepSensor = stepSensor
        conditions.isOn = !isOff
        var trial = FloorsTrial()
        for number in 0..<UInt64(days) {
            let day = FloorsDay(seed: seed &+ number, hasStairs: !hasNoStairs)
            let before = trial
            trial.live(day, conditions, seed: seed &+ number)
            let isWrong = trial.rightDays == before.rightDays || trial.wrong != before.wrong
            if list, isWrong {
                let counted = trial.counted - before.counted
                let wrong = FloorsDay.Part.allCases.compactMap { part in
                    let flights = (trial.wrong[part] ?? 0) - (before.wrong[part] ?? 0)
                    return flights == 0 ? nil : ", \(flights) of them in: \(part)"
                }
                print("seed \(seed &+ number): \(day.flights) climbed, \(counted) counted\(wrong.joined())")
            }
        }
        if output.json { return print(trial.json.description) }
        printLines(
            aligned(
                [
                    ["days", "\(trial.days)"], ["right within one", "\(trial.rightDays)"],
                    ["flights climbed", "\(trial.climbed)"], ["flights counted", "\(trial.counted)"],
                    ["wake-ups a day", "\(trial.wakeUps / max(trial.days, 1))"],
                ]
                    + FloorsDay.Part.allCases.filter { $0 != .stairs }.map {
                        ["counted in: \($0)", "\(trial.wrong[$0] ?? 0)"]
                    }))
    }
}

extension FloorsTrial {
    fileprivate var json: JSONObject {
        var object = JSONObject(
            ("days", days), ("rightWithinOne", rightDays), ("climbed", climbed), ("counted", counted),
            ("wakeUps", wakeUps))
        for part in FloorsDay.Part.allCases where part != .stairs { object.put(part.rawValue, Int64(wrong[part] ?? 0)) }
        return object
    }
}
