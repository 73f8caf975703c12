import Config
import Domains
import Core
import Signal

/// The constants of a session; the defaults are those of SPEC §3, §4 and §9.
public struct SensingRules: Sendable {
    public var dutyCycle = DutyCycleRule()
    /// The settings of all domains, for their collectors.
    public var domains = DomainValues()
    public var stillness = StillnessRule()
    /// The trusted sources of time.
    public var time = TimeRule()
    /// The interval at which pulses are stored.
    public var commitInterval = Interval.seconds(60)

    /// The interval at which slowly changing state, minutes of stillness, is stored: a loss costs minutes, but a write
    /// every minute would wear the card.
    var quietCommitInterval: Interval { max(commitInterval, .minutes(10)) }
    /// A pause in sampling longer than this ends every spell and stretch.
    public var longestGap: Interval { domains[MotionSettings.self].sedentary.longestGap }
    /// Quarters of an hour wait in the checkpoint this long, so that several are stored at once.
    let storeInterval = Interval.hours(2)
    /// Pulses of this age are decided: a run is six of them, up to 2 s apart. Later ones may still complete one.
    let runTime = Interval.seconds(13)
    /// The longest time after midnight that a day stays open for undecided time.
    let longestOpen = Interval.hours(2)
    /// The time after the first edge in which a rhythm may form: its steps take 3 to 5 s on a walk.
    let listening = Interval.seconds(6)
    /// The number of stationary windows in a row after which samples are taken between windows, if a domain wants them.
    let stationaryWindows = 3
    /// The number of empty drains between windows in a row after which no samples are expected.
    let emptyDrains = 3
    /// The longest time from one window to the next if sleep is measured in windows alone.
    let longestLookAway = Interval.minutes(2)
    /// The change of an axis that shows movement, in g, as for the chips' interrupts.
    let movement: Float = 0.096

    /// The time between two drains of a lit pulse oximeter: its FIFO holds 1.28 s.
    let lightInterval = Interval.milliseconds(1120)
    /// The permitted delay of such a drain.
    let lightSlack = Interval.milliseconds(50)

    /// The highest expected rate of edges, bounces included, in hertz: a step sensor at 240 steps a minute.
    let fastestEdges: Int64 = 5

    public init() {}

    /// The index of the first sample that shows movement of the wearer; nil if none does.
    func firstMovement(in samples: [Acceleration]) -> Int? {
        guard let first = samples.first else { return nil }
        return samples.firstIndex { sample in
            let change = sample - first
            return max(abs(change.x), abs(change.y), abs(change.z)) > movement
        }
    }

    /// The time in which the kernel's buffer of edges could fill, at most the commit interval.
    func drainInterval(kernelBuffer: Int) -> Interval {
        min(commitInterval, Interval.seconds(Int64(kernelBuffer)) / fastestEdges)
    }
}

extension SensingRules {
    /// The rules of the configuration.
    public init(_ settings: Settings) {
        self.init()
        dutyCycle = settings.dutyCycle
        domains = settings.domains
        commitInterval = settings.store.commitInterval
        time = settings.time
    }
}
