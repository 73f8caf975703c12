import Commands
import Core
import Signal

/// Figures of acceleration for people.
enum SensorFigures {
    /// `12.3 mg`
    static func mg(_ value: Float) -> String { "\(decimals(value * 1000, 1)) mg" }

    /// `x +12.3 mg, y -2.1 mg, z +0.0 mg`
    static func signedMg(_ value: Acceleration) -> String {
        each(value) { ($0 < 0 ? "" : "+") + mg($0) }
    }

    static func mg(_ value: Acceleration) -> String { each(value) { mg($0) } }

    static func each(_ value: Acceleration, _ text: (Float) -> String) -> String {
        Axis.allCases.map { "\($0) \(text(value[$0]))" }.joined(separator: ", ")
    }

    /// With `digits` decimal places; NaN and infinity are shown as such.
    static func decimals(_ value: Float, _ digits: Int) -> String {
        guard value.isFinite, value.magnitude < 1e6 else { return "\(value)" }
        let factor = (0..<digits).reduce(1.0) { factor, _ in factor * 10 }
        return decimal(Int64((Double(value) * factor).rounded()), digits: digits)
    }
}

extension Direction {
    /// `x up`: the direction of the axis when gravity acts this way; at rest a sensor measures the upward support.
    var upwards: String { "\(axis) \(isPositive ? "up" : "down")" }
}

extension Acceleration {
    /// The direction of the sensor closest to upward at rest.
    var upward: Direction {
        Direction.all.max { part(along: $0) < part(along: $1) } ?? Direction(.z, isPositive: true)
    }
}
