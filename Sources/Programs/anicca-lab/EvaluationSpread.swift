/// The spread of a figure over data sets, which a mean over all windows hides.
struct EvaluationSpread {
    /// Data sets with fewer windows of the four activities are left out.
    static let leastWindows = 20

    let figure: Figure
    /// In rising order; at least one.
    private let values: [Double]

    enum Figure: String, CaseIterable {
        case meanRecall, macroF1, stationaryWalking, high, highRight

        fileprivate func value(_ group: EvaluationGroup) -> Double? {
            switch self {
            case .meanRecall: group.matrix.meanRecall
            case .macroF1: group.matrix.macroF1
            case .stationaryWalking: group.matrix.stillAgainstWalking
            case .high: group.calibration.four.share(.high)
            case .highRight: group.calibration.four.precision(.high)
            }
        }
    }

    /// Nil if no data set has the figure.
    init?(_ figure: Figure, over datasets: [EvaluationGroup]) {
        self.figure = figure
        values = datasets.filter { group in
            EvaluationTruth.four.map(group.matrix.windows).reduce(0, +) >= Self.leastWindows
        }.compactMap(figure.value).sorted()
        if values.isEmpty { return nil }
    }

    var datasets: Int { values.count }
    var lowest: Double { values[0] }
    var highest: Double { values[values.count - 1] }
    var median: Double { (values[(values.count - 1) / 2] + values[values.count / 2]) / 2 }
}
