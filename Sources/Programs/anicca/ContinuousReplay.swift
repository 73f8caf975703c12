import Quantities
import Recordings
import Sensing
import Signal

/// Judges every window of a recording in turn, and counts its steps.
struct ContinuousReplay {
    private var activity: ActivityJudge
    private let longestGap: Interval
    private var steps = GaitSteps()
    private var stillness: Stillness
    /// The samples of the window that fills.
    private var waiting: [Acceleration] = []
    private var start = Interval.zero
    /// When the latest window ended.
    private var lastEnd: Interval?
    private(set) var summary = ReplaySummary()

    /// - Throws: what is wrong with the file; windows before it were handed out.
    static func run(
        _ file: String, rules: SensingRules, onWindow: (JudgedWindow) -> Void
    ) throws(RecordingError) -> ReplaySummary {
        let reader = try RecordingReader(path: file)
        var replay = ContinuousReplay(rules)
        var resampler = Resampler()
        while let row = try reader.next() {
            replay.summary.samples += 1
            resampler.add(row)
            while let sample = resampler.next() {
                if let window = replay.add(sample) { onWindow(window) }
            }
        }
        replay.finish()
        return replay.summary
    }

    init(_ rules: SensingRules, model: ActivityModel = .standard) {
        activity = ActivityJudge(model: model)
        longestGap = rules.sedentary.longestGap
        stillness = Stillness(rule: rules.stillness)
    }

    /// How likely each activity was after the latest window.
    var belief: ActivityProbabilities { activity.belief }

    /// Takes the next sample; gives the window that it completes.
    mutating func add(_ sample: ResampledSample) -> JudgedWindow? {
        if sample.startsSegment { begin() }
        steps.add(sample.acceleration)
        if waiting.isEmpty { start = sample.time - Resampler.step / 2 }
        waiting.append(sample.acceleration)
        return Window(waiting).map { judge($0) }
    }

    /// Counts the steps after the last window. Call it when the recording ends.
    mutating func finish() { summary.steps += steps.finish() }

    /// After a gap in the recording: the part of a window before it is worth nothing.
    private mutating func begin() {
        waiting = []
        finish()
        steps = GaitSteps()
    }

    /// As the session on the device does it.
    private mutating func judge(_ window: Window) -> JudgedWindow {
        let end = start + Window.duration
        let interval = lastEnd.map { end - $0 }.flatMap { $0 > longestGap ? nil : $0 }
        if interval == nil { stillness.reset() }
        let features = ActivityFeatures(window)
        let verdict = activity.judge(features, after: interval)
        _ = stillness.add(
            RestFeatures(window), activity: verdict.activity, at: BootTime(nanoseconds: end.nanoseconds))
        waiting = []
        lastEnd = end
        let judged = JudgedWindow(
            start: start, judgement: verdict, isWorn: stillness.state != .notWorn, followsGap: interval == nil)
        let credited = steps.credit(given: activity.belief)
        if judged.isWorn { summary.steps += credited }
        summary.add(judged, standingFor: Window.duration)
        return judged
    }
}
