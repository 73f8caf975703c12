import ArgumentParser
import Commands
import Domains
import System
import Store

/// `anicca toggle`
struct Toggle: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "toggle", abstract: "Allow or forbid one kind of data.",
        discussion: """
            The first time a kind of data is turned on you are asked whether you agree: once, and on a terminal only. \
            Nothing is asked when it is turned off.

            Your decision is written to the consent trail. A running daemon applies it at once, otherwise at its next \
            start. Data that is unsent when its domain is turned off is not sent.

            Example:
              anicca toggle motion on
              anicca toggle motion on --agree # in a script: the wearer agreed before
              anicca toggle steps off

            Exit status: 0 done; 77 declined, denied or restricted; 69 the hardware is missing, or this version does \
            not collect it; 79 the wearer has not agreed yet: no terminal for the question, or it was left open; 75 \
            the store is busy or full and nothing was changed.
            """)

    enum Position: String, CaseIterable, ExpressibleByArgument {
        case on
        case off
    }

    @Argument(help: "The kind of data.")
    var domain: Domain

    @Argument(help: "Allow it or forbid it.")
    var position: Position

    @Flag(help: "The wearer agrees to the whole permission; no question is asked.")
    var agree = false

    @OptionGroup var config: ConfigOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard !agree || position == .on else { throw ValidationError("--agree goes with on") }
    }

    func run() throws {
        let outcome = try turn(ConsentFlow(config.installation()))
        try output.show(outcome.json, or: outcome.text, unless: outcome.failure)
    }

    private func turn(_ flow: ConsentFlow) throws(Failure) -> ToggleOutcome {
        do {
            return try flow.turn(domain, on: position == .on, agrees: agree)
        } catch {
            throw position == .off ? Failure(error).adding(howToStopAtOnce) : Failure(error)
        }
    }
}
