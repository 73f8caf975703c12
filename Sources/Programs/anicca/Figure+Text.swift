import Commands
import Domains
import Core

extension Int64 {
    /// The value of a figure, for people and for programs.
    func json(as figure: Figure) -> any JSONValue {
        figure.form == .time ? WallTime(secondsSinceEpoch: self) : self
    }

    func text(as figure: Figure) -> String { json(as: figure).description }
}

extension Source {
    private var words: (name: String, device: String) {
        switch self {
        case .imu: ("imu", "accelerometer")
        case .pulses: ("pulses", "step sensor")
        case .companion: ("companion", "paired phone")
        case .gps: ("gps", "gpsd")
        case .session: ("session", "all devices")
        default: ("source \(rawValue)", "device of another version")
        }
    }

    /// For programs.
    var name: String { words.name }

    /// For people, in the words of `anicca permissions`.
    var device: String { words.device }
}
