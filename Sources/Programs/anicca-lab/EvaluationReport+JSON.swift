import System
import Recordings
import Signal

extension EvaluationReport {
    /// For programs: an object for every figure, in the order of `anicca-lab evaluate --help`.
    var json: [JSONObject] {
        let parts: [[JSONObject]] = [
            recordings.map(\.json), EvaluationTruth.allCases.map(matrix), EvaluationTruth.four.map(recall),
            datasets.map { $0.json(kind: "dataset") }, positions.map { $0.json(kind: "position") },
            spreads.map(\.json),
            calibration(whole.calibration.four, over: "four"), calibration(whole.calibration.all, over: "all"),
            EvaluationTruth.allCases.map(notWorn), steps.map(\.json), stepErrors.map(\.json),
            falseSteps.map(\.json), [summary],
        ]
        return parts.flatMap { $0 }
    }

    private func matrix(_ truth: EvaluationTruth) -> JSONObject {
        var json = JSONObject(kind: "window-matrix")
        json.put("truth", truth.description)
        json.put(whole.matrix, truth)
        return json
    }

    private func recall(_ truth: EvaluationTruth) -> JSONObject {
        var json = JSONObject(kind: "recall")
        json.put("truth", truth.description)
        json.put("windows", whole.matrix.windows(truth))
        json.put(share: "recall", whole.matrix.recall(truth))
        json.put(share: "precision", whole.matrix.precision(truth))
        json.put(share: "f1", whole.matrix.f1(truth))
        json.put("recordings", whole.majority(truth).all)
        json.put("majorityRight", whole.majority(truth).right)
        return json
    }

    private func calibration(_ calibration: EvaluationCalibration, over windows: String) -> [JSONObject] {
        Confidence.allCases.reversed().map { confidence in
            var json = JSONObject(kind: "calibration")
            json.put("over", windows)
            json.put("confidence", confidence.description)
            json.put("windows", calibration.windows(confidence))
            json.put(share: "share", calibration.share(confidence))
            json.put(share: "right", calibration.precision(confidence))
            return json
        }
    }

    private func notWorn(_ truth: EvaluationTruth) -> JSONObject {
        var json = JSONObject(kind: "notWorn")
        json.put("truth", truth.description)
        json.put("windows", whole.matrix.windows(truth))
        json.put("notWorn", whole.matrix.notWorn(truth))
        return json
    }

    private var summary: JSONObject {
        var json = JSONObject(kind: "summary")
        json.put("recordings", recordings.count)
        json.put(share: "hours", hours)
        json.put("windows", whole.matrix.windows)
        json.put("unscored", unscoredWindows)
        json.put(figuresOf: whole.matrix)
        json.put(share: "otherUnknown", whole.matrix.recall(.other))
        json.put(share: "otherStationary", whole.matrix.share(of: .other, takenFor: .stationary))
        return json
    }
}

extension EvaluatedRecording {
    fileprivate var json: JSONObject {
        var json = JSONObject(kind: "recording")
        json.put(entry)
        json.put("subject", entry.subject)
        json.put("label", entry.label)
        json.put("class", entry.activity)
        json.put(share: "hours", hours)
        json.put("unscored", unscored)
        json.put("notWorn", notWorn)
        var windows = JSONObject()
        for truth in EvaluationTruth.allCases where matrix.windows(truth) > 0 {
            var answers = JSONObject()
            answers.put(matrix, truth)
            windows.put(truth.description, answers)
        }
        json.put("windows", windows)
        json.put("counted", steps)
        if let trueSteps { json.put("true", trueSteps) }
        json.put("pulses", pulses)
        json.put("credited", creditedPulses)
        return json
    }
}

