import Domains
import Core

/// Some weeks of a device with wrong clocks and power failures, compared with the truth.
///
/// The sensing service, the encrypted store and the uploader are those of the device, in virtual time. The wearer, the
/// sensors and the receiver are simulated. Each seed is another life: true time advances, and boots, clocks, the
/// network, the wearer and the processes behave randomly.
public struct ClockTrial {
    /// Events of a life that a trial must include.
    public struct Tally: Sendable {
        public var days = 0
        public var boots = 0
        public var kills = 0
        public var powerCuts = 0
        public var stops = 0
        public var clockSteps = 0
        public var vouches = 0
        public var toggles = 0
        public var lyingClocks = 0
        public var records = 0
        public var steps = 0
        public var minutes = 0
        public var pulsesLost = 0
        public var reports = 0
        /// Quarters of an hour with a date, without one, and too late for the record of their day.
        public var datedQuarters = 0
        public var undatedQuarters = 0
        public var lateQuarters = 0

        public init() {}

        /// Adds the counts of another life.
        public mutating func add(_ other: Tally) {
            days += other.days
            boots += other.boots
            kills += other.kills
            powerCuts += other.powerCuts
            stops += other.stops
            clockSteps += other.clockSteps
            vouches += other.vouches
            toggles += other.toggles
            lyingClocks += other.lyingClocks
            records += other.records
            steps += other.steps
            minutes += other.minutes
            pulsesLost += other.pulsesLost
            reports += other.reports
            datedQuarters += other.datedQuarters
            undatedQuarters += other.undatedQuarters
            lateQuarters += other.lateQuarters
        }
    }

    /// A difference between the agent and the model.
    public struct Failure: Error, Sendable, CustomStringConvertible {
        public let day: UTCDay
        public let what: String

        public var description: String { "\(day): \(what)" }
    }

    /// The result of a life.
    public struct Outcome: Sendable {
        public var tally: Tally
        /// Nil if everything was correct.
        public var failure: Failure?
    }

    private let seed: UInt64
    private let days: Int
    private let tell: ((String) -> Void)?

    /// - Parameter tell: gets a line for each event of the life; nil for none.
    public init(seed: UInt64, days: Int, tell: ((String) -> Void)? = nil) {
        self.seed = seed
        self.days = days
        self.tell = tell
    }

    /// Runs the life. Throws if a trial cannot be made on this machine.
    public func run() throws -> Outcome {
        let life = try TrialLife(seed: seed, days: days, tell: tell)
        return try life.run()
    }
}
