import Agent
import Sensing
import ArgumentParser
import Commands
import Config
import System
import Glibc
import Devices
import Core
import SimulatedBus
import Simulation

/// `anicca-lab daemon`
struct RunDaemon: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "daemon",
        abstract: "Run the daemon on simulated devices, over the store of a configuration.",
        discussion: """
            The wearer is a number, the seed of a life; 'typical', the wearer of the published costs; or 'resting', \
            without movement. For tests and measurements. Everything except the devices is that of aniccad: \
            configuration, store, key, lock, signals and log. All is off at first: anicca-lab toggle turns a domain on.

            Without --days the devices live in real time until SIGTERM. With --days, that many days of virtual time go by \
            as fast as possible; what each day cost is a line of JSON on standard output.

            Examples:
              anicca-lab daemon --config my.conf 1
              anicca-lab daemon --config my.conf typical --days 7

            Exit status: that of aniccad.
            """)

    @Argument(help: "The wearer: the seed of a life, or typical, or resting.")
    var wearer: Wearer

    @Option(help: ArgumentHelp("The simulated accelerometer.", valueName: "chip"))
    var imu = SimulatedIMU.all[0]

    @Flag(help: "No step sensor is worn, so steps are counted from the accelerometer.")
    var withoutStepLine = false

    @Flag(help: "There are also a phone with reports, a receiver of positions and a pulse oximeter; with --days.")
    var withSurroundings = false

    @Option(
        help: ArgumentHelp(
            "A file that stands for the sensor's node: without it or its permission the sensor is lost. In real time.",
            valueName: "file"))
    var sensorNode: String?

    @Option(help: ArgumentHelp("Days of virtual time to live, 1 to 3650.", valueName: "n"))
    var days: Int?

    @Option(help: ArgumentHelp("The first day of the life, with --days or --booted.", valueName: "date"))
    var from = UTCDay(daysSinceEpoch: 20_101)

    @Option(
        help: ArgumentHelp(
            "The true time of boot time zero: the wearer follows it from --from on, independent of the wall clock. "
                + "In real time.",
            valueName: "time"))
    var booted: WallTime?

    @Option(
        help: ArgumentHelp(
            "Keeps the virtual time, so that a run that was killed goes on at that time.", valueName: "file"))
    var clock: String?

    @Option(
        help: ArgumentHelp(
            "Edges that the simulated kernel keeps: 1024 as with libgpiod 2, 16 as with 1.x.", valueName: "n"))
    var kernelBuffer = 1024

    @Option(
        help: ArgumentHelp(
            "The configuration [\(Settings.defaultPath)]; FILE.d/*.conf is read after it.", valueName: "file"))
    var config: String?

    func validate() throws {
        guard (1...3650).contains(days ?? 1) else { throw ValidationError("--days takes a number from 1 to 3650.") }
        guard (1...1 << 20).contains(kernelBuffer) else {
            throw ValidationError("--kernel-buffer takes a number from 1 to \(1 << 20).")
        }
        guard !withSurroundings || days != nil else { throw ValidationError("--with-surroundings needs --days.") }
        guard clock == nil || days != nil else { throw ValidationError("--clock needs --days.") }
        guard booted == nil || days == nil else {
            throw ValidationError("--booted is about a clock that lies in real time: leave --days out.")
        }
        guard sensorNode == nil || days == nil else {
            throw ValidationError("--sensor-node stands for a node in real time: leave --days out.")
        }
    }

    func run() throws {
        // Changes of pace, at debug level, would be written to the card several times an hour.
        let journal = Journal.standard(identifier: "anicca-lab", time: timestamp).limited(to: .info)
        do {
            let start = try AgentStart(configPath: config, journal: journal)
            defer { withExtendedLifetime(start) {} }
            let code = try days.map { try live(days: $0, start, journal) } ?? live(start, journal)
            guard code == 0 else { throw ArgumentParser.ExitCode(code) }
        } catch let failure as AgentStart.Failure {
            throw Failure(failure.message, failure.code)
        } catch let error as LoopError {
            throw Failure("\(error)", .systemError)
        } catch let error as FileError {
            throw Failure("\(error)", .systemError)
        }
    }

    /// Runs in real time until SIGTERM. Returns the exit code.
    private func live(_ start: AgentStart, _ journal: Journal) throws -> Int32 {
        let daemon = Daemon(
            loop: try EpollLoop(), boot: start.boot, journal: journal, settings: start.settings, store: start.store,
            makeDevices: {
                let devices = wearer.devicesInRealTime(
                    from: booted == nil ? nil : from, booted: booted, hasPulseLine: !withoutStepLine, imu: imu,
                    surroundings: $0)
                devices.sensorNode = sensorNode
                devices.zone = LinuxDevices(settings: $0, journal: journal).zone
                return devices
            },
            reload: { () throws(SettingsError) in try Settings.load(config, sensors: .known) })
        daemon.onReady = { start.markReady() }
        daemon.onLoan = { start.mark(lent: $0) }
        return try daemon.run()
    }

    /// Runs in virtual time until the end of the last day or SIGTERM. Returns the exit code.
    private func live(days: Int, _ start: AgentStart, _ journal: Journal) throws -> Int32 {
        let keptTime = try clock.map { try KeptTime(path: $0) }
        if let time = keptTime?.time, !UTCDay(containing: time).isOfThisAge {
            throw Failure("\(clock ?? "") holds no time from 1970 to 2199: name another file", .dataError)
        }
        let devices = wearer.devices(
            from: from, days: days, clock: VirtualClock(bootingAt: keptTime?.time ?? from.start),
            hasPulseLine: !withoutStepLine, kernelBuffer: kernelBuffer, imu: imu, hasOximeter: withSurroundings)
        devices.surroundings = linuxHandlers(start.settings).filter { $0.domain.hardware == .companionInbox }
        devices.inboxDirectory = start.settings.companion.inbox
        let phone = withSurroundings ? DemoPhone(firstDay: from, days: days, totals: DemoPhone.Total.allCases) : nil
        if withSurroundings, let life = wearer.life(from: from, days: days) {
            devices.receiver = LifeReceiver(life, clock: devices.clock)
        }
        let loop = VirtualLoop(devices, seed: 1)
        let daemon = Daemon(
            loop: loop, boot: BootID(high: 1, low: devices.clock.now.wall.nanoseconds), journal: journal,
            settings: start.settings, store: start.store,
            makeDevices: {
                devices.zone = LinuxDevices(settings: $0, journal: journal).zone
                return devices
            },
            reload: { () throws(SettingsError) in try Settings.load(config, sensors: .known) })
        let meter = CostMeter(devices, storeBytes: StoreMeter().bytes) { [unowned daemon] in daemon.service }
        meter.onDay = { writeLine($0.json, to: STDOUT_FILENO) }
        loop.observer = meter
        loop.end = (from + days).start
        let signals = HeldSignals([SIGTERM, SIGINT, SIGHUP])
        loop.onMinute = { [unowned loop] now in
            keptTime?.time = now.wall
            do {
                try phone?.report(into: start.settings.companion.inbox, at: now.wall)
            } catch {
                journal.log(.error, .inboxFailed, "the phone cannot report: \(error)")
            }
            if let signal = signals.take() { loop.send(signal) }
        }
        daemon.onReady = { start.markReady() }
        daemon.onLoan = { start.mark(lent: $0) }
        return try daemon.run()
    }
}

