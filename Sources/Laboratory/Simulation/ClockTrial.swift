import Domains
import Core

/// Some weeks with a device whose clocks are wrong and whose power fails, held against the truth.
///
/// The service of sensing, the encrypted store and the uploader are those of the device, in virtual time. The wearer, the sensors
/// and the receiver are simulated. Each seed is another life: true time goes on, and boots, clocks, the network, the wearer and
/// the processes do as they please.
public struct ClockTrial {
    /// Whatever a life had that a model cannot be without.
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

        /// Adds those of another life.
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

    /// Where the agent and the model differ.
    public struct Failure: Error, Sendable, CustomStringConvertible {
        public let day: UTCDay
        public let what: String

        public var description: String { "\(day): \(what)" }
    }

    /// How a life went.
    public struct Outcome: Sendable {
        public var tally: Tally
        /// Nil where everything was as it must be.
        public var failure: Failure?
    }

    private let seed: UInt64
    private let days: Int
    private let tell: ((String) -> Void)?

    /// - Parameter tell: takes a line for each event of the life; nil where nobody reads them.
    public init(seed: UInt64, days: Int, tell: ((String) -> Void)? = nil) {
        self.seed = seed
        self.days = days
        self.tell = tell
    }

    /// Lives the life. Throws where a trial cannot be made on this machine.
    public func run() throws -> Outcome {
        let life = try TrialLife(seed: seed, days: days, tell: tell)
        return try life.run()
    }
}
