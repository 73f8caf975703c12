import Commands
import Domains
import Quantities

extension Int64 {
    /// The value of a figure, for people and for programs.
    func json(as figure: Figure) -> any JSONValue {
        figure.form == .time ? WallTime(secondsSinceEpoch: self) : self
    }

    func text(as figure: Figure) -> String { json(as: figure).description }
}

extension Source {
    /// For programs.
    var name: String {
        switch self {
        case .imu: "imu"
        case .pulses: "pulses"
        case .companion: "companion"
        case .gps: "gps"
        case .session: "session"
        default: "source \(rawValue)"
        }
    }

    /// For people, in the words of `anicca permissions`.
    var device: String {
        switch self {
        case .imu: "accelerometer"
        case .pulses: "step sensor"
        case .companion: "paired phone"
        case .gps: "gpsd"
        case .session: "all devices"
        default: "device of another version"
        }
    }
}
