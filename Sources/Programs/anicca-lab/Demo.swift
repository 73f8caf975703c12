import Agent
import Sensing
import ArgumentParser
import Commands
import Config
import Domains
import System
import Glibc
import Store
import Core
import Recordings
import SimulatedBus
import Simulation

/// Days of wear through the whole system, in virtual time.
struct Demo: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Live some days in virtual time through the whole system and compare with the truth.",
        discussion: """
            A simulated wearer's movement goes through a simulated accelerometer on a simulated I²C bus, and its steps \
            through a simulated GPIO line, and reports of a phone through a folder, and \
            the positions of a receiver, into the real drivers, session, encrypted store and uploader, and over HTTP \
            to a receiver on this machine. The table shows for each day the truth, the received figures and the costs.

            From the fifth day on there is a scene about consent: on the fourth day the wearer turns motion off, on the \
            fifth the sensor's node loses its permission. The table shows which field leaves the record, and that the \
            steps go on.

            With --all the wearer also has a barometer and a pulse oximeter, gave their measures, and the phone reports \
            totals of the day; a second table shows what came of it.

            With --recording the chip measures recorded acceleration of real people:
              anicca-lab demo --recording desk.csv.gz walk.csv

            With --keep the days are the last ones before today, and the device stays in a folder, for the commands of \
            anicca:
              anicca-lab demo --keep device

            Nothing outside a temporary directory and that folder is touched, and nothing leaves this machine.
            """)

    @Option(help: "How many days to live. (default: 7)")
    var days: Int?

    @Option(help: "Another seed is another life. (default: 1)")
    var seed: UInt64?

    @Option(parsing: .upToNextOption, help: "Recordings to play instead, one after another from 08:00 UTC on.")
    var recording: [String] = []

    @Option(help: ArgumentHelp("The simulated accelerometer.", valueName: "chip"))
    var imu = SimulatedIMU.all[0]

    @Option(help: ArgumentHelp("A new folder, in which store, key and configuration stay.", valueName: "folder"))
    var keep: String?

    @Flag(help: "Have a barometer and a pulse oximeter too, and turn every kind of data on.")
    var all = false

    @Flag(help: "Print lines of JSON instead of the table.")
    var json = false

    func validate() throws {
        guard (1...60).contains(days ?? 1) else { throw ValidationError("--days takes a number from 1 to 60.") }
        guard recording.isEmpty || (days == nil && seed == nil) else {
            throw ValidationError("--recording plays recordings: leave out --days and --seed.")
        }
        guard !all || recording.isEmpty else {
            throw ValidationError("--all is for simulated days: leave out --recording.")
        }
        guard keep == nil || recording.isEmpty else {
            throw ValidationError("--keep keeps simulated days: leave out --recording.")
        }
    }

    func run() throws {
        let report = try report()
        if json { print(report.json) } else { printLines(report.lines) }
        if let keep { DemoStage.showCommands(for: keep, until: firstDay + ((days ?? 7) - 1)) }
        if let shortfall = report.shortfall { throw Failure(shortfall, .software) }
    }

    private func report() throws(Failure) -> DemoReport {
        do {
            return try play(
                recording.isEmpty
                    ? .simulated(days: days ?? 7, from: firstDay, seed: seed ?? 1, imu: imu, withAll: all)
                    : .recorded(recording, imu: imu))
        } catch let error as RecordingError {
            throw Failure(error)
        } catch let failure as Failure {
            throw failure
        } catch {
            throw Failure("\(error)", .software)
        }
    }

    /// Kept days end the day before yesterday: the commands then find them in the past, at any hour.
    private var firstDay: UTCDay {
        keep == nil ? DemoWorld.firstDay : UTCDay(containing: Instant.now.wall) + (-1 - (days ?? 7))
    }

    private func play(_ world: DemoWorld) throws -> DemoReport {
        let stage = try DemoStage(keeping: keep)
        let phone = world.phone
        world.devices.surroundings = linuxHandlers(stage.settings).filter { $0.domain.hardware == .companionInbox }
        world.devices.inboxDirectory = stage.settings.companion.inbox
        var domains: [Domain] = phone == nil ? [.motion, .steps] : [.motion, .steps, .sleep, .screenTime, .location]
        if all { domains += DemoBody.domains }
        let store = try stage.openStore(at: world.start, domains)
        if all { try DemoBody.set(in: store.ledger) }
        try DemoAlarm.set(in: store.ledger, at: world.start)
        // The table shows the events, so only warnings are logged.
        let journal = Journal.standard(identifier: "anicca-lab demo").limited(to: .warning)
        let loop = VirtualLoop(world.devices, seed: seed ?? 1)
        let daemon = Daemon(
            loop: loop, boot: .unknown, journal: journal, settings: stage.settings, store: store,
            makeDevices: { _ in world.devices }, reload: { [settings = stage.settings] in settings })
        let meter = CostMeter(world.devices, storeBytes: StoreMeter().bytes) { [unowned daemon] in daemon.service }
        loop.observer = meter
        try daemon.start()
        var failure: (any Error)?
        let progress = DemoProgress(from: world.start, to: world.end)
        var moments = (world.scene?.moments ?? [])[...]
        loop.live(until: world.end + Self.dueBy) { now in
            progress.show(now.wall)
            do {
                while let moment = moments.first, moment.time <= now.wall {
                    moments.removeFirst()
                    try stage.play(moment.act, on: world.devices, store, loop)
                }
                try phone?.report(into: stage.settings.companion.inbox, at: now.wall)
                if stage.bellIsRinging || Self.isDue(now.wall) { try stage.upload(at: now.wall) }
            } catch {
                failure = error
            }
            return failure == nil
        }
        progress.clear()
        daemon.stop()
        if let failure { throw failure }
        return DemoReport(
            world: world, costs: meter.costs, received: try ReceivedRecords(path: stage.receivedPath),
            alarm: try DemoAlarm(store.ledger), places: try DemoPlaces(world, store.ledger), withBody: all)
    }

    /// The time of the uploader's timer: yesterday is due by then whatever this device's jitter.
    private static let dueBy = Interval.hours(3) + .minutes(31)

    private static func isDue(_ time: WallTime) -> Bool {
        time - UTCDay(containing: time).start == dueBy
    }
}

