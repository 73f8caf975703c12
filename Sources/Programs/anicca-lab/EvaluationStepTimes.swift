import Core
import Recordings
import Signal

/// The times of credited steps: counts like `GaitSteps` and keeps the times, which the device does not need.
struct EvaluationStepTimes {
    private var detector = StepDetector()
    private var evidence = GaitEvidence()
    /// Steps that wait for a rhythm, steps since the last window, and steps that wait for evidence.
    private var pending: [Interval] = []
    private var fresh: [Interval] = []
    private var waiting: [Interval] = []
    /// The top of the latest peak.
    private var lastPeak = Interval.zero
    private(set) var credited: [Interval] = []

    /// The delay of the detector's two smoothing filters.
    private static let delay = Resampler.step * 2

    mutating func add(_ sample: ResampledSample) {
        let before = detector.waiting
        let confirmed = detector.add(sample.acceleration)
        guard let age = detector.endedPeak else { return }
        let peak = sample.time - Resampler.step * Int64(age) - Self.delay
        // Fewer waiting than before, and none confirmed: the rhythm restarted with this peak.
        let isNew = confirmed == 0 && detector.waiting <= before
        if isNew { pending = [] }
        let steps = isNew ? detector.waiting : confirmed + detector.waiting - before
        if steps == 2 { pending.append(lastPeak + (peak - lastPeak) / 2) }
        pending.append(peak)
        lastPeak = peak
        if confirmed > 0 {
            fresh += pending
            pending = []
        }
    }

    /// Decides like `GaitSteps.credit`; the steps of an unworn sensor are dropped.
    mutating func credit(given belief: ActivityProbabilities, alone: ActivityProbabilities, isWorn: Bool) {
        let ruling = evidence.judge(belief, alone: alone, sawSteps: !fresh.isEmpty)
        waiting += fresh
        fresh = []
        guard ruling != .wait else { return }
        if ruling == .credit, isWorn { credited += waiting }
        waiting = []
    }

    /// Ends a gapless stretch.
    mutating func finish() {
        if evidence.isWalking { credited += fresh }
        let credited = credited
        self = EvaluationStepTimes()
        self.credited = credited
    }
}
