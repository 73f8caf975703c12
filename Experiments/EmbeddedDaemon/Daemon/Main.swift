import Agent
import Config
import Glibc
import Journaling
import Permissions
import Ports
import Program
import Systemd

/// Ends the program with one message per line and the exit code that fits.
private func fail(_ message: String, _ code: ExitCode) -> Never {
    for line in message.split(separator: "\n") { writeLine("aniccad: \(line)", to: STDERR_FILENO) }
    exit(code.rawValue)
}

private func run(_ configPath: String?) -> Int32 {
    // Changes of pace, at debug, would go to the card several times an hour.
    let journal = Journal.standard(identifier: "aniccad", time: timestamp).limited(to: .info)
    let start = openStart(configPath, journal)
    do throws(LoopError) {
        defer { withExtendedLifetime(start) {} }
        let daemon = Daemon(
            loop: try SystemdLoop(), boot: start.boot, journal: journal, settings: start.settings, store: start.store,
            makeDevices: { LinuxDevices(settings: $0, journal: journal) },
            reload: { () throws(SettingsError) in try Settings.load(configPath, sensors: .known) })
        daemon.onReady = { start.markReady() }
        daemon.onLoan = { start.mark(lent: $0) }
        return try daemon.run()
    } catch {
        fail("\(error)", .systemError)
    }
}

private func openStart(_ path: String?, _ journal: Journal) -> AgentStart {
    do {
        return try AgentStart(configPath: path, journal: journal)
    } catch {
        fail(error.message, error.code)
    }
}

/// The program, as C begins one: Embedded Swift has no command line of its own.
@_cdecl("main")
public func main(_ count: Int32, _ words: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Int32 {
    let all = (1..<max(Int(count), 1)).compactMap { words[$0].map { String(cString: $0) } }
    guard let arguments = try? Arguments(all) else {
        fail("unknown or incomplete arguments; the one that counts is --config FILE", .usage)
    }
    return run(arguments.configPath)
}
