import Commands
import System
import Signal

extension EvaluationReport {
    /// For people: tables of at most 80 columns, as long as names are short.
    var lines: [String] {
        var lines = [
            verdict,
            "\(counted(recordings.count, "recording")), \(number(hours, 1)) h, "
                + "\(counted(whole.matrix.windows, "window")) with a known truth, \(unscoredWindows) without",
        ]
        lines += section("windows by truth (rows) and classification", matrixTable)
        lines += section("recall and precision of windows, and recordings whose majority is right", recallTable)
        lines += totals
        lines += section("recall by data set (f1: macro-F1; s/w: stationary against walking)", table(of: datasets))
        lines += section("the same by position", table(of: positions.filter { !$0.name.isEmpty }))
        lines += section("spread over data sets", spreadTable)
        lines += section("accuracy by confidence: windows of the four activities, and all", calibrationTable)
        lines += section("windows classified as not worn (after an hour of stillness or more)", notWornTable)
        lines += section("steps by recording, with the pulses of a plain threshold and those credited", stepTable)
        lines += section("step errors by data set: mean absolute, mean signed, worst", stepErrorTable)
        lines += section("false steps per hour, from acceleration and among pulses", falseStepTable)
        return lines.map(escapingControls)
    }

    /// The lines of a section; none for an empty table.
    private func section(_ title: String, _ table: Table) -> [String] {
        table.isEmpty ? [] : ["", title] + table.lines()
    }

    private var matrixTable: Table {
        var table = Table([("", .left)] + EvaluationMatrix.answers.map { ($0.description, .right) })
        for truth in EvaluationTruth.allCases where whole.matrix.windows(truth) > 0 {
            let cells = EvaluationMatrix.answers.map { String(whole.matrix[truth, $0]) }
            table.add([truth.description] + cells)
        }
        return table
    }

    private var recallTable: Table {
        var table = Table([
            ("", .left), ("recall", .right), ("precision", .right), ("f1", .right), ("majority", .right),
        ])
        for truth in EvaluationTruth.four where whole.matrix.windows(truth) > 0 {
            let majority = whole.majority(truth)
            table.add([
                truth.description, percent(whole.matrix.recall(truth)), percent(whole.matrix.precision(truth)),
                decimal(whole.matrix.f1(truth)), "\(majority.right) of \(majority.all)",
            ])
        }
        return table
    }

    /// The lines of the totals with a figure.
    private var totals: [String] {
        let matrix = whole.matrix
        var lines: [String] = []
        if matrix.macroF1 != nil {
            let occurring = EvaluationTruth.four.count { matrix.windows($0) > 0 }
            lines.append(
                "macro-F1 of \(occurring < 4 ? "those of the four activities that occur" : "the four activities"): "
                    + "\(decimal(matrix.macroF1)); with other activities that are taken for them: "
                    + decimal(matrix.macroF1AmongAll))
        }
        if matrix.stillAgainstWalking != nil {
            lines += [
                "stationary against walking, balanced accuracy: \(percent(matrix.stillAgainstWalking)); "
                    + "the likelier of the two: \(percent(matrix.restAgainstFoot))",
                "not confused: \(percent(matrix.stillNotTakenForWalking))",
            ]
        }
        if matrix.windows(.other) > 0 {
            let shares = EvaluationMatrix.answers.map { "\(percent(matrix.share(of: .other, takenFor: $0))) \($0)" }
            lines.append("other: " + shares.joined(separator: ", "))
        }
        return lines
    }

    private func table(of groups: [EvaluationGroup]) -> Table {
        var table = Table([
            ("", .left), ("windows", .right), ("stat.", .right), ("walk.", .right), ("run.", .right), ("auto.", .right),
            ("f1", .right), ("s/w", .right), ("other unkn.", .right),
        ])
        for group in groups {
            let matrix = group.matrix
            table.add(
                [group.name, String(matrix.windows)] + EvaluationTruth.four.map { percent(matrix.recall($0)) }
                    + [decimal(matrix.macroF1), percent(matrix.stillAgainstWalking), percent(matrix.recall(.other))])
        }
        return table
    }

