/// How steps are told from other movement. Intervals are in samples at 25 Hz, accelerations in g.
///
/// Provenance: found by a seeded random search and rounded, over 57 walks with counted steps (wrist and seven places of
/// a telephone, five people) beside drives, train rides and an hour at a desk. The results are in docs/accuracy.
public struct StepRule: Hashable, Sendable {
    /// Weight of the newest sample in each of two smoothing filters in a row.
    var smoothing: Float = 0.55
    /// The same for the baseline that is taken away. What is left is about 0.25 to 4 Hz.
    var baseline: Float = 0.058
    /// What is left of the envelope after a sample: it halves in 1.6 s.
    var envelopeDecay: Float = 0.983
    /// A peak rises above this share of the envelope …
    var peak: Float = 0.36
    /// … and above this …
    var smallestPeak: Float = 0.05
    /// … and ends when the signal is this share of the envelope below the baseline.
    var valley: Float = 0.25
    /// 250 steps per minute.
    var shortestInterval: Int32 = 6
    /// 30 steps per minute.
    var longestInterval: Int32 = 50
    /// How far an interval may be from the rhythm's, as a share of it.
    var intervalTolerance: Float = 0.35
    /// The same for intervals that take turns, short and long, as with one sensor on one leg: from the one before the last …
    var alternationTolerance: Float = 0.25
    /// … and from the rhythm's.
    var widestAlternation: Float = 0.6
    /// How many times higher or lower than the one before a peak may be.
    var heightTolerance: Float = 4
    /// Peaks in a row that make a rhythm.
    var minimumRun: Int32 = 8
    /// Peaks in a row out of rhythm that a rhythm survives.
    var forgivenPeaks: Int32 = 2
    /// An arm or a pocket may show one peak for two steps. From this interval on …
    var strideInterval: Int32 = 23
    /// … a peak higher than this is one of those: nobody walks so slowly with such force.
    var stridePeak: Float = 0.12

    public init() {}
}
