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
    /// Whose word about the time counts.
    public var time = TimeRule()
    /// Pulses are written down this often, at the most and at the least.
    public var commitInterval = Interval.seconds(60)

    /// The interval at which slowly changing state, minutes of stillness, is stored: losing it costs minutes, writing
    /// it every minute would wear the card.
    var quietCommitInterval: Interval { max(commitInterval, .minutes(10)) }
    /// A pause in sampling longer than this ends every spell and stretch.
    public var longestGap: Interval { domains[MotionSettings.self].sedentary.longestGap }
    /// Quarters of an hour wait in the checkpoint for so long, so that several are stored at once.
    let storeInterval = Interval.hours(2)
    /// Pulses count when they are a run: six of them, up to 2 s apart. What came before may belong to one that is not complete.
    let runTime = Interval.seconds(13)
    /// The longest time after midnight that a day stays open for undecided time.
    let longestOpen = Interval.hours(2)
    /// The time after the first edge in which a rhythm may form: the steps of one take 3 to 5 s on a walk.
    let listening = Interval.seconds(6)
    /// Windows in a row in which the wearer is stationary after which samples are taken between windows, where a domain wants them.
    let stationaryWindows = 3
    /// Drains between windows in a row that find nothing, after which none are expected.
    let emptyDrains = 3
    /// From one window to the next, at the most, where sleep is measured in windows alone.
    let longestLookAway = Interval.minutes(2)
    /// The departure of an axis from where it was that shows movement, in g: that of the chips' interrupts.
    let movement: Float = 0.096

    /// The fastest that edges are expected to come, bounces included, in hertz: a step sensor at 240 steps a minute.
    let fastestEdges: Int64 = 5

    public init() {}

    /// The index of the first sample that shows movement of the wearer; nil where none does.
    func firstMovement(in samples: [Acceleration]) -> Int? {
        guard let first = samples.first else { return nil }
        return samples.firstIndex { sample in
            let change = sample - first
            return max(abs(change.x), abs(change.y), abs(change.z)) > movement
        }
    }

    /// The time that the kernel's buffer of edges lasts.
    func drainInterval(kernelBuffer: Int) -> Interval {
        min(commitInterval, Interval.seconds(Int64(kernelBuffer)) / fastestEdges)
    }
}

extension SensingRules {
    /// The rules that the configuration asks for.
    public init(_ settings: Settings) {
        self.init()
        dutyCycle = settings.dutyCycle
        domains = settings.domains
        commitInterval = settings.store.commitInterval
        time = settings.time
    }
}
