import Core

/// The constants of the sleep estimate (SPEC §5).
///
/// Those of the time in bed are of HDCZA: van Hees et al., "Estimating sleep parameters using an accelerometer without
/// sleep diary", Scientific Reports 8:12975, 2018. Those of the posture are of van Hees et al., "A Novel, Open Access
/// Method to Assess Sleep Duration Using a Wrist-Worn Accelerometer", PLoS ONE 10(11), 2015.
public struct SleepRule: Equatable, Sendable {
    // MARK: Time in bed

    /// The angle of the arm is computed from the mean acceleration over this time.
    public static let angleLength = Interval.seconds(5)
    /// Its changes are smoothed by their median over this time.
    public static let medianLength = Interval.minutes(5)
    /// The threshold of stillness: this percentile of all medians of a day or so …
    public static let quantile = 0.10
    /// … times this …
    public static let factor: Float = 15
    /// … and within these bounds, in degrees.
    public static let thresholds: ClosedRange<Float> = 0.13...0.50
    /// A still spell of at least this is time in bed.
    public static let stillFor = Interval.minutes(30)
    /// Spells with less than this between them are one time in bed.
    public static let joinedOver = Interval.minutes(60)
    /// Two times in bed with less than this between them are joined if both are mostly sleep: a night with an hour
    /// awake in it. Our own choice.
    public static let nightJoinedOver = Interval.minutes(90)

    // MARK: Asleep

    /// A change between two angles of more than this, in degrees, is a turn.
    public static let turn: Float = 5
    /// Time between turns that are closer to each other than this is not sleep.
    public static let restFor = Interval.minutes(5)
    /// A shorter time in bed is no sleep: `Stillness` counts it as sitting, and each minute must count once.
    public static let leastInBed = StillnessRule().asleepAfter
    /// The least sleep in a time in bed; at least half of it must also be sleep. Our own choice: an hour of sitting
    /// still is no nap.
    public static let leastSleep = Interval.minutes(20)
    public static let leastShare: Float = 0.5

    // MARK: Movement

    /// The excess above this, in g, counts as movement, in the change from one quarter of a second (or sample of a
    /// slower chip) to the next. Breath and chip noise stay below.
    public static let stir: Float = 0.020
    /// Weights of an epoch and of those before and after it: a Gaussian of 2.86 epochs, 86 s. Neighbouring counts of
    /// `sleep_walch` correlate like intermittent movement smoothed this way (0.97, 0.88, 0.61 and 0.2 at 1, 2, 4 and 8
    /// epochs).
    static let smoothing: [Float] = (0...8).map { distance in
        let ratio = Float(distance) / 2.86
        return (-ratio * ratio / 2).naturalExponential
    }
    /// An epoch is known if it has samples of at least this time.
    public static let leastKnown = Interval.seconds(2)
}
