/// Heart: heart rates by spot checks of a pulse oximeter (SPEC §15).
extension Domain {
    public static let heart = Domain(
        id: 9, name: "heart", permission: .heart, scopes: [ScopePart(.heart, "heart")], least: .heart,
        hardware: .pulseOximeter, needs: [.motion], figures: [.restingHeartRate, .heartRate],
        settings: HeartSettings.self, collector: HeartCollector.self,
        words: DomainWords(
            purpose: "your heart rate",
            collected:
                "the light that your skin returns from two LEDs, for some seconds at intervals of nine minutes or "
                + "more while you are still; this device turns it into heart rates, and keeps no light",
            whenOn: "is lit now and then, and restingHeartRate and heartRate join the daily record",
            whenOff: "your heart rate is not measured any more, and heart rates not yet sent will not be sent",
            policy: "Whether the heart rate may be measured."))
}

extension Permission {
    public static let heart = Permission(id: 6, order: 35, name: "heart", title: "Heart")
}

extension Scope {
    public static let heart = Scope(id: 9)
}

extension Figure {
    /// The least mean of half an hour in which the wearer was awake and still, in beats a minute.
    public static let restingHeartRate = Figure(
        id: 22, name: "restingHeartRate", meaning: "your lowest heart rate at rest", unit: .count("beats/min"),
        fold: .least(most: 250), source: .pulseOximeter)
    /// The rates of all checks that were good enough, awake or asleep, in beats a minute.
    public static let heartRate = Figure(
        id: 23, name: "heartRate", meaning: "your lowest, median and highest heart rate",
        fold: .table(
            FigureTable(
                [FigureTable.Column("min"), FigureTable.Column("median"), FigureTable.Column("max")], hasOneRow: true
            ) { amounts in
                let rates = amounts.map(\.amount).sorted()
                guard let least = rates.first, let most = rates.last else { return [] }
                return [least, rates[(rates.count - 1) / 2], most]
            }), source: .pulseOximeter)
}
