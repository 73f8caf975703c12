import Domains
import Core
import Recordings
import Sensing
import Signal

/// Judges one recording like `anicca-lab replay --continuous`, and compares the answers with the truth.
struct EvaluationRun {
    private var replay: ContinuousReplay
    private var stepTimes = EvaluationStepTimes()
    private var sensor = EvaluationThresholdSensor()
    private var credit: EvaluationPulseCredit
    /// The truths of the samples in the incomplete window.
    private var truths: [EvaluationTruth?] = []
    /// The latest label and its meaning, kept because labels come in long runs.
    private var lastLabel: (text: String, meaning: EvaluationMeaning?)?
    private var result: EvaluatedRecording
    /// The most unknown labels that are kept, because every row may have a new one.
    private static let mostUnknownLabels = 20
    private var unknownLabels: [(text: String, line: Int)] = []

    struct Outcome {
        let recording: EvaluatedRecording
        let path: String
        /// The first unknown labels, each once, with its first line.
        let unknownLabels: [(text: String, line: Int)]
    }

    /// - Throws: the fault of the recording or of its step times; then nothing of it counts.
    static func run(
        _ entry: RecordingEntry, _ meaning: EvaluationMeaning?, by model: ActivityModel, of index: RecordingIndex
    ) throws(RecordingError) -> Outcome {
        var run = EvaluationRun(entry, meaning, model)
        let path = try index.path(of: entry)
        let reader = try RecordingReader(path: path, toleratesCut: true)
        var resampler = Resampler()
        while let row = try reader.next() {
            resampler.add(row)
            while let sample = resampler.next() { run.add(sample, line: reader.line) }
        }
        run.finish()
        if let steps = try index.footSteps(of: entry) { run.compare(with: steps) }
        return Outcome(recording: run.result, path: path, unknownLabels: run.unknownLabels)
    }

    private init(_ entry: RecordingEntry, _ meaning: EvaluationMeaning?, _ model: ActivityModel) {
        let rules = SensingRules()
        replay = ContinuousReplay(rules, model: model)
        credit = EvaluationPulseCredit(rule: rules.domains[StepsSettings.self].rhythm)
        result = EvaluatedRecording(entry, meaning)
    }

    private mutating func add(_ sample: ResampledSample, line: Int) {
        result.length += Resampler.step
        if sample.startsSegment {
            truths.removeAll(keepingCapacity: true)
            stepTimes.finish()
        }
        stepTimes.add(sample)
        truths.append(truth(of: sample, line: line))
        if let pulse = sensor.add(sample) {
            result.pulses += 1
            credit.add(pulse)
        }
        if let window = replay.add(sample) { add(window) }
    }

    private mutating func add(_ window: JudgedWindow) {
        credit.add(window, replay.belief, alone: replay.alone)
        stepTimes.credit(given: replay.belief, alone: replay.alone, isWorn: window.isWorn)
        if !window.isWorn { result.notWorn += 1 }
        let truth = truths[0]
        if let truth, truths.allSatisfy({ $0 == truth }) {
            result.matrix.add(window, replay.belief, for: truth)
            result.calibration.all.add(window.judgement, for: truth)
            if truth != .other { result.calibration.four.add(window.judgement, for: truth) }
        } else {
            result.unscored += 1
        }
        truths.removeAll(keepingCapacity: true)
    }

    private mutating func finish() {
        replay.finish()
        credit.finish()
        stepTimes.finish()
        result.creditedPulses = credit.credited
        result.steps = replay.summary.steps
    }

    private mutating func compare(with steps: [FootStep]) {
        if result.trueSteps == nil { result.trueSteps = steps.count }
        result.stepMatch = EvaluationStepMatch(counted: stepTimes.credited.sorted(), truth: steps.map(\.time).sorted())
    }

    /// The truth from the sample's label, or else from the label of the whole recording.
    private mutating func truth(of sample: ResampledSample, line: Int) -> EvaluationTruth? {
        guard let label = sample.label else { return result.meaning?.truth }
        if lastLabel?.text != label { lastLabel = (label, EvaluationMeaning(label)) }
        guard let meaning = lastLabel?.meaning else {
            noteUnknown(label, line)
            return nil
        }
        return meaning.truth
    }

    private mutating func noteUnknown(_ label: String, _ line: Int) {
        guard unknownLabels.count < Self.mostUnknownLabels, !unknownLabels.contains(where: { $0.text == label }) else {
            return
        }
        unknownLabels.append((label, line))
    }
}
