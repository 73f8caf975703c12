/// In what a recording gives acceleration.
public enum AccelerationUnit: Hashable, Sendable {
    /// The columns x_mg, y_mg and z_mg.
    case thousandthOfG
    /// phyphox's "Acceleration x (m/s^2)" and so on.
    case metrePerSecondSquared

    /// So many are 1 g, standard gravity.
    var perG: Double { self == .thousandthOfG ? 1000 : 9.80665 }

    /// What the header promises.
    var promise: String {
        switch self {
        case .thousandthOfG: "x_mg, y_mg, z_mg are thousandths of g and include gravity"
        case .metrePerSecondSquared: "the columns are in m/s^2 and include gravity"
        }
    }

    /// What the numbers may be instead, when gravity is `felt` g in them.
    func suspicion(felt: Double) -> String {
        switch felt * perG {
        case 8...12 where self == .thousandthOfG: "these look like m/s^2, of which one is 101.97 thousandths of g"
        case 0.8...1.2: "these look like g"
        case ..<perG: "check the unit, and that gravity has not been taken away"
        default: "check the unit"
        }
    }
}
