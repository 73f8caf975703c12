import Core

/// A comparison of true and counted steps by their times.
struct EvaluationStepMatch {
    /// Steps closer to each other than this match, each at most once.
    static let tolerance = Interval.milliseconds(300)
    /// A longer pause between two true steps separates two bouts.
    private static let longestStep = Interval.seconds(3)
    /// A bout with fewer true steps is not compared: one step would be a fifth of it or more.
    private static let leastSteps = 5

    private(set) var matched = 0
    private(set) var counted = 0
    private(set) var truth = 0
    /// By bout, as a share of its true steps; unsigned.
    private(set) var boutErrors: [Double] = []

    init() {}

    /// - Parameters: in ascending order.
    init(counted: [Interval], truth: [Interval]) {
        self.counted = counted.count
        self.truth = truth.count
        matched = Self.matches(counted, truth)
        boutErrors = Self.bouts(truth).map { bout in
            let (begin, end) = (bout[bout.startIndex] - Self.tolerance, bout[bout.endIndex - 1] + Self.tolerance)
            let found = counted.count { begin <= $0 && $0 <= end }
            return abs(Double(found - bout.count)) / Double(bout.count)
        }
    }

    mutating func add(_ other: EvaluationStepMatch) {
        matched += other.matched
        counted += other.counted
        truth += other.truth
        boutErrors += other.boutErrors
    }

    var precision: Double? { counted > 0 ? Double(matched) / Double(counted) : nil }
    var recall: Double? { truth > 0 ? Double(matched) / Double(truth) : nil }
    var f1: Double? { truth + counted > 0 ? 2 * Double(matched) / Double(truth + counted) : nil }

    /// The earliest partner within the tolerance is the best, because both lists ascend.
    private static func matches(_ counted: [Interval], _ truth: [Interval]) -> Int {
        var (next, matched) = (0, 0)
        for step in truth {
            while next < counted.count, counted[next] < step - tolerance { next += 1 }
            guard next < counted.count, counted[next] <= step + tolerance else { continue }
            next += 1
            matched += 1
        }
        return matched
    }

    private static func bouts(_ truth: [Interval]) -> [ArraySlice<Interval>] {
        var bouts: [ArraySlice<Interval>] = []
        var start = 0
        for index in 1...max(1, truth.count) {
            guard index >= truth.count || truth[index] - truth[index - 1] > longestStep else { continue }
            bouts.append(truth[start..<min(index, truth.count)])
            start = index
        }
        return bouts.filter { $0.count >= leastSteps }
    }
}
