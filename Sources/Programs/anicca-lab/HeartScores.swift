import Recordings
import Signal
import System

/// Heart rates from windows of recordings, compared with the true ones.
struct HeartScores {
    enum Source: String, CaseIterable {
        case first, second, better
    }

    enum Part: String, CaseIterable {
        /// Within the first or the last 30 s of a recording.
        case rest
        /// Those of them with no more movement than is accepted.
        case calm
        /// Not at rest.
        case motion
    }

    struct Score {
        var (windows, kept, wrong, wrongKept) = (0, 0, 0, 0)
        /// Of the kept windows, in beats a minute.
        var errors = 0.0

        var meanError: Double? { kept > 0 ? errors / Double(kept) : nil }
        var share: Double? { windows > 0 ? Double(kept) / Double(windows) : nil }
        /// Of the wrong windows, the share that is rejected.
        var rejected: Double? { wrong > 0 ? 1 - Double(wrongKept) / Double(wrong) : nil }
    }

    /// A rate that is off by more than this, in beats a minute, is wrong.
    fileprivate static let mostError = 10.0
    /// The rest at either end of a recording, in milliseconds.
    private static let rest = 30_000.0

    private(set) var scores = [Score](repeating: Score(), count: Source.allCases.count * Part.allCases.count)

    subscript(source: Source, part: Part) -> Score {
        get { scores[Self.index(source, part)] }
        set { scores[Self.index(source, part)] = newValue }
    }

    mutating func add(_ other: HeartScores) {
        for (index, score) in other.scores.enumerated() {
            scores[index].windows += score.windows
            scores[index].kept += score.kept
            scores[index].wrong += score.wrong
            scores[index].wrongKept += score.wrongKept
            scores[index].errors += score.errors
        }
    }

    mutating func add(_ recording: PulseRecording) {
        let end = recording.start + 40 * Double(recording.acceleration.count)
        for truth in recording.truths {
            guard let range = recording.samples(from: truth.from, count: PulseWindow.length),
                let first = Self.evidence(recording.light.first, recording, range),
                let second = Self.evidence(recording.light.second, recording, range)
            else { continue }
            let isRest = truth.to <= recording.start + Self.rest || truth.from >= end - Self.rest
            let isCalm = isRest && first.movement < PulseEvidence.mostMovement
            let parts: [Part] = isRest ? (isCalm ? [.rest, .calm] : [.rest]) : [.motion]
            let better = first.regularity >= second.regularity ? first : second
            let rates = [
                (Source.first, try? first.rate(), first), (.second, try? second.rate(), second),
                (.better, try? PulseRate(first, second), better),
            ]
            for (source, rate, evidence) in rates {
                for part in parts { self[source, part].add(rate, else: evidence.estimate, truth: truth.rate) }
            }
        }
    }

    private static func index(_ source: Source, _ part: Part) -> Int {
        (Source.allCases.firstIndex(of: source) ?? 0) * Part.allCases.count
            + (Part.allCases.firstIndex(of: part) ?? 0)
    }

    private static func evidence(
        _ light: [Float], _ recording: PulseRecording, _ range: Range<Int>
    ) -> PulseEvidence? {
        PulseWindow(light: Array(light[range]), acceleration: Array(recording.acceleration[range]))
            .map { PulseEvidence($0) }
    }
}

extension HeartScores.Score {
    fileprivate mutating func add(_ rate: PulseRate?, else estimate: Float?, truth: Double) {
        windows += 1
        let guess = rate?.beatsPerMinute ?? estimate
        let error = guess.map { abs(Double($0) - truth) }
        let isWrong = (error ?? 0) > HeartScores.mostError
        wrong += isWrong ? 1 : 0
        guard rate != nil, let error else { return }
        kept += 1
        errors += error
        wrongKept += isWrong ? 1 : 0
    }
}

extension HeartScores {
    private var rows: [(source: Source, part: Part, score: Score)] {
        Source.allCases.flatMap { source in Part.allCases.map { (source, $0, self[source, $0]) } }
    }

    /// The header first.
    var cells: [[String]] {
        [["signal", "part", "windows", "kept", "mean error", "wrong", "of them rejected"]]
            + rows.map { source, part, score in
                [
                    source.rawValue, part.rawValue, "\(score.windows)", score.share.map(shareText) ?? "–",
                    score.meanError.map(tenths) ?? "–", "\(score.wrong)", score.rejected.map(shareText) ?? "–",
                ]
            }
    }

    /// - Parameter recording: its name; nil for all.
    func json(of recording: String?) -> [JSONObject] {
        rows.map { source, part, score in
            var object = JSONObject()
            if let recording { object.put("recording", recording) }
            object.put("kind", "heart")
            object.put("signal", source.rawValue)
            object.put("part", part.rawValue)
            object.put("windows", Int64(score.windows))
            object.put("kept", Int64(score.kept))
            if let error = score.meanError { object.put("meanAbsoluteError", error) }
            object.put("wrong", Int64(score.wrong))
            object.put("wrongKept", Int64(score.wrongKept))
            return object
        }
    }
}
