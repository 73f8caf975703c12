import Agent
import Sensing
import Config
import Glibc
import System

/// Ends the program with one log line for each line of the message, and the matching exit code.
func fail(_ message: String, _ code: ExitCode) -> Never {
    for line in message.split(separator: "\n") { writeLine("aniccad: \(line)", to: STDERR_FILENO) }
    exit(code.rawValue)
}

func readArguments() -> Arguments {
    do {
        return try Arguments(CommandWords.ofProgram())
    } catch {
        fail(error.message, error.code)
    }
}

func run(_ configPath: String?) -> Int32 {
    // Changes of pace, at debug level, would be written to the card several times an hour.
    let journal = Journal.standard(identifier: "aniccad", time: timestamp).limited(to: .info)
    do {
        let start = try AgentStart(configPath: configPath, journal: journal)
        defer { start.store.ledger.end() }
        let daemon = Daemon(
            loop: try EpollLoop(), boot: start.boot, journal: journal, settings: start.settings, store: start.store,
            makeDevices: { LinuxDevices(settings: $0, journal: journal) },
            reload: { () throws(SettingsError) in try Settings.load(configPath, sensors: .known) })
        daemon.onReady = { start.markReady() }
        daemon.onLoan = { start.mark(lent: $0) }
        return try daemon.run()
    } catch let failure as AgentStart.Failure {
        fail(failure.message, failure.code)
    } catch {
        fail("\(error)", .systemError)
    }
}

let arguments = readArguments()
switch arguments.request {
case .help: print(Arguments.help)
case .version: print("aniccad \(aniccaVersion)")
case .run: exit(run(arguments.configPath))
}
