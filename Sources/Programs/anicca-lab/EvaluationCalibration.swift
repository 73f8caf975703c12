import Signal

/// The number of windows and of right answers, by confidence.
struct EvaluationCalibration {
    private var counts = [(windows: Int, right: Int)](repeating: (0, 0), count: Confidence.allCases.count)

    /// - Parameter judgement: the verdict; with low confidence, the answer kept from earlier windows.
    mutating func add(_ judgement: Judgement, for truth: EvaluationTruth) {
        counts[Int(judgement.confidence.rawValue)].windows += 1
        if judgement.activity == truth.answer { counts[Int(judgement.confidence.rawValue)].right += 1 }
    }

    mutating func add(_ other: EvaluationCalibration) {
        for index in counts.indices {
            counts[index].windows += other.counts[index].windows
            counts[index].right += other.counts[index].right
        }
    }

    func windows(_ confidence: Confidence) -> Int { counts[Int(confidence.rawValue)].windows }

    func share(_ confidence: Confidence) -> Double? {
        ratio(windows(confidence), counts.map(\.windows).reduce(0, +))
    }

    func precision(_ confidence: Confidence) -> Double? {
        ratio(counts[Int(confidence.rawValue)].right, windows(confidence))
    }
}
