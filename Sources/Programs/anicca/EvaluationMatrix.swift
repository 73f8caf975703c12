import Motion

/// How many windows of each truth were taken for what, and the figures that follow. Shares are 0 to 1, and nil where
/// there is nothing to share.
struct EvaluationMatrix {
    static let answers: [Activity] = [.stationary, .walking, .running, .automotive, .unknown]

    private var counts = [[Int]](
        repeating: [Int](repeating: 0, count: Activity.allCases.count), count: EvaluationTruth.allCases.count)

    subscript(truth: EvaluationTruth, answer: Activity) -> Int { counts[truth.rawValue][Int(answer.rawValue)] }

    mutating func add(_ answer: Activity, for truth: EvaluationTruth) {
        counts[truth.rawValue][Int(answer.rawValue)] += 1
    }

    mutating func add(_ other: EvaluationMatrix) {
        for truth in EvaluationTruth.allCases {
            for answer in Self.answers { counts[truth.rawValue][Int(answer.rawValue)] += other[truth, answer] }
        }
    }

    func windows(_ truth: EvaluationTruth) -> Int { counts[truth.rawValue].reduce(0, +) }

    var windows: Int { EvaluationTruth.allCases.map(windows).reduce(0, +) }

    func share(of truth: EvaluationTruth, takenFor answer: Activity) -> Double? {
        ratio(self[truth, answer], windows(truth))
    }

    func recall(_ truth: EvaluationTruth) -> Double? { share(of: truth, takenFor: truth.answer) }

    /// Of the windows of the four activities that were taken for this one, those that were.
    func precision(_ truth: EvaluationTruth) -> Double? { ratio(self[truth, truth.answer], taken(for: truth)) }

    /// Nil where nobody did it.
    func f1(_ truth: EvaluationTruth) -> Double? {
        guard windows(truth) > 0 else { return nil }
        return ratio(2 * self[truth, truth.answer], windows(truth) + taken(for: truth))
    }

    /// The mean over those of the four activities that occur; windows of `other` count nowhere.
    var macroF1: Double? { mean(EvaluationTruth.four.compactMap(f1)) }

    /// The mean of both recalls: every other answer is wrong.
    var stillAgainstWalking: Double? {
        guard let still = recall(.stationary), let walking = recall(.walking) else { return nil }
        return (still + walking) / 2
    }

    /// The same where only taking one for the other is wrong.
    var stillNotTakenForWalking: Double? {
        guard let still = share(of: .stationary, takenFor: .walking),
            let walking = share(of: .walking, takenFor: .stationary)
        else { return nil }
        return 1 - (still + walking) / 2
    }

    /// Whether more windows were taken for the truth than for anything else; nil where there are none.
    func isMajority(_ truth: EvaluationTruth) -> Bool? {
        guard windows(truth) > 0 else { return nil }
        return Self.answers.allSatisfy { $0 == truth.answer || self[truth, $0] < self[truth, truth.answer] }
    }

    private func taken(for truth: EvaluationTruth) -> Int {
        EvaluationTruth.four.map { self[$0, truth.answer] }.reduce(0, +)
    }
}

/// Nil where there is nothing to divide by.
func ratio(_ part: Int, _ whole: Int) -> Double? { whole > 0 ? Double(part) / Double(whole) : nil }

/// Nil for no numbers.
func mean(_ numbers: [Double]) -> Double? {
    numbers.isEmpty ? nil : numbers.reduce(0, +) / Double(numbers.count)
}