extension DemoStage {
    /// Performs the actions of a wearer with `anicca toggle`, or of an administrator with chmod.
    fileprivate func play(
        _ act: DemoScene.Act, on devices: SimulatedDevices, _ store: LedgerStore, _ loop: VirtualLoop
    ) throws {
        switch act {
        case .turn(let domain, let isOn):
            let registry = PermissionRegistry(
                ledger: store.ledger, handlers: devices.handlers, policy: settings.consent)
            _ = try registry.turn(domain, on: isOn, at: loop.now.wall) { _, _ in nil }
            try WakeFile.daemon(in: settings.wakeFileDirectory).signal()
            loop.changed(in: settings.wakeFileDirectory)
        case .sensorNode(let isAllowed):
            devices.sensorFault = isAllowed ? nil : .denied
            if let node = devices.watchedNode { loop.changed(node: node) }
        }
    }
}

/// A line of progress on the terminal; nothing without a terminal.
private final class DemoProgress {
    private let start: WallTime
    private let length: Interval
    private let isShown = isatty(STDERR_FILENO) == 1
    private var lastHour: Int64 = -1

    init(from start: WallTime, to end: WallTime) {
        self.start = start
        length = end - start
    }

    func show(_ time: WallTime) {
        let hour = (time - start).inSeconds / 3600
        guard isShown, hour != lastHour else { return }
        lastHour = hour
        let percent = min(100, 100 * (time - start).inSeconds / max(1, length.inSeconds))
        write("\r\(time)  \(percent) %  ")
    }

    func clear() {
        if isShown { write("\r\u{1B}[K") }
    }

    private func write(_ text: String) {
        let bytes = Array(text.utf8)
        _ = Glibc.write(STDERR_FILENO, bytes, bytes.count)
    }
}