/// A point in virtual time, in a mapped file that survives the process.
private final class KeptTime {
    private let memory: UnsafeMutablePointer<Int64>

    init(path: String) throws(FileError) {
        let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0, ftruncate(file, off_t(MemoryLayout<Int64>.size)) == 0 else {
            throw FileError(errno: errno, path: path)
        }
        defer { close(file) }
        guard let mapped = mmap(nil, MemoryLayout<Int64>.size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0),
            mapped != MAP_FAILED
        else { throw FileError(errno: errno, path: path) }
        memory = mapped.bindMemory(to: Int64.self, capacity: 1)
    }

    /// Nil in a new file.
    var time: WallTime? {
        get { memory.pointee == 0 ? nil : WallTime(nanoseconds: memory.pointee) }
        set { memory.pointee = newValue?.nanoseconds ?? 0 }
    }
}

extension DayCost {
    /// One line for programs.
    fileprivate var json: String {
        """
        {"kind":"day","date":"\(day)","wakeUps":\(wakeUps),"windows":\(windows),\
        "i2cTransfers":\(busTransfers),\
        "i2cTransfersPerWindow":\(tenths(transfersPerWindow)),"i2cBytes":\(busBytes),\
        "i2cMs":\(busTime.inMilliseconds),"storeBytes":\(storeBytes),\
        "attentiveMs":\(attentive.time.inMilliseconds),"attentiveOnMs":\(attentive.on.inMilliseconds),\
        "relaxedMs":\(relaxed.time.inMilliseconds),"relaxedOnMs":\(relaxed.on.inMilliseconds),\
        "slowMs":\(slow.inMilliseconds),"receiverMs":\(receiverOn.inMilliseconds),\
        "litMs":\(lit.inMilliseconds),"ledMicroampHours":\(Int(ledCharge.rounded()))}
        """
    }
}
