import Core
import SimulatedBus

/// A quantity known within a range. docs/energy.md has the source of each.
public struct Estimate: Equatable, Sendable {
    public let low: Double
    public let typical: Double
    public let high: Double

    public init(_ low: Double, _ typical: Double, _ high: Double) {
        self.low = low
        self.typical = typical
        self.high = high
    }

    public static func + (left: Estimate, right: Estimate) -> Estimate {
        Estimate(left.low + right.low, left.typical + right.typical, left.high + right.high)
    }

    public static func * (left: Estimate, right: Double) -> Estimate {
        Estimate(left.low * right, left.typical * right, left.high * right)
    }

    static func * (left: Estimate, right: Estimate) -> Estimate {
        Estimate(left.low * right.low, left.typical * right.typical, left.high * right.high)
    }
}

/// The energy that the agent needs in a day, from data sheets and assumptions: docs/energy.md. Nothing was measured.
public enum EnergyModel {
    /// The events of a day, counted by the simulation.
    public struct Day: Equatable, Sendable {
        public var use: SensorUse
        public var wakeUps: Int
        public var windows: Int
        public var transfers: Int
        public var busBytes: Int
        /// Clock periods on the bus.
        public var busBits: Int
        public var commits: Int
        /// Whether a chip with a step counter runs it.
        public var countsSteps: Bool

        public init(
            use: SensorUse, wakeUps: Int, windows: Int, transfers: Int, busBytes: Int, busBits: Int, commits: Int,
            countsSteps: Bool = false
        ) {
            self.use = use
            self.wakeUps = wakeUps
            self.windows = windows
            self.transfers = transfers
            self.busBytes = busBytes
            self.busBits = busBits
            self.commits = commits
            self.countsSteps = countsSteps
        }
    }

    /// A part of a day's energy.
    public struct Part: Equatable, Sendable {
        /// For programs: `imuSampling`.
        public let id: String
        /// For people.
        public let name: String
        /// In mWh.
        public let energy: Estimate

        /// In µAh at the 3.3 V of the board.
        public var charge: Double { energy.typical / EnergyModel.volts * 1000 }
    }

    /// The voltage of the sensor and the card.
    public static let volts = 3.3

    /// The range of a chip's current, relative to the typical one.
    static let spread = Estimate(0.7, 1, 1.4)
    /// Watts of a busy core beyond an idle board.
    static let core = Estimate(0.25, 0.45, 0.7)
    /// Seconds of a core from an interrupt to sleep again: for a wake-up of the program, and for a transfer in the
    /// kernel.
    static let wakeUp = Estimate(0.000_1, 0.000_3, 0.000_8)
    static let transfer = Estimate(0.000_03, 0.000_08, 0.000_2)
    /// Seconds of a core for the interrupts of the controller, one for each twelve bytes.
    static let interrupt = Estimate(0.000_004, 0.000_008, 0.000_02)
    static let bytesOfInterrupt = 12.0
    /// Seconds of a core for the features and networks of a window.
    static let window = Estimate(0.001, 0.002, 0.006)
    /// Hertz of the bus.
    static let bus = Estimate(400_000, 100_000, 100_000)
    /// Amperes through the pull-ups of SDA and SCL while the bus is busy.
    static let pullUps = Estimate(0.001_4, 0.003_3, 0.004)
    /// Joules of a commit on the card: a few pages and a flush.
    static let commit = Estimate(0.002, 0.007, 0.03)
    /// Joules of the uploader's runs in a night: the radio awake, and a core.
    static let upload = Estimate(0.8, 4, 12)
    /// Watts of an idle Zero 2 W with WLAN.
    public static let idleBoard = Estimate(0.4, 0.5, 0.7)
    /// Amperes of the power LED of a GY-521 behind its resistor.
    static let lamp = Estimate(0.000_6, 0.001_35, 0.003_1)

    /// The parts of a day, the sensor first.
    public static func parts(of day: Day, through imu: SimulatedIMU) -> [Part] {
        let current = imu.current(countingSteps: day.countsSteps)
        func sensor(_ microamperes: Double, _ time: Interval) -> Estimate {
            spread * (microamperes * time.inHours * volts / 1000)
        }
        func busy(_ seconds: Estimate, _ count: Double) -> Estimate { core * seconds * (count / 3.6) }
        let busTime = Estimate(1 / bus.low, 1 / bus.typical, 1 / bus.high) * Double(day.busBits)
        return [
            Part(id: "imuSampling", name: "IMU, sampling", energy: sensor(current.measuring, day.use.on)),
            Part(id: "imuSlow", name: "IMU, filling slowly", energy: sensor(current.slow, day.use.slow)),
            Part(id: "imuWatching", name: "IMU, watching", energy: sensor(current.watching, day.use.watching)),
            Part(id: "imuAsleep", name: "IMU, asleep", energy: sensor(current.asleep, day.use.asleep)),
            Part(id: "busPullUps", name: "I²C, pull-ups", energy: pullUps * busTime * (volts / 3.6)),
            Part(
                id: "busTransfers", name: "I²C, CPU",
                energy: busy(transfer, Double(day.transfers))
                    + busy(interrupt, Double(day.busBytes) / bytesOfInterrupt)),
            Part(
                id: "cpu", name: "CPU, agent",
                energy: busy(wakeUp, Double(day.wakeUps)) + busy(window, Double(day.windows))),
            Part(id: "card", name: "SD card", energy: commit * (Double(day.commits) / 3.6)),
            Part(id: "upload", name: "upload at night", energy: upload * (1 / 3.6)),
        ]
    }

    /// In mWh, the sum of all parts.
    public static func total(of parts: [Part]) -> Estimate { parts.reduce(Estimate(0, 0, 0)) { $0 + $1.energy } }

    /// In mWh a day.
    public static var idleBoardDay: Estimate { idleBoard * 24_000 }
    public static var lampDay: Estimate { lamp * (volts * 24_000) }
}
