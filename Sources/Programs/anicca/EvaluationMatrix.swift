import Signal

/// How many windows of each truth were taken for what, and the figures that follow. Shares are 0 to 1, and nil where
/// there is nothing to share.
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

    /// - Parameter belief: how likely each activity was after the window.
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

    /// Windows in which nobody was thought to wear the sensor.
    func notWorn(_ truth: EvaluationTruth) -> Int { rows[truth.rawValue].notWorn }

    var windows: Int { EvaluationTruth.allCases.map(windows).reduce(0, +) }

    func share(of truth: EvaluationTruth, takenFor answer: Activity) -> Double? {
        ratio(self[truth, answer], windows(truth))
    }

    func recall(_ truth: EvaluationTruth) -> Double? { share(of: truth, takenFor: truth.answer) }

    /// Of the windows of the four activities that were taken for this one, those that were.
    func precision(_ truth: EvaluationTruth) -> Double? {
        ratio(self[truth, truth.answer], taken(for: truth, among: EvaluationTruth.four))
    }

    /// Over the windows of the given truths. Nil where nobody did it.
    func f1(_ truth: EvaluationTruth, among truths: [EvaluationTruth] = EvaluationTruth.four) -> Double? {
        guard windows(truth) > 0 else { return nil }
        return ratio(2 * self[truth, truth.answer], windows(truth) + taken(for: truth, among: truths))
    }

    /// The mean over those of the four activities that occur; windows of `other` count nowhere.
    var macroF1: Double? { mean(EvaluationTruth.four.compactMap { f1($0) }) }

    /// The same, but windows of `other` that are taken for one of the four count against it.
    var macroF1AmongAll: Double? {
        mean(EvaluationTruth.four.compactMap { f1($0, among: EvaluationTruth.allCases) })
    }

    /// The mean recall of those of the four activities that occur.
    var meanRecall: Double? { mean(EvaluationTruth.four.compactMap(recall)) }

    /// The mean of both recalls: every other answer is wrong.
    var stillAgainstWalking: Double? {
        guard let still = recall(.stationary), let walking = recall(.walking) else { return nil }
        return (still + walking) / 2
    }

    /// The same where the likelier of the two is the answer: at rest or on foot.
    var restAgainstFoot: Double? {
        guard let still = ratio(rows[EvaluationTruth.stationary.rawValue].onFoot, windows(.stationary)),
            let walking = ratio(rows[EvaluationTruth.walking.rawValue].onFoot, windows(.walking))
        else { return nil }
        return (1 - still + walking) / 2
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

    private func taken(for truth: EvaluationTruth, among truths: [EvaluationTruth]) -> Int {
        truths.map { self[$0, truth.answer] }.reduce(0, +)
    }
}

/// Nil where there is nothing to divide by.
func ratio(_ part: Int, _ whole: Int) -> Double? { whole > 0 ? Double(part) / Double(whole) : nil }

/// Nil for no numbers.
func mean(_ numbers: [Double]) -> Double? {
    numbers.isEmpty ? nil : numbers.reduce(0, +) / Double(numbers.count)
}
