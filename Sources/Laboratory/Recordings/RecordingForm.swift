/// A program's column names for acceleration with gravity. Names are compared without case, quotes and a trailing unit
/// in parentheses.
struct RecordingForm {
    /// The names of the time column; the first one found is used.
    let times: [String]
    let axes: [String]
    /// The unit if the names of the axes contain none.
    let unit: AccelerationUnit

    /// The known forms, as written by their programs in 2025; more specific ones first.
    static let all = [
        // phyphox, "Acceleration (with g)", in English and German.
        RecordingForm(
            times: ["time"], axes: ["acceleration x", "acceleration y", "acceleration z"], unit: .metrePerSecondSquared),
        RecordingForm(
            times: ["zeit", "time"], axes: ["beschleunigung x", "beschleunigung y", "beschleunigung z"],
            unit: .metrePerSecondSquared),
        // Sensor Logger, TotalAcceleration.csv.
        RecordingForm(times: ["seconds_elapsed"], axes: ["x", "y", "z"], unit: .metrePerSecondSquared),
        // SensorLog for iOS.
        RecordingForm(
            times: ["accelerometertimestamp_sincereboot", "loggingtime"],
            axes: ["accelerometeraccelerationx", "accelerometeraccelerationy", "accelerometeraccelerationz"], unit: .g),
        // ActiGraph's ActiLife, raw; its rows may have no times.
        RecordingForm(times: ["timestamp"], axes: ["accelerometer x", "accelerometer y", "accelerometer z"], unit: .g),
        // Axivity's OmGui, and actipy.
        RecordingForm(times: ["time", "timestamp"], axes: ["x", "y", "z"], unit: .g),
        // Physics Toolbox, "G-Force Meter".
        RecordingForm(times: ["time"], axes: ["gfx", "gfy", "gfz"], unit: .g),
    ]

    /// Whether a column has acceleration without gravity: phyphox's, and Physics Toolbox's "Linear Accelerometer".
    static func lacksGravity(_ column: ColumnName) -> Bool { column.base.hasPrefix("linear") || column.base == "ax" }
}

/// The name of a column: `Acceleration x (m/s^2)` has the base `acceleration x` and the unit `m/s^2`.
struct ColumnName: Equatable {
    let base: String
    let unit: String?

    init(_ name: String) {
        let name = name.lowercased()
        guard name.last == ")", let start = name.lastIndex(of: "(") else {
            (base, unit) = (name, nil)
            return
        }
        unit = String(name[name.index(after: start)...].dropLast())
        let base = name[..<start]
        self.base = String(base.last == " " ? base.dropLast() : base)
    }

    var accelerationUnit: AccelerationUnit? { unit.flatMap(AccelerationUnit.init(named:)) }
}

/// User-named columns, for a recording of an unknown form.
public struct RecordingColumns: Sendable {
    /// The names in the header, the time first.
    public let names: [String]
    public let unit: AccelerationUnit
    public let timeUnit: RecordingTimeUnit

    /// Nil unless there are four names.
    public init?(_ names: [String], unit: AccelerationUnit, timeUnit: RecordingTimeUnit) {
        guard names.count == 4 else { return nil }
        (self.names, self.unit, self.timeUnit) = (names, unit, timeUnit)
    }
}
