import Commands
import Core
import Domains
import SimulatedBus
import Store
import System

/// Walks, floors, heart and the totals of a phone on a day of the demo, with what the life has of them: no stairs, a heart of
/// 66 beats a minute in a chair and 54 asleep (`SimulatedSkin`), and the phone's own figures.
struct DemoBody {
    private let record: ReceivedRecords.Day
    /// Whether the domains of the sensors were on; the scene about consent ends them, as it ends sleep.
    private let isSensed: Bool

    static let domains: [Domain] = [.walks, .floors, .heart, .phone]
    private static let restingRate = 62...70

    /// Nil without a record of the day.
    init?(_ row: DemoReport.Row, isSensed: Bool) {
        guard let record = row.record else { return nil }
        self.record = record
        self.isSensed = isSensed
    }

    /// The measures of a wearer, without which there is no distance and no energy.
    static func set(in ledger: Ledger) throws(LedgerError) {
        _ = try ledger.changeBook(WearerProfile.self) {
            ($0.height, $0.weight, $0.born, $0.sex) = (175, 70, 1985, .female)
        }
    }

    /// A barometer in air that does not change.
    static func gauges(seed: UInt64) -> [SimulatedGauge] {
        SimulatedGauge.barometer("bmp280", in: { _ in Air(pressure: 101_325, temperature: 28) }, seed: seed).map {
            [$0]
        } ?? []
    }

    /// The first deviation from the life.
    var shortfall: String? {
        if record.mindfulMinutes != DemoPhone.Total.mindful.amount
            || record.dietaryEnergyKcal != DemoPhone.Total.nutrition.amount
        {
            return
                "\(record.date): the phone's totals arrived as \(record.mindfulMinutes ?? 0) and \(record.dietaryEnergyKcal ?? 0)"
        }
        guard isSensed else { return nil }
        if record.flightsClimbed ?? 0 != 0 { return "\(record.date): flights arrived, and there were no stairs" }
        let rest = record.restingHeartRate ?? 0
        if !Self.restingRate.contains(rest) { return "\(record.date): \(rest) beats a minute at rest arrived" }
        return record.distanceM == nil || record.walkingCadence == nil ? "\(record.date): no walk arrived" : nil
    }

    static func lines(_ days: [DemoBody]) -> [String] {
        let header = [
            "day", "distance", "cadence", "energy", "workouts", "flights", "heart", "resting", "mindful", "eaten",
        ]
        return [""] + aligned([header] + days.map(\.cells))
    }

    private var cells: [String] {
        func text(_ value: Int?, _ unit: String = "") -> String { value.map { "\($0)\(unit)" } ?? "-" }
        let workouts = (record.workouts ?? []).map { "\($0.kind) \($0.minutes) min" }
        return [
            record.date, text(record.distanceM, " m"), text(record.walkingCadence),
            text(record.activeEnergyKcal, " kcal"),
            workouts.isEmpty ? "-" : workouts.joined(separator: ", "), text(record.flightsClimbed),
            record.heartRate.map { "\($0.min)-\($0.median)-\($0.max)" } ?? "-", text(record.restingHeartRate),
            text(record.mindfulMinutes, " min"), text(record.dietaryEnergyKcal, " kcal"),
        ]
    }

    /// Adds the figures that arrived.
    func put(into json: inout JSONObject) {
        for (name, value) in [
            ("distanceM", record.distanceM), ("walkingCadence", record.walkingCadence),
            ("activeEnergyKcal", record.activeEnergyKcal), ("flightsClimbed", record.flightsClimbed),
            ("restingHeartRate", record.restingHeartRate), ("mindfulMinutes", record.mindfulMinutes),
            ("dietaryEnergyKcal", record.dietaryEnergyKcal),
        ] {
            if let value { json.put(name, value) }
        }
    }
}
