/// The windows of several recordings, taken together.
struct EvaluationGroup {
    /// The name of a data set or a position.
    let name: String
    private(set) var recordings = 0
    private(set) var matrix = EvaluationMatrix()
    private(set) var calibration = (four: EvaluationCalibration(), all: EvaluationCalibration())
    private var majorities = [(right: Int, all: Int)](repeating: (0, 0), count: EvaluationTruth.allCases.count)

    init(_ name: String, _ recordings: some Sequence<EvaluatedRecording>) {
        self.name = name
        for recording in recordings { add(recording) }
    }

    /// One group for each name that occurs, by name.
    static func all(
        _ recordings: [EvaluatedRecording], by name: (EvaluatedRecording) -> String
    ) -> [EvaluationGroup] {
        Dictionary(grouping: recordings, by: name).sorted { $0.key < $1.key }
            .map { EvaluationGroup($0.key, $0.value) }.filter { $0.matrix.windows > 0 }
    }

    /// The number of recordings in which the right answer is the most frequent, among those with windows of the truth.
    /// A recording with several labels counts for each.
    func majority(_ truth: EvaluationTruth) -> (right: Int, all: Int) { majorities[truth.rawValue] }

    private mutating func add(_ recording: EvaluatedRecording) {
        recordings += 1
        matrix.add(recording.matrix)
        calibration.four.add(recording.calibration.four)
        calibration.all.add(recording.calibration.all)
        for truth in EvaluationTruth.allCases {
            guard let isRight = recording.matrix.isMajority(truth) else { continue }
            majorities[truth.rawValue].all += 1
            if isRight { majorities[truth.rawValue].right += 1 }
        }
    }
}
