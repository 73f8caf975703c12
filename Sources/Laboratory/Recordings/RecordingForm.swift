/// How a program that people record with names the columns of acceleration with gravity. Names are compared without case, quotes and
/// the unit in parentheses behind them.
struct RecordingForm {
    /// The column of the time: the first that is there.
    let times: [String]
    let axes: [String]
    /// Where the names of the axes tell none.
    let unit: AccelerationUnit

    /// Those that are known, as their programs write them in 2025; the more particular first.
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
        // ActiGraph's ActiLife, raw; its rows may have no time of their own.
        RecordingForm(times: ["timestamp"], axes: ["accelerometer x", "accelerometer y", "accelerometer z"], unit: .g),
        // Axivity's OmGui, and actipy.
        RecordingForm(times: ["time", "timestamp"], axes: ["x", "y", "z"], unit: .g),
        // Physics Toolbox, "G-Force Meter".
        RecordingForm(times: ["time"], axes: ["gfx", "gfy", "gfz"], unit: .g),
    ]

    /// Whether a column is of acceleration without gravity: phyphox's, and Physics Toolbox's "Linear Accelerometer".
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

/// Columns that a person names, of a recording whose form is not known.
public struct RecordingColumns: Sendable {
    /// As the header names them, the time first.
    public let names: [String]
    public let unit: AccelerationUnit
    public let timeUnit: RecordingTimeUnit

    /// Nil unless there are four names.
    public init?(_ names: [String], unit: AccelerationUnit, timeUnit: RecordingTimeUnit) {
        guard names.count == 4 else { return nil }
        (self.names, self.unit, self.timeUnit) = (names, unit, timeUnit)
    }
}
