/// Floors: flights climbed on foot, from a barometer (SPEC §14).
extension Domain {
    public static let floors = Domain(
        id: 8, name: "floors", permission: .motion, scopes: [ScopePart(.floors, "floors")], least: .floors,
        hardware: .gauge(.barometer), needs: [.motion, .steps], figures: [.flightsClimbed],
        settings: FloorsSettings.self, collector: FloorsCollector.self,
        words: DomainWords(
            purpose: "the flights of stairs you climb",
            collected: "the air pressure at the device, with each look at the accelerometer; this device turns what it "
                + "changes while you walk into flights climbed, and keeps no readings",
            whenOn: "is read, and flightsClimbed joins the daily record",
            whenOff: "flights are not counted any more, and flightsClimbed not yet sent will not be sent",
            policy: "Whether flights of stairs may be counted."))
}

extension Scope {
    public static let floors = Scope(id: 8)
}

extension GaugeID {
    /// Its values are the air pressure in Pa and the chip's temperature in °C.
    public static let barometer = GaugeID(rawValue: 1)
}

extension Figure {
    /// Flights climbed on foot, 0 to 2,000: a climb without a pause at the speed of `AscentRule` has no more in a day.
    public static let flightsClimbed = Figure(
        id: 20, name: "flightsClimbed", meaning: "the number of flights climbed", unit: .count("flights"),
        fold: .sum(most: 2_000), source: .barometer)
}
