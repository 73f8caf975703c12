import Agent
import Sensing
import ArgumentParser
import Commands
import Config
import System
import Store
import Devices
import Core
import SimulatedBus
import Simulation

/// `anicca-lab live`
struct Live: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Run the daemon with a simulated wearer, now and on this terminal.",
        discussion: """
            Needs nothing prepared: it makes a store in a temporary directory, in which the wearer has agreed to motion \
            and steps, and starts a receiver on this machine, to which the uploader delivers. The log is on the terminal. \
            Ctrl-C ends it and removes everything.

            While it runs, the commands work on it from another terminal; it says how.

            Examples:
              anicca-lab live
              anicca-lab live 7 --without-step-line
            """)

    @Argument(help: "The wearer: the seed of a life, or typical, or resting.")
    var wearer = Wearer.seed(1)

    @Option(help: ArgumentHelp("The simulated accelerometer.", valueName: "chip"))
    var imu = SimulatedIMU.all[0]

    @Flag(help: "No step sensor is worn, so steps are counted from the accelerometer.")
    var withoutStepLine = false

    func run() throws {
        do {
            let code = try live()
            guard code == 0 else { throw ArgumentParser.ExitCode(code) }
        } catch let failure as Failure {
            throw failure
        } catch let exit as ArgumentParser.ExitCode {
            throw exit
        } catch {
            throw Failure("\(error)", .software)
        }
    }

    private func live() throws -> Int32 {
        let stage = try DemoStage()
        let journal = Journal.standard(identifier: "anicca-lab", time: timestamp)
        let loop = try EpollLoop()
        let daemon = Daemon(
            loop: loop, boot: try BootID.current(), journal: journal, settings: stage.settings,
            store: try stage.openStore(at: Instant.now.wall, [.motion, .steps]),
            makeDevices: { wearer.devicesInRealTime(hasPulseLine: !withoutStepLine, imu: imu, surroundings: $0) },
            reload: { () throws(SettingsError) in try Settings.load(stage.configPath, sensors: .known) })
        let lock = try RunLock(path: stage.settings.store.daemonLock)
        daemon.onReady = { lock?.markReady() }
        daemon.onLoan = { lock?.mark(lent: $0) }
        let deliveries = try WakeFile.upload(in: stage.settings.wakeFileDirectory).watch(on: loop) {
            deliver(stage)
        }
        defer { withExtendedLifetime(deliveries) {} }
        tell("a simulated wearer lives in \(stage.directory); Ctrl-C ends it. From another terminal:")
        tell("  anicca status --config \(stage.configPath)")
        tell("  anicca toggle motion off --config \(stage.configPath)")
        return try daemon.run()
    }

    /// A failed delivery stays in the store; the uploader's log has the reason.
    private func deliver(_ stage: DemoStage) {
        do {
            try stage.upload()
            tell("anicca-upload ran; its log is \(stage.directory)/upload.log")
        } catch {
            tell("\(error)")
        }
    }
}
