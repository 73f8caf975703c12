/// The numbers of the `Classifier`'s decision tree.
///
/// Provenance: chosen by hand from the quantiles of each feature by activity, then moved along a coarse grid for
/// equal recall of the activities, over 19,800 windows of public recordings of people in 11 data sets: waist (HAPT),
/// trouser pocket (WISDM 2019), wrist (WHARF; counted walks, drives and desk work), hand, bag and table (student
/// projects; the Oxford step data), at 10 to 50 Hz. On these windows the four activities reach a macro-F1 of 0.87;
/// fitted without a data set and tested on it, each in turn, 0.80. Deviations are in g.
struct ClassifierThresholds {
    // MARK: At rest
    /// Below this the quietest quarter shows the sensor's noise and a body's sway; a running engine shows more.
    let restingDeviation: Float = 0.005
    /// Up to here a body at rest is still likelier than a vehicle, unless the shaking is along gravity.
    let restlessDeviation: Float = 0.008
    /// Vector deviation of the whole window up to which rest is certain: nothing else happened in the window.
    let undisturbedDeviation: Float = 0.05
    /// Vector deviation of the quietest quarter below which hands rest between movements.
    let pausingDeviation: Float = 0.05

    // MARK: Running
    /// Quietest vector deviation that no walk keeps up, but most runs do.
    let vigorousDeviation: Float = 0.55
    let surelyVigorousDeviation: Float = 0.7
    let runningMagnitudeDeviation: Float = 0.42
    /// Strides and steps per minute of a run.
    let runningStrides: ClosedRange<Float> = 72...105
    let slowestRunningSteps: Float = 140

    // MARK: Walking
    /// The least a gait moves: magnitude deviation of the quietest quarter and of the window.
    let leastGait: Float = 0.025
    let leastGaitDeviation: Float = 0.08
    /// Strides and steps per minute of a walk.
    let walkingStrides: ClosedRange<Float> = 45...69
    let walkingSteps: ClosedRange<Float> = 85...135
    /// Pedalling: the rates between, with troughs about as sharp as the peaks.
    let pedalling: ClosedRange<Float> = 69...76
    let pedallingSkewness: Float = 0.3
    /// Heels make peaks sharper than troughs; a rhythm with sharper troughs is not a gait.
    let leastSkewness: Float = -0.3
    /// Regularity from which a rhythm is a gait, and is surely one.
    let rhythmic: Float = 0.45
    let veryRhythmic: Float = 0.7
    /// Regularity of an uneven gait, and what else it must show then.
    let looselyRhythmic: Float = 0.3
    let unevenGaitQuietest: Float = 0.1
    let unevenGaitLowest: Float = 0.4
    let unevenGaitHighFrequency: Float = 0.19

    // MARK: In a vehicle
    /// The most that a vehicle shakes: quietest vector and magnitude deviation, and the farthest sample.
    let strongestVibration: Float = 0.12
    let strongestMagnitudeVibration: Float = 0.11
    let farthestVibration: Float = 0.6
    /// Shaking this strong and this regular comes from a body.
    let bodilyDeviation: Float = 0.1
    let bodilyRegularity: Float = 0.4
    /// The share along gravity from which shaking surely, clearly and possibly comes from a road.
    let surelyVertical: Float = 0.5
    let clearlyVertical: Float = 0.35
    let possiblyVertical: Float = 0.15
    /// The change of posture that the hands of a passenger may make.
    let passengerShift: Float = 0.5
    let calmPassengerShift: Float = 0.3
}
