import Quantities
import Recordings

/// What came of one recording.
struct EvaluatedRecording {
    let entry: RecordingEntry
    /// Nil where the index uses words that are not known.
    let meaning: EvaluationMeaning?
    /// The windows whose truth is known.
    var matrix = EvaluationMatrix()
    /// Over windows of the four activities, and over those of `other` too.
    var calibration = (four: EvaluationCalibration(), all: EvaluationCalibration())
    /// Windows without a truth: transitions, or between two labels.
    var unscored = 0
    var notWorn = 0
    /// Without the gaps.
    var length = Interval.zero
    /// From acceleration.
    var steps = 0
    var trueSteps: Int?
    /// Those of a plain threshold, and what is credited of them.
    var pulses = 0
    var creditedPulses = 0

    init(_ entry: RecordingEntry, _ meaning: EvaluationMeaning?) {
        self.entry = entry
        self.meaning = meaning
        trueSteps = entry.trueSteps
    }

    var hours: Double { Double(length.nanoseconds) / Double(Interval.hours(1).nanoseconds) }

    /// Those that were judged.
    var windows: Int { matrix.windows + unscored }

    /// Whether it can show false steps. Otherwise it shows how many of the true ones are found.
    var isWithoutSteps: Bool { trueSteps == 0 || meaning?.isWithoutSteps ?? false }
}