extension EvaluationGroup {
    fileprivate func json(kind: String) -> JSONObject {
        var json = JSONObject(kind: kind)
        json.put("name", name)
        json.put("recordings", recordings)
        json.put("windows", matrix.windows)
        json.put(figuresOf: matrix)
        for truth in EvaluationTruth.allCases where matrix.windows(truth) > 0 {
            var figures = JSONObject()
            figures.put(matrix, truth)
            figures.put(share: "recall", matrix.recall(truth))
            figures.put("recordings", majority(truth).all)
            figures.put("majorityRight", majority(truth).right)
            json.put(truth.description, figures)
        }
        json.put(share: "high", calibration.four.share(.high))
        json.put(share: "highRight", calibration.four.precision(.high))
        return json
    }
}

extension EvaluationSpread {
    fileprivate var json: JSONObject {
        var json = JSONObject(kind: "spread")
        json.put("figure", figure.rawValue)
        json.put("datasets", datasets)
        json.put(share: "lowest", lowest)
        json.put(share: "median", median)
        json.put(share: "highest", highest)
        return json
    }
}

extension EvaluationSteps {
    fileprivate var json: JSONObject {
        var json = JSONObject(kind: "steps")
        json.put(recording.entry)
        json.put("true", truth)
        json.put("counted", recording.steps)
        json.put(share: "error", error)
        json.put("pulses", recording.pulses)
        json.put("credited", recording.creditedPulses)
        json.put(share: "creditedError", creditedError)
        return json
    }
}

extension EvaluationStepErrors {
    fileprivate var json: JSONObject {
        var json = JSONObject(kind: "stepErrors")
        json.put("dataset", dataset)
        json.put("recordings", recordings)
        for (name, spread) in [("counted", steps), ("pulses", pulses), ("credited", credited)] {
            var figures = JSONObject()
            figures.put(share: "absolute", spread.absolute)
            figures.put(share: "signed", spread.signed)
            figures.put(share: "worst", spread.worst)
            json.put(name, figures)
        }
        json.put(share: "total", total)
        guard let match else { return json }
        json.put("bouts", match.boutErrors.count)
        json.put(share: "byBout", byBout)
        json.put(share: "precision", match.precision)
        json.put(share: "recall", match.recall)
        json.put(share: "f1", match.f1)
        return json
    }
}

extension EvaluationFalseSteps {
    fileprivate var json: JSONObject {
        var json = JSONObject(kind: "falseSteps")
        json.put("dataset", dataset)
        json.put("class", activity)
        json.put("recordings", recordings)
        json.put(share: "hours", hours)
        json.put("true", trueSteps)
        for (name, count) in [("counted", steps), ("pulses", pulses), ("credited", creditedPulses)] {
            json.put(name, count)
            json.put(share: "\(name)PerHour", perHour(count))
        }
        return json
    }
}

extension JSONObject {
    fileprivate init(kind: String) {
        self.init()
        put("kind", kind)
    }

    fileprivate mutating func put(_ entry: RecordingEntry) {
        put("rec", entry.name)
        put("dataset", entry.dataset)
        put("position", entry.position)
    }

    /// The windows of a truth, by the answer given.
    fileprivate mutating func put(_ matrix: EvaluationMatrix, _ truth: EvaluationTruth) {
        for answer in EvaluationMatrix.answers { put(answer.description, matrix[truth, answer]) }
    }

    fileprivate mutating func put(figuresOf matrix: EvaluationMatrix) {
        put(share: "macroF1", matrix.macroF1)
        put(share: "macroF1AmongAll", matrix.macroF1AmongAll)
        put(share: "meanRecall", matrix.meanRecall)
        put(share: "stationaryWalking", matrix.stillAgainstWalking)
        put(share: "restAgainstFoot", matrix.restAgainstFoot)
        put(share: "notTakenForOneAnother", matrix.stillNotTakenForWalking)
    }

    /// To four decimal places; left out if nil.
    fileprivate mutating func put(share key: String, _ value: Double?) {
        if let value { put(key, (value * 10_000).rounded() / 10_000) }
    }
}
