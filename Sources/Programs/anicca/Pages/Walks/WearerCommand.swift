import ArgumentParser
import Commands
import Core
import Domains
import Store
import System

/// `anicca wearer`
struct WearerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "wearer", abstract: "Give or show the wearer's height, weight, year of birth and sex.",
        discussion: """
            Only the domain walks uses them: the height for the distance, with the sex; the weight for the energy, and \
            for the energy at rest also height, year of birth and sex. Each is optional. They are stored sealed and \
            never sent; anicca export has them, and anicca forget walks deletes them.

            Example:
              anicca wearer
              anicca wearer set --height 178 --weight 74
              anicca wearer clear
            """,
        subcommands: [ShowWearer.self, SetWearer.self, ClearWearer.self], defaultSubcommand: ShowWearer.self)
}

extension WearerProfile.Sex: ExpressibleByArgument {
    public init?(argument: String) {
        guard let sex = Self.allCases.first(where: { "\($0)" == argument }) else { return nil }
        self = sex
    }

    public static var allValueStrings: [String] { allCases.map { "\($0)" } }
}

/// `anicca wearer show`
struct ShowWearer: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "show", abstract: "Show what was given.")

    @OptionGroup var config: ConfigOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        let profile: WearerProfile = try config.installation().openStore().book()
        output.show(profile.json, or: profile.text)
    }
}

/// `anicca wearer set`
struct SetWearer: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Give some of them; the others stay as they are.")

    @Option(help: ArgumentHelp("The height in centimetres, 80 to 250.", valueName: "cm"))
    var height: UInt16?

    @Option(help: ArgumentHelp("The weight in kilograms, 20 to 400.", valueName: "kg"))
    var weight: UInt16?

    @Option(help: ArgumentHelp("The year of birth, such as 1980.", valueName: "year"))
    var born: UInt16?

    @Option(help: "The sex, as far as equations for the body tell two apart.")
    var sex: WearerProfile.Sex?

    @OptionGroup var config: ConfigOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard height != nil || weight != nil || born != nil || sex != nil else {
            throw ValidationError("set takes at least one of --height, --weight, --born and --sex.")
        }
        try Self.check(height, "--height", WearerProfile.heights)
        try Self.check(weight, "--weight", WearerProfile.weights)
        try Self.check(born, "--born", WearerProfile.years)
    }

    private static func check(_ value: UInt16?, _ option: String, _ range: ClosedRange<UInt16>) throws {
        guard let value, !range.contains(value) else { return }
        throw ValidationError("\(option) takes a number from \(range.lowerBound) to \(range.upperBound).")
    }

    func run() throws {
        let profile = try config.installation().changeBook(WearerProfile.self, deletedBy: "wearer clear") { profile in
            profile.height = height ?? profile.height
            profile.weight = weight ?? profile.weight
            profile.born = born ?? profile.born
            profile.sex = sex ?? profile.sex
            return profile
        }
        output.show(profile.json, or: profile.text)
    }
}

/// `anicca wearer clear`
struct ClearWearer: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "clear", abstract: "Delete all of them.")

    @OptionGroup var config: ConfigOptions

    func run() throws {
        let installation = try config.installation()
        // Also measures that do not open.
        try installation.openStore().changeBook(WearerProfile.self) { $0 = WearerProfile() }
        DaemonCall(installation.settings).signal()
        print("deleted; distances and energies that were counted stay")
    }
}

extension WearerProfile {
    var json: JSONObject {
        JSONObject(
            ("heightCm", height.map(Int.init)), ("weightKg", weight.map(Int.init)), ("born", born.map(Int.init)),
            ("sex", sex.map { "\($0)" }))
    }

    fileprivate var text: String {
        let parts = [
            height.map { "height \($0) cm" }, weight.map { "weight \($0) kg" }, born.map { "born in \($0)" },
            sex.map { "\($0)" },
        ].compactMap(\.self)
        return parts.isEmpty
            ? "nothing was given; see: \(aniccaCommand("wearer set --help"))" : parts.joined(separator: ", ")
    }

    /// Asks for each measure that is not given yet; an empty line leaves it out. Stops at a question that is left open.
    mutating func ask(in prompt: Prompt) {
        prompt.say(
            "\nFor the distance of a walk your height is needed, and for its energy your weight; the rest makes it more "
                + "\nexact. All are optional, stay on this device, and can be changed with anicca wearer.")
        func number(_ question: String, _ range: ClosedRange<UInt16>) -> UInt16?? {
            let choices = "a number from \(range.lowerBound) to \(range.upperBound), or nothing"
            return prompt.ask(question, choices: choices) { words in
                if words.isEmpty { return .some(nil) }
                return UInt16(words).flatMap { range.contains($0) ? .some($0) : nil }
            }
        }
        if height == nil {
            guard let answer = number("Height in cm [none]", Self.heights) else { return }
            height = answer
        }
        if weight == nil {
            guard let answer = number("Weight in kg [none]", Self.weights) else { return }
            weight = answer
        }
        if born == nil {
            guard let answer = number("Year of birth [none]", Self.years) else { return }
            born = answer
        }
        if sex == nil {
            sex =
                prompt.ask("Sex, female or male [none]", choices: "female, male or nothing") { words in
                    words.isEmpty ? .some(nil) : Sex(argument: words).map { .some($0) }
                } ?? nil
        }
    }
}
