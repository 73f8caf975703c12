import ArgumentParser
import Commands
import System
import Store

/// `anicca setup`
struct Setup: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "setup", abstract: "Ask what this wearable may collect, one question at a time.",
        discussion: """
            The first run. Goes through the permissions for all that this version collects, asks about each that is not \
            answered yet and whose hardware is there, and turns on what you agree to. It can be left at any point with q \
            or Ctrl-C: what you have answered is stored, and the next run goes on where you stopped. It needs a terminal.

            Example:
              anicca setup

            Exit status: 0 all answered, or left by you; 79 there is something to answer and no terminal to ask on.
            """)

    @OptionGroup var config: ConfigOptions

    func run() throws {
        let flow = try ConsentFlow(config.installation())
        guard let prompt = flow.prompt else { return try tellHowToAnswer(flow) }
        prompt.say("What may this wearable collect? q leaves at any point; what you have answered stays.")
        tellWhatIsNext(try flow.setUp(in: prompt), in: prompt)
    }

    private func tellHowToAnswer(_ flow: ConsentFlow) throws {
        let open = try flow.openQuestions()
        guard open.isEmpty else {
            let names = open.map(\.permission.description).joined(separator: ", ")
            throw Failure("not answered yet: \(names)\n\(howToAnswer(open))", .consentNeeded)
        }
        tell("no question is open; for all permissions, run: \(aniccaCommand("permissions"))")
    }

    private func tellWhatIsNext(_ end: ConsentFlow.FirstRunEnd, in prompt: Prompt) {
        prompt.say("")
        switch end {
        case .complete:
            prompt.say("All questions are asked. Next steps:")
            var next = Table([("  \(aniccaCommand("status"))", .left), ("collection and delivery", .left)])
            next.add(["  \(aniccaCommand("permissions"))", "the obstacles of the other domains"])
            next.add(["  \(aniccaCommand("toggle DOMAIN on|off"))", "change a decision"])
            for line in next.lines(within: nil) { prompt.say(line) }
        case .left(let permission):
            prompt.say(
                "Left at \(permission); what you have answered is stored. \(aniccaCommand("setup")) goes on from there."
            )
        }
    }
}