    private var spreadTable: Table {
        var table = Table([
            ("", .left), ("lowest", .right), ("median", .right), ("highest", .right), ("data sets", .right),
        ])
        for spread in spreads {
            table.add(
                [spread.figure.title] + [spread.lowest, spread.median, spread.highest].map { percent($0) }
                    + [String(spread.datasets)])
        }
        return table
    }

    private var notWornTable: Table {
        var table = Table([("", .left), ("windows", .right), ("not worn", .right), ("share", .right)])
        for truth in EvaluationTruth.allCases where whole.matrix.windows(truth) > 0 {
            let (windows, notWorn) = (whole.matrix.windows(truth), whole.matrix.notWorn(truth))
            table.add([truth.description, String(windows), String(notWorn), percent(ratio(notWorn, windows))])
        }
        return table
    }

    private var calibrationTable: Table {
        var table = Table([
            ("", .left), ("of four", .right), ("right", .right), ("of all", .right), ("right", .right),
        ])
        for confidence in Confidence.allCases.reversed() where whole.matrix.windows > 0 {
            table.add(
                [confidence.description]
                    + [whole.calibration.four, whole.calibration.all].flatMap {
                        [percent($0.share(confidence)), percent($0.precision(confidence))]
                    })
        }
        return table
    }

    private var stepTable: Table {
        var table = Table([
            ("recording", .left), ("position", .left), ("true", .right), ("counted", .right), ("error", .right),
            ("pulses", .right), ("credited", .right), ("error", .right),
        ])
        for walk in steps {
            let recording = walk.recording
            table.add([
                recording.entry.name, recording.entry.position.lowercased(), String(walk.truth),
                String(recording.steps), signed(walk.error), String(recording.pulses), String(recording.creditedPulses),
                signed(walk.creditedError),
            ])
        }
        return table
    }

    private var stepErrorTable: Table {
        var table = Table([
            ("", .left), ("walks", .right), ("counted", .right), ("pulses", .right), ("credited", .right),
            ("by bout", .right), ("f1 of times", .right),
        ])
        for errors in stepErrors {
            let cells = [errors.steps, errors.pulses, errors.credited].map {
                "\(percent($0.absolute)) \(signed($0.signed)) \(percent($0.worst))"
            }
            table.add(
                [errors.dataset, String(errors.recordings)] + cells
                    + [percent(errors.byBout), decimal(errors.match?.f1)])
        }
        return table
    }

    private var falseStepTable: Table {
        var table = Table([
            ("", .left), ("", .left), ("hours", .right), ("counted", .right), ("pulses", .right), ("credited", .right),
        ])
        for steps in falseSteps {
            let cells = [steps.steps, steps.pulses, steps.creditedPulses].map { number(steps.perHour($0), 1) }
            table.add([steps.dataset, steps.activity, number(steps.hours, 2)] + cells)
        }
        return table
    }
}

extension EvaluationSpread.Figure {
    fileprivate var title: String {
        switch self {
        case .meanRecall: "mean recall of the four"
        case .macroF1: "macro-F1"
        case .stationaryWalking: "stationary against walking"
        case .high: "high confidence, share"
        case .highRight: "high confidence, right"
        }
    }
}

func percent(_ share: Double?) -> String { share.map { number($0 * 100, 1) + " %" } ?? "-" }

private func signed(_ share: Double) -> String { (share > 0 ? "+" : "") + percent(share) }

private func decimal(_ value: Double?) -> String { value.map { number($0, 3) } ?? "-" }

/// The number with `places` decimal places.
func number(_ value: Double, _ places: Int) -> String {
    var scale = 1
    for _ in 0..<places { scale *= 10 }
    let scaled = Int((abs(value) * Double(scale)).rounded())
    let fraction = String(scaled % scale)
    return (value < 0 && scaled > 0 ? "-" : "") + "\(scaled / scale)."
        + String(repeating: "0", count: places - fraction.count) + fraction
}
