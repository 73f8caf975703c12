import Core

/// The features of a window's movement: the 70 numbers that the classifier reads, and three others.
///
/// None of the 70 changes when the sensor is turned. The bands of the spectra end at 4.5 Hz, because the power above it
/// depends on the sensor's filter more than on the wearer. Higher frequencies still count in the variances, the shape
/// of the length, its rhythm and the strongest frequency. The same numbers are computed in `Training/features.py`; a
/// test holds the two equal.
///
/// Terms used below: *length* is a sample's length less the mean length; *vector* is a sample less the mean vector;
/// *vertical* is the vector's component along the mean, which is mostly gravity, and *horizontal* is the rest. A
/// *level* is log₁₀ of a power in g², with (1 mg)² added to it. All numbers are finite if the samples are within a
/// sensor's range.
public struct ActivityFeatures: Sendable {
    /// The number of values that the classifier reads: the properties from `vectorVariance` to `slowToFast`, in order.
    static let count = 70
    /// (1 mg)², below the noise of any accelerometer, in g².
    static let noise: Float = 1e-6

    // MARK: Strength and shape

    /// Level of the summed variance of the three axes.
    public internal(set) var vectorVariance: Float = 0
    /// The vertical part of that variance, from 0 to 1.
    public internal(set) var verticalShare: Float = 0
    /// 0 where the horizontal movement has no direction, 1 where it is to and fro along a line.
    public internal(set) var horizontalLinearity: Float = 0
    /// The least and the greatest length of a sample, over the mean length.
    public internal(set) var lowest: Float = 0
    public internal(set) var highest: Float = 0
    /// Percentiles of the length, in standard deviations (of at least 1 mg).
    public internal(set) var percentile5: Float = 0
    public internal(set) var percentile25: Float = 0
    public internal(set) var percentile75: Float = 0
    public internal(set) var percentile95: Float = 0
    /// Third moment of the length, within ±4: above 0 where peaks are sharper than troughs.
    public internal(set) var skewness: Float = 0
    /// log₁₀ of 1 + the fourth moment of the length.
    public internal(set) var kurtosis: Float = 0
    /// Mean of the length where it is above 0, in g.
    public internal(set) var excess: Float = 0

    // MARK: Steadiness

    /// Level of the vector's variance in the quietest quarter (1.28 s), and the difference to the level in the
    /// liveliest.
    public internal(set) var quietestQuarter: Float = 0
    public internal(set) var quarterRatio: Float = 0
    /// Level of the largest squared distance between the means of two quarters.
    public internal(set) var postureShift: Float = 0
    /// Level of the variance of the means of eight samples, and of their change from one to the next.
    public internal(set) var sway: Float = 0
    public internal(set) var swayStep: Float = 0

    // MARK: Spectra

    /// Levels of the power between 0.3, 0.7, 1.2, 1.7, 2.4, 3.3 and 4.5 Hz.
    public internal(set) var lengthBand0: Float = 0
    public internal(set) var lengthBand1: Float = 0
    public internal(set) var lengthBand2: Float = 0
    public internal(set) var lengthBand3: Float = 0
    public internal(set) var lengthBand4: Float = 0
    public internal(set) var lengthBand5: Float = 0
    public internal(set) var verticalBand0: Float = 0
    public internal(set) var verticalBand1: Float = 0
    public internal(set) var verticalBand2: Float = 0
    public internal(set) var verticalBand3: Float = 0
    public internal(set) var verticalBand4: Float = 0
    public internal(set) var verticalBand5: Float = 0
    public internal(set) var horizontalBand0: Float = 0
    public internal(set) var horizontalBand1: Float = 0
    public internal(set) var horizontalBand2: Float = 0
    public internal(set) var horizontalBand3: Float = 0
    public internal(set) var horizontalBand4: Float = 0
    public internal(set) var horizontalBand5: Float = 0
    /// log₂ of the frequency, in Hz, that has the most power.
    public internal(set) var lengthDominant: Float = 0
    public internal(set) var vectorDominant: Float = 0

    // MARK: Rhythm

    /// Autocorrelation of the length at the chosen period, and the highest at any period.
    public internal(set) var lengthRegularity: Float = 0
    public internal(set) var lengthBest: Float = 0
    /// log₂ of the repetitions per second; 0 where nothing repeats.
    public internal(set) var lengthCadence: Float = 0
    /// Autocorrelation 0.16 s apart, and the least between 0.12 s and 1 s.
    public internal(set) var lengthLag4: Float = 0
    public internal(set) var lengthTrough: Float = 0
    /// The same for the vector.
    public internal(set) var vectorRegularity: Float = 0
    public internal(set) var vectorBest: Float = 0
    public internal(set) var vectorCadence: Float = 0
    public internal(set) var vectorLag4: Float = 0
    public internal(set) var vectorTrough: Float = 0

    // MARK: The window smoothed to below about 5 Hz

    /// Level of the variance of the smoothed length; and that of its four quarters, ascending.
    public internal(set) var smoothVariance: Float = 0
    public internal(set) var smoothQuarter0: Float = 0
    public internal(set) var smoothQuarter1: Float = 0
    public internal(set) var smoothQuarter2: Float = 0
    public internal(set) var smoothQuarter3: Float = 0
    /// Levels of the smoothed length's rate of change in ten parts of the window: the least, third, sixth, greatest.
    public internal(set) var stir0: Float = 0
    public internal(set) var stir2: Float = 0
    public internal(set) var stir5: Float = 0
    public internal(set) var stir9: Float = 0
    /// The same for the smoothed vector.
    public internal(set) var turn0: Float = 0
    public internal(set) var turn2: Float = 0
    public internal(set) var turn5: Float = 0
    public internal(set) var turn9: Float = 0
    /// Level of the stir less that of the turn, in the five parts with the least turn.
    public internal(set) var calmStir: Float = 0
    /// Crossings of the mean by the smoothed length, per sample.
    public internal(set) var smoothCrossings: Float = 0

    // MARK: Spread of the power between 0.5 and 4.5 Hz

    /// Entropy, 1 where all frequencies have the same power; mean frequency in Hz; and the share of the strongest.
    public internal(set) var lengthEntropy: Float = 0
    public internal(set) var lengthCentroid: Float = 0
    public internal(set) var lengthPeak: Float = 0
    public internal(set) var horizontalEntropy: Float = 0
    public internal(set) var horizontalCentroid: Float = 0
    public internal(set) var horizontalPeak: Float = 0
    /// Vertical level less horizontal level.
    public internal(set) var verticalToHorizontal: Float = 0
    /// Level of the length between 0.25 and 1 Hz less that between 1 and 4.5 Hz.
    public internal(set) var slowToFast: Float = 0

    // MARK: Not read by the classifier

    /// The mean acceleration, in g and in the sensor's own frame: gravity, where the window has little movement.
    public internal(set) var mean = Acceleration.zero
    /// Standard deviation of the vector, in g: the root of the three axes' summed variances.
    public internal(set) var vectorDeviation: Float = 0
    /// Whether something other than two feet shakes the sensor at the pace of steps: along the ground more than along
    /// gravity, and with next to no power at half the pace. Hands that clap or brush do so.
    public internal(set) var isOneSided = false

    init() {}
}
