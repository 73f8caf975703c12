/// The unit of acceleration in a recording.
public enum AccelerationUnit: Hashable, Sendable {
    /// The columns x_mg, y_mg and z_mg.
    case thousandthOfG
    /// phyphox's "Acceleration x (m/s^2)" and so on.
    case metrePerSecondSquared
    case g

    /// Nil for an unknown name; accepts the names used by people and programs.
    public init?(named name: String) {
        switch name.lowercased() {
        case "m/s^2", "m/s2", "m/s\u{B2}": self = .metrePerSecondSquared
        case "g": self = .g
        case "mg": self = .thousandthOfG
        default: return nil
        }
    }

    /// The number of units in 1 g, standard gravity.
    var perG: Double {
        switch self {
        case .thousandthOfG: 1000
        case .metrePerSecondSquared: 9.80665
        case .g: 1
        }
    }

    /// The meaning of the header's columns, for an error message.
    var promise: String {
        switch self {
        case .thousandthOfG: "x_mg, y_mg, z_mg are thousandths of g and include gravity"
        case .metrePerSecondSquared: "the columns are in m/s^2 and include gravity"
        case .g: "the columns are in g and include gravity"
        }
    }

    /// A guess at the true unit, for an error message, if the data show `felt` g of gravity.
    func suspicion(felt: Double) -> String {
        switch felt * perG {
        case 8...12 where self == .thousandthOfG: "these look like m/s^2, of which one is 101.97 thousandths of g"
        case 8...12 where self == .g: "these look like m/s^2"
        case 800...1200: "these look like thousandths of g"
        case 0.8...1.2: "these look like g"
        case ..<perG: "check the unit, and that gravity has not been taken away"
        default: "check the unit"
        }
    }
}
