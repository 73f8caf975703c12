import ArgumentParser
import Commands
import System

/// The program of the laboratory: the agent without hardware.
@main
struct AniccaLab: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "anicca-lab",
        abstract: "Tries, shows and measures the wearable without hardware.",
        discussion: """
            A first look:
              anicca-lab live # the daemon with a simulated wearer, on this terminal
              anicca-lab demo # a simulated week, compared with the truth

            With a recording from a telephone (phyphox, "Acceleration (with g)"):
              anicca-lab replay --continuous recording.csv

            Data goes to standard output, messages to standard error. Exit status (sysexits): 0 done, 64 usage, \
            65 broken data, 66 file missing, 69 a program or service is missing, 70 a figure differs from the truth, \
            74 the output cannot be written, 77 permission, 78 config.
            """,
        version: "anicca-lab \(aniccaVersion)",
        subcommands: [
            Live.self, Lay.self, Demo.self, Replay.self, Evaluate.self, RunDaemon.self, Turn.self, Age.self, Truth.self,
            Clocks.self,
            Chips.self, Energy.self, Nights.self, Places.self, Floors.self, Heart.self, Fleet.self, Cohort.self,
        ])

    static func main() { runAsProgram() }
}
