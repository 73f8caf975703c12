import DutyCycle
import Quantities
import Signal

/// Every number that governs a session; the defaults are those of SPEC §3, §4 and §9.
public struct SensingRules: Sendable {
    public var dutyCycle = DutyCycleRule()
    public var sedentary = SedentaryRule()
    public var rhythm = RhythmRule()
    public var stillness = StillnessRule()
    /// Pulses are written down this often, at the most and at the least.
    public var commitInterval = Interval.seconds(60)

    /// What changes slowly, minutes of stillness, is written down this often: losing it costs minutes, writing
    /// it every minute would wear the card.
    var quietCommitInterval: Interval { max(commitInterval, .minutes(10)) }
    let walk = Walk.Rule()
    /// A day stays open this long after midnight for what is still undecided, and no longer.
    let longestOpen = Interval.hours(2)
    /// After the first edge it is listened so long for a rhythm: the steps that make one take 3 to 5 s on a walk.
    let listening = Interval.seconds(6)
    /// The fastest that edges are expected to come, bounces included, in hertz: a step sensor at 240 steps a minute.
    let fastestEdges: Int64 = 5

    public init() {}

    /// How long the kernel's buffer of edges lasts.
    func drainInterval(kernelBuffer: Int) -> Interval {
        min(commitInterval, Interval.seconds(Int64(kernelBuffer)) / fastestEdges)
    }
}
