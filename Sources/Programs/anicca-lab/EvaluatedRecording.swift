import Core
import Recordings

/// The evaluation of one recording.
struct EvaluatedRecording {
    let entry: RecordingEntry
    /// The meaning of the recording's label; nil for unknown words in the index.
    let meaning: EvaluationMeaning?
    /// The windows with known truth.
    var matrix = EvaluationMatrix()
    /// Over windows of the four activities, and with those of `other`.
    var calibration = (four: EvaluationCalibration(), all: EvaluationCalibration())
    /// Windows without a truth: transitions, or between two labels.
    var unscored = 0
    var notWorn = 0
    /// The recorded time, without gaps.
    var length = Interval.zero
    /// Steps counted in acceleration.
    var steps = 0
    var trueSteps: Int?
    /// The comparison of counted and true steps, if the true times are known.
    var stepMatch: EvaluationStepMatch?
    /// Pulses of a plain threshold sensor, and the credited ones among them.
    var pulses = 0
    var creditedPulses = 0

    init(_ entry: RecordingEntry, _ meaning: EvaluationMeaning?) {
        self.entry = entry
        self.meaning = meaning
        trueSteps = entry.trueSteps
    }

    var hours: Double { Double(length.nanoseconds) / Double(Interval.hours(1).nanoseconds) }

    /// The windows that were judged.
    var windows: Int { matrix.windows + unscored }

    /// Whether all its steps are false. Otherwise it shows the share of true steps found.
    var isWithoutSteps: Bool { trueSteps == 0 || meaning?.isWithoutSteps ?? false }
}
