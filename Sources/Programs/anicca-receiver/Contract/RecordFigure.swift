import Foundation

/// A figure of the daily record, as the contract has it. A new one is a line here, a member of the contract, and a column
/// in both schemas.
struct RecordFigure: Sendable {
    let name: String
    /// Its column in both stores.
    let column: String
    let rule: Fields.Rule
    /// Its unit and meaning.
    let about: String
    /// The kind of data, by the name that coverage and quarters give it.
    let kind: String
    /// Whether it is the sum of its quarters of an hour, which a sensor observed.
    let isSum: Bool

    private init(
        _ name: String, _ column: String, of kind: String, isSum: Bool = false, _ about: String, _ rule: Fields.Rule
    ) {
        self.name = name
        self.kind = kind
        self.isSum = isSum
        self.column = column
        self.about = about
        self.rule = rule
    }

    /// In the order of the columns.
    static let all = [
        RecordFigure(
            "sleepDurationMin", "sleep_duration_min", of: "sleep", "minutes asleep of the main sleep",
            .integer(1...1440)),
        RecordFigure("wakeAt", "wake_at", of: "sleep", "the end of that sleep", .time),
        RecordFigure(
            "snsMinutesTotal", "sns_minutes_total", of: "screenTime", "minutes in social apps", .integer(0...1440)),
        RecordFigure("steps", "steps", of: "steps", isSum: true, "steps", .integer(0...150_000)),
        RecordFigure(
            "sedentaryMinutes", "sedentary_minutes", of: "motion", isSum: true, "minutes awake, worn and still",
            .integer(0...1440)),
        RecordFigure(
            "distanceM", "distance_m", of: "walks", isSum: true, "metres walked and run", .integer(0...200_000)),
        RecordFigure(
            "walkingCadence", "walking_cadence", of: "walks", "steps a minute, the median of the minutes of walking",
            .integer(1...300)),
        RecordFigure(
            "activeEnergyKcal", "active_energy_kcal", of: "walks", isSum: true,
            "kilocalories of walking and running, beyond those at rest",
            .integer(0...20_000)),
        RecordFigure(
            "workouts", "workouts", of: "walks", "the longer walks and runs that ended on the day",
            .objects(
                upTo: 8,
                required: [
                    "kind": .oneOf(["walking", "running"]), "start": .time, "minutes": .integer(1...1440),
                    "steps": .integer(0...150_000),
                ], optional: ["distanceM": .integer(0...200_000)])),
        RecordFigure(
            "flightsClimbed", "flights_climbed", of: "floors", isSum: true, "flights of stairs climbed on foot",
            .integer(0...2000)),
        RecordFigure(
            "restingHeartRate", "resting_heart_rate", of: "heart",
            "beats a minute, the least mean of half an hour awake and still",
            .integer(1...250)),
        RecordFigure(
            "heartRate", "heart_rate", of: "heart", "beats a minute, the least, median and greatest",
            .members(["min": .integer(1...250), "median": .integer(1...250), "max": .integer(1...250)])),
        RecordFigure(
            "mindfulMinutes", "mindful_minutes", of: "phone", "minutes of mindfulness that the phone reported",
            .integer(0...1440)),
        RecordFigure(
            "dietaryEnergyKcal", "dietary_energy_kcal", of: "phone", "kilocalories of food that the phone reported",
            .integer(0...20_000)),
    ]

    /// The kinds of data of some figures, by their names.
    static func kinds(of names: some Sequence<String>) -> Set<String> { Set(names.compactMap { named($0)?.kind }) }

    static func named(_ name: String) -> RecordFigure? { all.first { $0.name == name } }

    /// The form of its column in the stores.
    enum Form { case integer, time, json }

    var form: Form {
        switch rule {
        case .integer: .integer
        case .time: .time
        default: .json
        }
    }

    /// A stored value; nil if the text has another form.
    func value(of stored: String) -> JSON? {
        switch form {
        case .integer: Int64(stored).map(JSON.integer)
        case .time: .string(stored)
        case .json: JSON(Data(stored.utf8))
        }
    }
}

extension JSON {
    /// Its text in a store: JSON with sorted names, or the plain text of a number or a string.
    var stored: String {
        switch self {
        case .integer(let number): return String(number)
        case .string(let text): return text
        default:
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            // Strings and numbers can always be encoded.
            return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "null"
        }
    }
}
