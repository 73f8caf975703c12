import Commands
import Core
import Delivery
import Domains
import System

extension FigureValue {
    /// For programs.
    func json(as figure: Figure) -> any JSONValue {
        guard let table = figure.table else {
            return figure.form == .time ? WallTime(secondsSinceEpoch: number) : number
        }
        let rows = table.json(of: self)
        return table.hasOneRow ? rows.first ?? JSONObject() : rows
    }

    /// For people: for a table, `min 52, max 61`, or the number of its rows.
    func text(as figure: Figure) -> String {
        guard let table = figure.table else { return json(as: figure).description }
        guard table.hasOneRow else { return "\(table.rows(of: self).count)" }
        return zip(table.columns, numbers).map { "\($0.name) \($0.text(of: $1) ?? "-")" }.joined(separator: ", ")
    }
}

extension Source {
    private var words: (name: String, device: String) {
        switch self {
        case .imu: ("imu", "accelerometer")
        case .pulses: ("pulses", "step sensor")
        case .companion: ("companion", "paired phone")
        case .gps: ("gps", "gpsd")
        case .session: ("session", "all devices")
        case .barometer: ("barometer", "barometer")
        case .pulseOximeter: ("pulseOximeter", "pulse oximeter")
        default: ("source \(rawValue)", "device of another version")
        }
    }

    /// For programs.
    var name: String { words.name }

    /// For people, with the terms of `anicca permissions`.
    var device: String { words.device }
}
