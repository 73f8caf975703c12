import ArgumentParser
import Commands
import Config
import Domains
import System
import Glibc
import Devices
import Store
import Core

/// `anicca watch`
struct Watch: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "Show live what the sensor measures.",
        discussion: """
            Acceleration in g, activity with its confidence, cadence, steps, pulses, interrupts, the receiver's fix, \
            and the toggles. Only permitted data is read and shown; none of it is stored.

            aniccad lends its sensor: until the command ends, no motion, steps or sleep are collected. It ends with q \
            or Ctrl-C, and 15 minutes after the last key ([run] loan in the config), or when the time of --for is \
            over. In any case, aniccad gets its sensor back at once. The key i puts the chip to rest with motion \
            detection, the state in which it raises its interrupt line.

            With --json, a line for every second: time, toggles, and as far as they are allowed and known acceleration (x, y, z and \
            length, in g), activity, confidence, steps since the start, cadence (steps a minute), pulses, interrupts, receiver, fault.

            Examples:
              sudo anicca watch
              sudo anicca watch --json --for 60s | jq .acceleration.length

            Exit status: 69 no sensor; 75 another command has it, or aniccad took it back.
            """)

    @Option(name: .customLong("for"), help: ArgumentHelp("End after so long, such as 90s or 10m.", valueName: "time"))
    var length: LengthOfTime?

    @OptionGroup var config: ConfigOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        let screen = output.json ? nil : PictureScreen()
        guard output.json || screen != nil else {
            throw Failure(
                "anicca watch needs a terminal; for programs: anicca watch --json", .usage)
        }
        defer { screen?.close() }
        // A closed pipe ends it like a key, not in the middle.
        signal(SIGPIPE, SIG_IGN)
        let installation = try config.installation()
        let ledger = try installation.openStore()
        try withSensorBench(installation.settings, for: length?.interval) { bench, time in
            var session = WatchSession(bench, ledger, installation.settings, screen)
            let end = length.map { time.now() + $0.interval }
            do {
                while try session.look(at: .now), end.map({ time.now() < $0 }) ?? true {
                    try time.wait(.milliseconds(200))
                }
            } catch is Interruption {
                // The usual end.
            }
        }
    }
}

/// The state between two updates.
private struct WatchSession {
    private let bench: SensorBench
    private let ledger: Ledger
    private let screen: PictureScreen?
    private let sensor: LiveSensor
    private let receiver: LiveReceiver
    private var on: DomainSet = []
    private var nextSecond: BootTime?

    init(_ bench: SensorBench, _ ledger: Ledger, _ settings: Settings, _ screen: PictureScreen?) {
        self.bench = bench
        self.ledger = ledger
        self.screen = screen
        sensor = LiveSensor(
            bench.calibrated(settings), pulseLine: bench.pulseLine, motionLine: bench.motionLine,
            rhythm: settings.rhythm)
        receiver = LiveReceiver(GPSDAddress(settings.location))
    }

    /// Returns false to end.
    mutating func look(at now: Instant) throws -> Bool {
        var isNewSecond = false
        if nextSecond.map({ $0 <= now.boot }) ?? true {
            isNewSecond = true
            nextSecond = now.boot + .seconds(1)
            // The wearer may turn something off meanwhile.
            on = try ledger.consent().collected
            if try bench.keepLoan() { sensor.setUpAgain() }
        }
        sensor.look(at: now.boot, permitted)
        var view = sensor.view
        view.on = on
        view.receiver = receiver.look(at: now.boot, isPermitted: permitted.location)
        guard let screen else {
            if isNewSecond { print(view.json(at: now.wall)) }
            if fflush(nil) == 0 { return true }
            // The reader of the lines has closed the pipe.
            if errno == EPIPE { return false }
            throw Failure("standard output: \(describe(errno: errno))", .inputOutput)
        }
        let key = screen.key()
        if key != nil { bench.extendLoan() }
        switch key {
        case "q", "Q": return false
        case "i", "I": sensor.watchForMotion(!view.isWatchingForMotion)
        default: break
        }
        let picture = WatchPicture(view: view, place: bench.sensorPlace, time: now.wall, isLent: bench.isLent)
        screen.show(picture.lines)
        return true
    }

    private var permitted: LiveView.Permitted { LiveView.Permitted(on, hasStepLine: bench.pulseLine != nil) }
}
