import Commands

extension EvaluationReport {
    /// A summary of the quality, on one line.
    var verdict: String {
        var parts: [String] = []
        let four = EvaluationTruth.four.map {
            (windows: whole.matrix.windows($0), recall: whole.matrix.recall($0) ?? 0)
        }
        let windows = four.map(\.windows).reduce(0, +)
        if windows > 0 {
            let right = four.map { Double($0.windows) * $0.recall }.reduce(0, +)
            parts.append("\(percent(right / Double(windows))) of the windows of the four activities right")
        }
        if !steps.isEmpty {
            let error = steps.map { abs($0.error) }.reduce(0, +) / Double(steps.count)
            parts.append("steps off by \(percent(error)) on average")
        }
        let hours = falseSteps.map(\.hours).reduce(0, +)
        if hours > 0 {
            parts.append("\(number(Double(falseSteps.map(\.steps).reduce(0, +)) / hours, 1)) false steps an hour")
        }
        return parts.isEmpty ? "nothing to compare" : parts.joined(separator: "; ")
    }

    /// The evaluated data sets that the standard model was trained on, by the table that the training writes above its
    /// constants (Sources/Signal/ActivityConstants.swift). Figures on them are too good.
    var learntFrom: [String] { datasets.map(\.name).filter(Self.taught.contains) }

    static let taught: Set = [
        "driver_behavior", "geotec_watch", "ha24", "hapt", "ipol_gait", "mlqs_andras", "mobgap", "motionsense",
        "oxford_steps_opt", "pebble", "sisfall", "smartfall", "toetsie",
        "transport_bk", "transport_g67", "transport_giray", "transport_mlqs25", "twristar", "uci_walking", "umafall",
        "uniss_gait",
        "weallwalk", "weda_fall", "wharf", "wisdm2019", "wisdm2019_watch", "wrist_steps",
    ]
}
