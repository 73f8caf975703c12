import Program
import Quantities
import SimulatedBus

/// The parsed command line.
struct Arguments {
    enum Request {
        case run
        case help
        case version
    }

    var request = Request.run
    var configPath: String?
    /// The wearer of the simulated devices, which replace the devices of the config.
    enum Wearer {
        /// A life of its own for each seed.
        case seed(UInt64)
        /// The day that costs are stated for.
        case typical
        /// A wearer who does nothing, and takes no memory.
        case resting
    }

    var wearer: Wearer?
    /// With `wearer`: live through this many days in virtual time, then exit.
    var virtualDays: Int?
    /// Whether the simulated wearer has a step sensor; without one, steps are counted from the accelerometer.
    var hasPulseLine = true
    /// The kind of the simulated accelerometer.
    var imu = SimulatedIMU.all[0]
    /// Edges that the simulated kernel keeps: 1024 as with libgpiod 2, 16 as with 1.x.
    var kernelBuffer = 1024
    /// The first virtual day.
    var firstDay = UTCDay(daysSinceEpoch: 20_101)
    /// A file whose mode stands for that of the simulated sensor's node.
    var sensorNode: String?
    /// A file that keeps the virtual time across a restart.
    var clockFile: String?

    static let help = """
        usage: aniccad [--config FILE]
               aniccad [--config FILE] --simulate WEARER [--imu CHIP] [--without-step-line] [--sensor-node FILE]
               aniccad [--config FILE] --simulate WEARER [--imu CHIP] [--without-step-line]
                       [--days N [--from DATE] [--clock FILE] [--kernel-buffer N]]

        Senses what the wearer allows and keeps one record per UTC day. Runs in the foreground; systemd runs it as
        aniccad.service, and journalctl -u aniccad shows its log.

          --config FILE      the configuration [/etc/anicca/anicca.conf], with FILE.d/*.conf after it
          --simulate WEARER  a simulated wearer on simulated devices, in real time: a number is the seed of a life,
                             'typical' the day that costs are stated for, 'resting' somebody who does nothing
          --imu CHIP         with --simulate: the accelerometer, mpu6050 [default] or lis3dh
          --without-step-line
                             with --simulate: no step sensor is worn, so steps are counted from the accelerometer
          --sensor-node FILE with --simulate: a file that stands for the sensor's node; take its permission away or remove
                             it, and the sensor is lost
          --days N           with --simulate: N days of virtual time as fast as possible, then exit;
                             prints what each day cost as a line of JSON
          --from DATE        the first of those days [2025-01-13]
          --clock FILE       keeps the virtual time, so that a run that was killed goes on where it was
          --kernel-buffer N  edges that the simulated kernel keeps: 1024 [default] as with libgpiod 2, 16 as with 1.x
          --version          print the version and exit
          --help             print this and exit

        SIGTERM writes everything down and exits with 0; SIGHUP reads the configuration again.
        Exit status (sysexits): 64 usage, 66 config missing, 71 system, 73 store, 77 key, 78 config.
        """

    init(_ words: [String]) throws(CommandWords.Problem) {
        var words = CommandWords(words)
        while let word = words.next() {
            switch word {
            case "--help", "-h": request = .help
            case "--version": request = .version
            case "--config": configPath = try words.value(of: word)
            case "--simulate": wearer = try words.value(of: word, example: "1 or typical", Wearer.init)
            case "--imu": imu = try words.value(of: word, example: "lis3dh", SimulatedIMU.init)
            case "--without-step-line": hasPulseLine = false
            case "--sensor-node": sensorNode = try words.value(of: word)
            case "--days":
                virtualDays = try words.value(of: word, example: "7, at most 3650") { positive($0, upTo: 3650) }
            case "--kernel-buffer":
                kernelBuffer = try words.value(of: word, example: "1024") { positive($0, upTo: 1 << 20) }
            case "--from": firstDay = try words.value(of: word, example: "2025-01-13") { UTCDay($0) }
            case "--clock": clockFile = try words.value(of: word)
            default: throw CommandWords.Problem("unknown argument '\(word)'; aniccad --help lists them all")
            }
        }
        guard wearer != nil || (virtualDays == nil && clockFile == nil && sensorNode == nil && hasPulseLine)
        else {
            throw CommandWords.Problem(
                "--days, --clock, --sensor-node and --without-step-line need --simulate WEARER")
        }
    }
}

extension Arguments.Wearer {
    init?(_ text: String) {
        if text == "typical" {
            self = .typical
        } else if text == "resting" {
            self = .resting
        } else if let seed = UInt64(text) {
            self = .seed(seed)
        } else {
            return nil
        }
    }
}

private func positive(_ text: String, upTo most: Int) -> Int? {
    Int(text).flatMap { (1...most).contains($0) ? $0 : nil }
}
