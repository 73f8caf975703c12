import Commands

/// The errors of the steps counted in a recording.
struct EvaluationSteps {
    let recording: EvaluatedRecording
    let truth: Int

    /// Nil for a recording without counted steps, and for one in which all steps are false.
    init?(_ recording: EvaluatedRecording) {
        guard !recording.isWithoutSteps, let truth = recording.trueSteps, truth > 0 else { return nil }
        self.recording = recording
        self.truth = truth
    }

    /// Signed, as a share of the true steps: for steps from acceleration, for pulses, and for credited pulses.
    var error: Double { error(recording.steps) }
    var pulseError: Double { error(recording.pulses) }
    var creditedError: Double { error(recording.creditedPulses) }

    private func error(_ counted: Int) -> Double { Double(counted - truth) / Double(truth) }
}

/// The errors of the recordings of a data set.
struct EvaluationStepErrors {
    let dataset: String
    let recordings: Int
    let steps: Spread
    let pulses: Spread
    let credited: Spread
    /// Step by step, over the recordings with times; nil without any.
    let match: EvaluationStepMatch?

    /// The mean unsigned error over the bouts.
    var byBout: Double? { match.flatMap { mean($0.boutErrors) } }
    /// The error of the sum of all steps, signed, as a share.
    let total: Double

    /// Means over recordings of errors as shares of the true steps.
    struct Spread {
        let absolute: Double
        let signed: Double
        let worst: Double

        fileprivate init(_ errors: [Double]) {
            absolute = mean(errors.map(abs)) ?? 0
            signed = mean(errors) ?? 0
            worst = errors.map(abs).max() ?? 0
        }
    }

    static func all(_ walks: [EvaluationSteps]) -> [EvaluationStepErrors] {
        Dictionary(grouping: walks, by: \.recording.entry.dataset).sorted { $0.key < $1.key }
            .map { EvaluationStepErrors($0.key, $0.value) }
    }

    private init(_ dataset: String, _ walks: [EvaluationSteps]) {
        self.dataset = dataset
        recordings = walks.count
        steps = Spread(walks.map(\.error))
        pulses = Spread(walks.map(\.pulseError))
        credited = Spread(walks.map(\.creditedError))
        let truth = walks.map(\.truth).reduce(0, +)
        total = Double(walks.map(\.recording.steps).reduce(0, +) - truth) / Double(truth)
        let matches = walks.compactMap(\.recording.stepMatch)
        match = matches.isEmpty ? nil : matches.reduce(into: EvaluationStepMatch()) { $0.add($1) }
    }
}

/// False steps in the recordings of one class of a data set.
struct EvaluationFalseSteps {
    let dataset: String
    let activity: String
    let recordings: Int
    let hours: Double
    let trueSteps: Int
    /// In excess of the true ones of each recording: from acceleration, among the pulses, and among the credited
    /// pulses.
    let steps: Int
    let pulses: Int
    let creditedPulses: Int

    static func all(_ recordings: [EvaluatedRecording]) -> [EvaluationFalseSteps] {
        Dictionary(grouping: recordings.filter { $0.isWithoutSteps && $0.hours > 0 }) { recording in
            [recording.entry.dataset, recording.entry.activity]
        }.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map { EvaluationFalseSteps($0.key, $0.value) }
    }

    private init(_ key: [String], _ recordings: [EvaluatedRecording]) {
        dataset = key[0]
        activity = key[1]
        self.recordings = recordings.count
        hours = recordings.map(\.hours).reduce(0, +)
        trueSteps = recordings.map { $0.trueSteps ?? 0 }.reduce(0, +)
        func excess(_ counted: (EvaluatedRecording) -> Int) -> Int {
            recordings.map { max(0, counted($0) - ($0.trueSteps ?? 0)) }.reduce(0, +)
        }
        steps = excess(\.steps)
        pulses = excess(\.pulses)
        creditedPulses = excess(\.creditedPulses)
    }

    func perHour(_ count: Int) -> Double { Double(count) / hours }
}
