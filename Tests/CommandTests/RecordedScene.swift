import Foundation

/// A made-up recording of a sensor at the waist, in g.
struct RecordedScene {
    var rate = 50.0
    /// In seconds, one after the other.
    var parts: [(kind: Kind, length: Double)]

    enum Kind {
        /// A sitting wearer, who sways as a body does.
        case sitting
        /// A walk, of so many steps a second.
        case walking(cadence: Double)
        case lyingOnATable
        /// Nothing was recorded.
        case pause
    }

    typealias Row = (seconds: Double, x: Double, y: Double, z: Double)

    var rows: [Row] {
        var rows: [Row] = []
        var start = 0.0
        for (kind, length) in parts {
            for index in 0..<Int((length * rate).rounded()) {
                let time = Double(index) / rate
                guard let felt = kind.felt(at: time) else { continue }
                rows.append((start + time, felt.x, felt.y, felt.z))
            }
            start += length
        }
        return rows
    }

    /// Milliseconds and thousandths of g.
    var csv: String {
        "t_ms,x_mg,y_mg,z_mg\n"
            + rows.map { row in
                let numbers = [row.seconds, row.x, row.y, row.z].map { "\(Int(($0 * 1000).rounded()))" }
                return numbers.joined(separator: ",") + "\n"
            }.joined()
    }
}

extension RecordedScene.Kind {
    fileprivate func felt(at time: Double) -> (x: Double, y: Double, z: Double)? {
        switch self {
        case .pause: nil
        case .lyingOnATable: (0, 0, 1)
        case .sitting: sit(time)
        case .walking(let cadence): walk(phase: 2 * .pi * cadence * time)
        }
    }

    /// Leans to the other side every twenty minutes, because a wearer who is still for 45 is taken for asleep.
    private func sit(_ time: Double) -> (x: Double, y: Double, z: Double) {
        let lean = Int(time / 1200) % 2 == 0 ? 0.2 : 0.4
        return (0.012 * sin(1.3 * time), sin(lean) + 0.008 * sin(0.9 * time), cos(lean))
    }

    private func walk(phase: Double) -> (x: Double, y: Double, z: Double) {
        (0.1 * sin(phase / 2), 0.1 * cos(phase), 1 + 0.3 * sin(phase) - 0.12 * cos(2 * phase))
    }
}
