import ArgumentParser
import Commands
import System
import Core
import Simulation

/// `anicca-lab truth`
struct Truth: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print the truth of a simulated life, a line of JSON for each quarter of an hour.",
        discussion: """
            For tests that compare it with the agent's result for the same life. A quarter in which nothing was to be \
            counted is left out. "sedentarySeconds" is time spent stationary, worn and awake.

            Example:
              anicca-lab truth 7 --days 3
            """)

    @Argument(help: "The wearer: the seed of a life, or typical.")
    var wearer: Wearer

    @Option(help: ArgumentHelp("The days of the life, 1 to 3650.", valueName: "n"))
    var days = 7

    @Option(help: ArgumentHelp("The first of them.", valueName: "date"))
    var from = UTCDay(daysSinceEpoch: 20_101)

    func validate() throws {
        guard (1...3650).contains(days) else { throw ValidationError("--days takes a number from 1 to 3650.") }
    }

    func run() throws {
        guard let life = wearer.life(from: from, days: days) else { return }
        for quarter in life.quarters where quarter.steps > 0 || quarter.sedentary > .zero {
            var json = JSONObject()
            json.put("start", quarter.start.description)
            json.put("steps", quarter.steps)
            json.put("sedentarySeconds", quarter.sedentary.inSeconds)
            print(json)
        }
    }
}
