import Commands
import Domains
import System
import Core
import Signal

/// The screen of `anicca watch`: lines for a terminal of 80 columns and 24 lines.
struct WatchPicture {
    let view: LiveView
    /// The place of the sensor: `/dev/i2c-1, MPU-6050 at 0x68`.
    let place: String
    let time: WallTime
    /// Whether a daemon lent the sensor.
    let isLent: Bool

    static let width = 80
    /// The width of a bar, and the acceleration at its ends, in g.
    private static let bar = 57
    private static let most: Float = 2

    var lines: [String] {
        var lines = [
            "anicca watch   \(place)   \(time)",
            isLent
                ? "aniccad has lent its sensor: it collects no data from it until this ends."
                : "aniccad does not run.",
            "",
        ]
        lines += axes + [""] + rows.map { "  " + pad($0.name, to: 12) + $0.text }
        lines += ["", "q ends; i puts the chip to rest with motion detection, to test its line."]
        return lines.flatMap { fitted($0, to: Self.width) }.map { String($0.prefix(Self.width)) }
    }

    private var axes: [String] {
        guard view.permitted.acceleration else {
            return ["  The accelerometer is not read: motion, sleep and steps are off."]
        }
        if view.isWatchingForMotion {
            return ["  The chip rests and watches for motion: move it, and count the interrupts."]
        }
        guard let acceleration = view.acceleration else { return ["  No sample yet."] }
        let axes = [
            ("x", acceleration.x), ("y", acceleration.y), ("z", acceleration.z), ("|a|", acceleration.magnitude),
        ]
        return axes.map { name, value in
            "  " + pad(name, to: 4) + pad(value.inThousandths, to: 7, .right) + " g  " + Self.bar(of: value)
        }
    }

    /// A bar from the middle to the value; its end is `>` or `<` for a value out of range.
    static func bar(of value: Float) -> String {
        let middle = bar / 2
        let reach = Float(middle)
        let end = value.isFinite ? Int((max(-most, min(most, value)) / most * reach).rounded()) + middle : middle
        var cells = [Character](repeating: " ", count: bar)
        for cell in min(end, middle)...max(end, middle) { cells[cell] = "=" }
        cells[middle] = "|"
        if value > most { cells[bar - 1] = ">" }
        if value < -most { cells[0] = "<" }
        return "[" + String(cells) + "]"
    }

    private var rows: [(name: String, text: String)] {
        var rows: [(name: String, text: String)] = []
        if view.permitted.acceleration {
            let judged = view.judgement.map { "\($0.activity), confidence \($0.confidence)" }
            rows.append(("activity", judged ?? "after 5 seconds"))
        }
        if view.permitted.steps {
            rows.append(("cadence", view.cadence.map { "\(Int($0.rounded())) steps a minute" } ?? "no walk"))
            rows.append(("steps", "\(view.steps) since the start"))
        }
        if let pulses = view.pulses { rows.append(("pulses", "\(pulses)")) }
        if let interrupts = view.interrupts { rows.append(("interrupts", "\(interrupts)")) }
        if let receiver = view.receiver { rows.append(("position", receiver.text)) }
        rows.append(("on", names(where: true)))
        rows.append(("off", names(where: false)))
        if let fault = view.fault { rows.append(("fault", escapingControls(fault))) }
        return rows
    }

    private func names(where isOn: Bool) -> String {
        let names = Domain.all.filter { view.on.allows($0) == isOn }.map(\.description)
        return names.isEmpty ? "nothing" : names.joined(separator: ", ")
    }
}

extension LiveView.Receiver {
    fileprivate var text: String {
        switch self {
        case .away(let reason): return escapingControls(reason)
        case .searching: return "no fix yet"
        case .fix(let metres, let speed):
            let error = metres.map { ", good to \(Int($0.rounded())) m" } ?? ""
            return "fix" + error + (speed.map { ", \(Int(($0 * 3.6).rounded())) km/h" } ?? "")
        }
    }
}

extension Float {
    /// With three decimals, and a sign if negative: `-0.012`.
    fileprivate var inThousandths: String { isFinite ? decimal(Int64((self * 1000).rounded()), digits: 3) : "?" }
}
