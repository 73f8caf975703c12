import Foundation
import Testing

/// The manual pages name the programs' options, no more and no less.
@Suite struct ManualPageTests {
    @Test(arguments: ["anicca", "anicca-lab", "anicca-receiver"])
    func thePageOfACommandNamesEverySubcommandAndItsOptions(program: String) throws {
        let page = try ManualPage("\(program).1")
        let anicca = try command(program)
        let entries = page.section("COMMANDS").filter { $0.hasPrefix(".It Cm ") }
        for command in anicca.subcommands {
            let name = command.commandName
            #expect(page.synopsisOptions(of: "\(program) \(name)") == command.options, "\(name)")
            for entry in [name] + command.subcommands.map({ "\(name) \($0.commandName)" }) {
                #expect(entries.contains { "\($0) ".hasPrefix(".It Cm \(entry) ") }, "\(entry)")
            }
        }
        #expect(page.explainedOptions == anicca.options.union(Command.everywhere))
    }

    @Test(arguments: ["aniccad", "anicca-upload"])
    func thePageOfADaemonNamesEveryOptionOfItsHelp(program: String) throws {
        let page = try ManualPage("\(program).8")
        let help = try Program.run(program, ["--help"]).lines.joined(separator: "\n")
        let options = Set(help.matches(of: /--[a-z][a-z-]*/).map { String($0.0) })
        #expect(options.count > 2)
        #expect(page.explainedOptions == options)
        #expect(page.synopsisOptions() == options)
    }

    @Test(arguments: ["aniccad", "anicca-upload"])
    func thePageOfADaemonNamesEveryExitCodeOfItsHelp(program: String) throws {
        let help = try Program.run(program, ["--help"]).lines.joined(separator: "\n")
        let codes = try #require(help.components(separatedBy: "Exit status").dropFirst().first)
        let named = Set(codes.matches(of: /\b[67][0-9]\b/).compactMap { Int($0.0) })
        #expect(!named.isEmpty)
        #expect(try ManualPage("\(program).8").exitCodes.isSuperset(of: named))
    }

    private func command(_ program: String) throws -> Command {
        let text = try Program.run(program, ["--experimental-dump-help"]).lines.joined(separator: "\n")
        return try JSONDecoder().decode(Tool.self, from: Data(text.utf8)).command
    }
}

/// The part of `--experimental-dump-help` of swift-argument-parser that is needed here.
private struct Tool: Decodable {
    let command: Command
}

private struct Command: Decodable {
    struct Argument: Decodable {
        struct Name: Decodable {
            let kind: String
            let name: String
        }

        let names: [Name]?
        /// Whether its help shows it.
        let shouldDisplay: Bool
    }

    let commandName: String
    let arguments: [Argument]?
    private let children: [Command]?

    /// Options that every command takes.
    static let everywhere: Set<String> = ["--help", "--version"]

    enum CodingKeys: String, CodingKey {
        case commandName, arguments
        case children = "subcommands"
    }

    var subcommands: [Command] { children ?? [] }

    /// The long options of this command and of those below it, without those that every command takes.
    var options: Set<String> {
        var options: Set<String> = []
        for argument in arguments ?? [] where argument.shouldDisplay {
            for name in argument.names ?? [] where name.kind == "long" { options.insert("--\(name.name)") }
        }
        for command in subcommands { options.formUnion(command.options) }
        return options.subtracting(Self.everywhere)
    }
}
