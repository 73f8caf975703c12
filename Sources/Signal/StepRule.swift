/// The constants that tell steps from other movement. Intervals are in samples at 25 Hz, accelerations in g.
///
/// Provenance: found by a seeded random search over 258 walks with counted steps (wrist, and a phone in seven places) and
/// 45 made-up households, beside hands, sports, vehicles and housework, each judged by a model that has not seen the
/// person. A change of a constant was kept only if it served both halves of the people; then it was rounded. The
/// constants for quick peaks are older: they were chosen on runners, rides and housework.
public struct StepRule: Equatable, Sendable {
    /// Weight of the newest sample in each of two smoothing filters in a row.
    var smoothing: Float = 0.5
    /// The same for the baseline that is subtracted. The remaining band is about 0.2 to 3 Hz.
    var baseline: Float = 0.0425
    /// The factor by which the envelope decays per sample: it halves in 0.4 s.
    var envelopeDecay: Float = 0.934
    /// A peak rises above this share of the envelope …
    var peak: Float = 0.49
    /// … and above this …
    var smallestPeak: Float = 0.038
    /// … in a rhythm, above this share of both, because the last steps of a walk are weak …
    var nextPeak: Float = 0.6
    /// … and ends when the signal is this share of the envelope below the baseline.
    var valley: Float = 0.1
    /// 250 steps per minute.
    var shortestInterval: Int32 = 6
    /// 30 steps per minute.
    var longestInterval: Int32 = 50
    /// The largest deviation from the interval of the rhythm, as a share of it.
    var intervalTolerance: Float = 0.24
    /// The same if short and long intervals alternate, as on one leg: from the interval before the last …
    var alternationTolerance: Float = 0.27
    /// … and from the rhythm's.
    var widestAlternation: Float = 1
    /// The largest ratio between the heights of a peak and the one before.
    var heightTolerance: Float = 4.8
    /// Peaks in a row that make a rhythm.
    var minimumRun: Int32 = 5
    /// Peaks in a row out of rhythm that a rhythm survives.
    var forgivenPeaks: Int32 = 4
    /// A peak out of rhythm that comes later than this many intervals stands for two steps: the one between, in a turn,
    /// was weak.
    var missedStep: Float = 1.5
    /// An arm or a pocket may show one peak for two steps, or alternate between one and two. Strides, the time between
    /// two steps of the same foot, are more even than steps …
    var strideTolerance: Float = 0.13
    /// … no shorter than this (136 steps per minute; quicker steps are even enough on their own) …
    var shortestStride: Float = 22
    /// … and if a stride shows two peaks, each follows the previous one within this share of the stride.
    var widestStep: Float = 0.75
    /// A peak for two steps may be taken for one step from this interval on …
    var strideInterval: Float = 22.5
    /// … if it is higher than this: slow steps are not so forceful.
    var stridePeak: Float = 0.112
    /// Up to this interval (150 steps per minute and more) …
    var quickInterval: Float = 10
    /// … a peak must reach this, and so must the higher of two peaks of a stride: quick steps are forceful. Of 21 000
    /// such peaks of runners and quick walkers 1 % are lower, of 1 500 on rough roads, handlebars and toothbrushes 3 in
    /// 4.
    var quickPeak: Float = 0.12

    public init() {}
}
