import Quantities

/// What a window's movement looks like, in numbers that do not depend on how the sensor is turned.
///
/// Only `mean` is in the sensor's own frame; everything else is unchanged by any rotation of it. All numbers are
/// finite as long as the samples are. A sensor's zero-g offset (±80 mg on an MPU-6050) shifts `meanMagnitude`, `enmo`
/// and `lowestMagnitude`, and hardly touches the rest.
public struct Features: Equatable, Sendable {
    // MARK: Posture

    /// The mean acceleration, in g: gravity, where the window has little movement.
    public var mean: Acceleration
    /// The largest distance between the means of two quarters of the window, in g: a change of posture within it.
    public var postureShift: Float

    // MARK: Strength

    /// The mean of the samples' lengths, in g; about 1 at rest.
    public var meanMagnitude: Float
    /// The least of the samples' lengths, in g; near 0 in the flight of a running stride.
    public var lowestMagnitude: Float
    /// Greatest less least length, in g.
    public var peakToPeak: Float
    /// The largest distance of a sample from `mean`, in g.
    public var reach: Float
    /// Standard deviation of the vector, in g: the root of the three axes' summed variances.
    public var vectorDeviation: Float
    /// Standard deviation of the length, in g. Turning the sensor slowly moves the vector, not the length.
    public var magnitudeDeviation: Float
    /// Mean of the length above 1 g, 0 where it is below, in g: "Euclidean norm minus one" of van Hees et al.,
    /// "Separating Movement and Gravity Components in an Acceleration Signal …", PLoS ONE 8(4), 2013.
    public var enmo: Float
    /// Root mean square of the vector's change per second, in g/s.
    public var jerk: Float

    // MARK: Steadiness

    /// Vector deviation of the quietest quarter (1.28 s), in g. A vehicle shakes and a gait swings all the time;
    /// hands at a desk rest in between.
    public var quietestVectorDeviation: Float
    /// Magnitude deviation of the quarter in which it is least, in g.
    public var quietestMagnitudeDeviation: Float

    // MARK: Character

    /// The part of the length's variance that is fast: mean squared difference of neighbours over four times the
    /// variance. 0 for what is slow, 0.5 for white noise, 1 at 12.5 Hz; at frequency f it is sin²(π·f/25 Hz).
    public var highFrequencyShare: Float
    /// The part of the vector's variance that lies along gravity, 0 to 1. A road shakes along gravity; a body at
    /// rest sways across it, because tilting a sensor does not change the length.
    public var verticalShare: Float
    /// Skewness of the length: above 0 where peaks are sharper than troughs, as with heels that strike the ground.
    public var skewness: Float
    /// How often the length crosses its mean.
    public var meanCrossings: Int

    // MARK: Rhythm

    /// Autocorrelation of the length at `period`, 0 to about 1; 0 where nothing repeats.
    public var regularity: Float
    /// The shortest period, in seconds, at which the length repeats about as well as at any; 0 where nothing repeats.
    public var period: Float

    /// Repetitions per minute; 0 where nothing repeats. A gait shows its steps, or only its strides: half as many.
    public var cadence: Float { period > 0 ? 60 / period : 0 }

    /// The direction of `mean`; zero in free fall.
    public var gravity: Acceleration {
        let length = mean.magnitude
        return length > 0 ? mean * (1 / length) : .zero
    }

    /// The cosine of the angle between two windows' postures: 1 when the sensor lies the same way.
    public func postureCosine(to other: Features) -> Float { gravity.dot(other.gravity) }
}
