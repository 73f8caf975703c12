import Signal

/// The windows of each truth by answer, and the derived figures. Shares are 0 to 1, and nil for a divisor of zero.
struct EvaluationMatrix {
    static let answers: [Activity] = [.stationary, .walking, .running, .automotive, .unknown]

    /// The windows of one truth.
    private struct Row {
        var answers = [Int](repeating: 0, count: Activity.allCases.count)
        var onFoot = 0
        var notWorn = 0
    }

    private var rows = [Row](repeating: Row(), count: EvaluationTruth.allCases.count)

    subscript(truth: EvaluationTruth, answer: Activity) -> Int { rows[truth.rawValue].answers[Int(answer.rawValue)] }

    /// - Parameter belief: the probability of each activity after the window.
    mutating func add(_ window: JudgedWindow, _ belief: ActivityProbabilities, for truth: EvaluationTruth) {
        rows[truth.rawValue].answers[Int(window.judgement.activity.rawValue)] += 1
        if belief[.walking] + belief[.running] > belief[.stationary] { rows[truth.rawValue].onFoot += 1 }
        if !window.isWorn { rows[truth.rawValue].notWorn += 1 }
    }

    mutating func add(_ other: EvaluationMatrix) {
        for truth in EvaluationTruth.allCases {
            let row = other.rows[truth.rawValue]
            for index in row.answers.indices { rows[truth.rawValue].answers[index] += row.answers[index] }
            rows[truth.rawValue].onFoot += row.onFoot
            rows[truth.rawValue].notWorn += row.notWorn
        }
    }

    func windows(_ truth: EvaluationTruth) -> Int { rows[truth.rawValue].answers.reduce(0, +) }

    /// Windows in which the sensor was judged not worn.
    func notWorn(_ truth: EvaluationTruth) -> Int { rows[truth.rawValue].notWorn }

    var windows: Int { EvaluationTruth.allCases.map(windows).reduce(0, +) }

    func share(of truth: EvaluationTruth, takenFor answer: Activity) -> Double? {
        ratio(self[truth, answer], windows(truth))
    }

    func recall(_ truth: EvaluationTruth) -> Double? { share(of: truth, takenFor: truth.answer) }

    /// The share of right answers among the windows of the four activities with this answer.
    func precision(_ truth: EvaluationTruth) -> Double? {
        ratio(self[truth, truth.answer], taken(for: truth, among: EvaluationTruth.four))
    }

    /// The F1 score over the windows of the given truths. Nil without windows of `truth`.
    func f1(_ truth: EvaluationTruth, among truths: [EvaluationTruth] = EvaluationTruth.four) -> Double? {
        guard windows(truth) > 0 else { return nil }
        return ratio(2 * self[truth, truth.answer], windows(truth) + taken(for: truth, among: truths))
    }

    /// The mean F1 score of the activities that occur; windows of `other` do not count.
    var macroF1: Double? { mean(EvaluationTruth.four.compactMap { f1($0) }) }

    /// The same, but windows of `other` with one of the four as the answer count as errors.
    var macroF1AmongAll: Double? {
        mean(EvaluationTruth.four.compactMap { f1($0, among: EvaluationTruth.allCases) })
    }

    /// The mean recall of the activities that occur.
    var meanRecall: Double? { mean(EvaluationTruth.four.compactMap(recall)) }

    /// The mean recall of stationary and walking: every other answer is wrong.
    var stillAgainstWalking: Double? {
        guard let still = recall(.stationary), let walking = recall(.walking) else { return nil }
        return (still + walking) / 2
    }

    /// The same with the likelier of the two classes as the answer: at rest or on foot.
    var restAgainstFoot: Double? {
        guard let still = ratio(rows[EvaluationTruth.stationary.rawValue].onFoot, windows(.stationary)),
            let walking = ratio(rows[EvaluationTruth.walking.rawValue].onFoot, windows(.walking))
        else { return nil }
        return (1 - still + walking) / 2
    }

    /// The same with only confusions of the two as wrong.
    var stillNotTakenForWalking: Double? {
        guard let still = share(of: .stationary, takenFor: .walking),
            let walking = share(of: .walking, takenFor: .stationary)
        else { return nil }
        return 1 - (still + walking) / 2
    }

    /// Whether the right answer is the most frequent; nil without windows of the truth.
    func isMajority(_ truth: EvaluationTruth) -> Bool? {
        guard windows(truth) > 0 else { return nil }
        return Self.answers.allSatisfy { $0 == truth.answer || self[truth, $0] < self[truth, truth.answer] }
    }

    private func taken(for truth: EvaluationTruth, among truths: [EvaluationTruth]) -> Int {
        truths.map { self[$0, truth.answer] }.reduce(0, +)
    }
}

/// The share of `part` in `whole`; nil if `whole` is 0.
func ratio(_ part: Int, _ whole: Int) -> Double? { whole > 0 ? Double(part) / Double(whole) : nil }

/// The mean; nil for an empty list.
func mean(_ numbers: [Double]) -> Double? {
    numbers.isEmpty ? nil : numbers.reduce(0, +) / Double(numbers.count)
}
