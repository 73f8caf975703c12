/// The results of an evaluation.
struct EvaluationReport {
    let recordings: [EvaluatedRecording]
    let whole: EvaluationGroup
    let datasets: [EvaluationGroup]
    let positions: [EvaluationGroup]
    let spreads: [EvaluationSpread]
    let steps: [EvaluationSteps]
    let stepErrors: [EvaluationStepErrors]
    let falseSteps: [EvaluationFalseSteps]

    init(_ recordings: [EvaluatedRecording]) {
        self.recordings = recordings
        whole = EvaluationGroup("all", recordings)
        datasets = EvaluationGroup.all(recordings) { $0.entry.dataset }
        positions = EvaluationGroup.all(recordings) { $0.entry.position.lowercased() }
        spreads = EvaluationSpread.Figure.allCases.compactMap { [datasets] in EvaluationSpread($0, over: datasets) }
        steps = recordings.compactMap(EvaluationSteps.init)
        stepErrors = EvaluationStepErrors.all(steps)
        falseSteps = EvaluationFalseSteps.all(recordings)
    }

    var unscoredWindows: Int { recordings.map(\.unscored).reduce(0, +) }
    var hours: Double { recordings.map(\.hours).reduce(0, +) }
}
