import Core
import Recordings
import Sensing
import Signal

/// Judges every window of a recording in turn, and counts its steps.
struct ContinuousReplay {
    private var activity: ActivityJudge
    private let longestGap: Interval
    private var steps = GaitSteps()
    private var stillness: Stillness
    private var epochs = SleepEpochs()
    private var diary = SleepDiary()
    /// The samples of the incomplete window.
    private var waiting: [Acceleration] = []
    private var start = Interval.zero
    /// The end of the latest window.
    private var lastEnd: Interval?
    private(set) var summary = ReplaySummary()

    /// - Throws: the fault of the file; `onWindow` was called for the windows before it.
    static func run(
        _ file: String, _ columns: RecordingColumns? = nil, rules: SensingRules, onWindow: (JudgedWindow) -> Void
    ) throws(RecordingError) -> ReplaySummary {
        let reader = try RecordingReader(path: file, columns: columns, toleratesCut: true)
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
        replay.finishSleep()
        replay.summary.isCutOff = reader.isCutOff
        return replay.summary
    }

    init(_ rules: SensingRules, model: ActivityModel = .standard) {
        activity = ActivityJudge(model: model)
        longestGap = rules.longestGap
        stillness = Stillness(rule: rules.stillness)
    }

    /// The probability of each activity after the latest window.
    var belief: ActivityProbabilities { activity.belief }
    /// The same, given the latest window alone.
    var alone: ActivityProbabilities { activity.alone }

    /// Takes the next sample; returns the window that it completes.
    mutating func add(_ sample: ResampledSample) -> JudgedWindow? {
        if sample.startsSegment { begin() }
        steps.add(sample.acceleration)
        if waiting.isEmpty { start = sample.time - Resampler.step / 2 }
        waiting.append(sample.acceleration)
        return Window(waiting).map { judge($0) }
    }

    /// Counts the steps after the last window. Call it when the recording ends.
    mutating func finish() { summary.steps += steps.finish() }

    private mutating func finishSleep() { summary.add(diary.finish() ?? []) }

    private mutating func followSleep(_ window: Window, until time: BootTime) {
        for epoch in epochs.add(window.samples, every: Window.samplePeriod, until: time) {
            summary.add(diary.add(epoch, isWorn: stillness.state != .notWorn) ?? [])
        }
    }

    /// Starts again after a gap in the recording; the incomplete window before it is dropped.
    private mutating func begin() {
        waiting = []
        finish()
        steps = GaitSteps()
    }

    /// Judges like the session on the device.
    private mutating func judge(_ window: Window) -> JudgedWindow {
        let end = start + Window.duration
        let interval = lastEnd.map { end - $0 }.flatMap { $0 > longestGap ? nil : $0 }
        if interval == nil {
            let state = stillness.wear.mayBeOff ? WearState.notWorn : .awake
            diary.follow(state, isStationary: false, at: BootTime(nanoseconds: end.nanoseconds))
            stillness.reset()
        }
        let features = ActivityFeatures(window)
        let verdict = activity.judge(features, after: interval)
        let time = BootTime(nanoseconds: end.nanoseconds)
        let decision = stillness.add(RestFeatures(window), activity: verdict.activity, at: time)
        diary.follow(decision, isStationary: verdict.activity == .stationary, at: time)
        if verdict.activity == .walking || verdict.activity == .running { diary.walked(at: time) }
        followSleep(window, until: time)
        waiting = []
        lastEnd = end
        let judged = JudgedWindow(
            start: start, judgement: verdict, isWorn: stillness.state != .notWorn, followsGap: interval == nil)
        let credited = steps.credit(given: activity.belief, alone: activity.alone)
        if judged.isWorn { summary.steps += credited }
        summary.add(judged, standingFor: Window.duration)
        return judged
    }
}

extension ReplaySummary {
    /// Times of a recording, counted from its own start.
    fileprivate mutating func add(_ sleeps: [Sleep]) {
        self.sleeps += sleeps.map {
            RecordedSleep(
                start: Interval(nanoseconds: $0.start.nanoseconds), end: Interval(nanoseconds: $0.end.nanoseconds),
                asleep: $0.length)
        }
    }
}
