import Agent
import Sensing
import ArgumentParser
import Commands
import Config
import System
import Store
import Devices
import Core
import Domains
import SimulatedBus
import Simulation

/// `anicca-lab live`
struct Live: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Run the daemon with a simulated wearer, now and on this terminal.",
        discussion: """
            Needs nothing prepared: it makes a store in a temporary directory, in which the wearer has agreed to motion \
            and steps, and starts a receiver on this machine, to which the uploader delivers. The log is on the terminal. \
            Ctrl-C, or closing the terminal, ends it and removes everything.

            The wearer walks for three minutes and then sits. With a seed, or typical, the wearer lives a whole day, \
            from the present hour or that of --at on.

            While it runs, every command of anicca works on it from another terminal; it says how.

            Examples:
              anicca-lab live
              anicca-lab live 7 --at 08:00 --without-step-line
            """)

    @Argument(help: "The wearer: the seed of a life, or typical, or resting. (default: a walk, then sitting)")
    var wearer: Wearer?

    @Option(help: ArgumentHelp("The hour of the wearer's day at the start (UTC).", valueName: "HH:MM"))
    var at: ClockTime?

    @Option(help: ArgumentHelp("The simulated accelerometer.", valueName: "chip"))
    var imu = SimulatedIMU.all[0]

    @Flag(help: "No step sensor is worn, so steps are counted from the accelerometer.")
    var withoutStepLine = false

    func validate() throws {
        guard at == nil || wearer != nil else {
            throw ValidationError("--at is about the day of a wearer: name one, such as typical.")
        }
    }

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
        let start = Instant.now
        let bus = try BusServer(path: stage.settings.imu.bus, on: loop)
        let gpsd = try GPSDServer(path: stage.settings.location.gpsdSocket, on: loop)
        // Tells the commands that the line of the motor is there, and held.
        let lines = try BusServer(path: stage.settings.alarm.chip, on: loop)
        let sensor = WornSensor(imu, in: stage.directory)
        let daemon = Daemon(
            loop: loop, boot: try BootID.current(), journal: journal, settings: stage.settings,
            store: try stage.openStore(at: Instant.now.wall, [.motion, .steps]),
            makeDevices: {
                let devices = devices($0, sensor.imu, from: start)
                bus.bus = devices.bus
                gpsd.receiver = devices.receiver
                sensor.devices = devices
                return devices
            },
            reload: { () throws(SettingsError) in try Settings.load(stage.configPath, sensors: .known) })
        let changes = try loop.onChange(in: stage.directory) { sensor.look() }
        let lock = try RunLock(path: stage.settings.store.daemonLock)
        daemon.endsOnHangUp = true
        daemon.onReady = { lock?.markReady() }
        daemon.onLoan = { lock?.mark(lent: $0) }
        let deliveries = try WakeFile.upload(in: stage.settings.wakeFileDirectory).watch(on: loop) {
            deliver(stage)
        }
        defer { withExtendedLifetime((deliveries, changes, bus, gpsd, lines)) {} }
        tell("a simulated wearer lives in \(stage.directory); Ctrl-C ends it. From another terminal:")
        for command in Self.commands { tell("  \(stage.prefix)\(command) --config \(stage.configPath)") }
        return try daemon.run()
    }

    private static let commands = [
        "anicca watch", "anicca status", "anicca doctor", "anicca toggle motion off", "anicca toggle location on",
        "anicca toggle alarm on", "anicca-lab lay z-up", "anicca sensor test",
    ]

    private func devices(_ settings: Settings, _ imu: SimulatedIMU, from now: Instant) -> SimulatedDevices {
        let hour = at.map { UTCDay(containing: now.wall).start + .minutes(Int64($0.minute)) }
        return (wearer ?? .walking(at: now.wall)).devicesInRealTime(
            booted: hour.map { Instant(boot: now.boot, wall: $0).wall(at: BootTime(nanoseconds: 0)) },
            hasPulseLine: !withoutStepLine, imu: imu, surroundings: settings, hasReceiver: true)
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

/// The sensor of the wearer, as it lies and as it is calibrated. Used by one thread, the loop's.
private final class WornSensor: @unchecked Sendable {
    weak var devices: SimulatedDevices? { didSet { look() } }
    private let kind: SimulatedIMU
    private let directory: String
    private var gravity: Acceleration?

    /// The offsets and gains of a sound chip, which a calibration improves.
    private static let error = Correction(
        offset: Acceleration(x: 0.03, y: -0.02, z: 0.04), gain: Acceleration(x: 0.99, y: 1.01, z: 0.98))

    init(_ kind: SimulatedIMU, in directory: String) {
        self.kind = kind
        self.directory = directory
    }

    var imu: SimulatedIMU { kind.laid { self.gravity }.needing(Self.error) }

    /// Reads what the commands have left in the directory.
    func look() {
        gravity = SensorPosition.stored(in: directory).gravity
        guard let address = I2CAddress(kind.address) else { return }
        // An unreadable file is reported by the commands that use it.
        devices?.correction = try? CalibrationFile(in: directory).calibration(of: kind.id, at: address)?.correction
    }
}

extension ClockTime: ExpressibleByArgument {
    public init?(argument: String) { self.init(argument) }
}
