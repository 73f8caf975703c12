import Commands
import System
import Core
import Simulation

/// The agreement of nights, sampled in one way, with the truth.
struct NightScore {
    let name: String
    /// Half minutes in bed, by the truth and by the result: awake first.
    private var counts = [[0.0, 0.0], [0.0, 0.0]]
    /// The error of the time asleep, in minutes, for each night.
    private var errors: [Double] = []
    /// The errors of the time in bed's edges, in minutes.
    private var edges: [Double] = []
    private var nights = 0
    private var cost: NightTrial.Cost?

    init(_ name: String) { self.name = name }

    mutating func add(_ trial: NightTrial, of plan: NightPlan) {
        nights += 1
        for (found, truth) in zip(trial.asleep(in: plan), plan.asleep) { counts[truth ? 1 : 0][found ? 1 : 0] += 1 }
        if let more = trial.cost { cost = (cost ?? NightTrial.Cost()) + more }
        let found = trial.main
        errors.append((found.map { $0.length.minutes } ?? 0) - plan.asleepTime.minutes)
        guard let found else { return }
        edges.append((NightTrial.time(found.start) - plan.bed).minutes.magnitude)
        edges.append((NightTrial.time(found.end) - plan.up).minutes.magnitude)
    }

    private var sensitivity: Double { counts[1][1] / max(counts[1][0] + counts[1][1], 1) }
    private var specificity: Double { counts[0][0] / max(counts[0][0] + counts[0][1], 1) }

    /// Cohen's κ: 1 for full agreement, 0 for chance agreement.
    var kappa: Double {
        let all = counts.joined().reduce(0, +)
        let agreed = (counts[0][0] + counts[1][1]) / all
        let awake = (counts[0][0] + counts[0][1]) * (counts[0][0] + counts[1][0])
        let asleep = (counts[1][0] + counts[1][1]) * (counts[0][1] + counts[1][1])
        let chance = (awake + asleep) / (all * all)
        return chance < 1 ? (agreed - chance) / (1 - chance) : 0
    }

    private var bias: Double { errors.reduce(0, +) / Double(max(errors.count, 1)) }
    private var medianEdge: Double? { edges.isEmpty ? nil : edges.sorted()[edges.count / 2] }
    private var perNight: Double { 1 / Double(max(nights, 1)) }

    static let header = [
        "sampling", "sensitivity", "specificity", "kappa", "asleep", "edges", "wake-ups", "bus", "charge",
    ]

    var cells: [String] {
        [
            name, shareText(sensitivity), shareText(specificity), text(kappa, 1000),
            "\(bias < 0 ? "" : "+")\(text(bias, 10)) min", medianEdge.map { "\(text($0, 10)) min" } ?? "none",
            cost.map { "\(Int((Double($0.wakeUps) * perNight).rounded()))" } ?? "",
            cost.map { "\(text(Double($0.busTime.inMilliseconds) / 1000 * perNight, 10)) s" } ?? "",
            cost.map { "\(text($0.charge * perNight, 100)) mAh" } ?? "",
        ]
    }

    var json: JSONObject {
        var json = JSONObject()
        json.put("sampling", name)
        json.put("nights", nights)
        json.put("sensitivityPermille", Int((sensitivity * 1000).rounded()))
        json.put("specificityPermille", Int((specificity * 1000).rounded()))
        json.put("kappaPermille", Int((kappa * 1000).rounded()))
        json.put("asleepBiasSeconds", Int((bias * 60).rounded()))
        if let medianEdge { json.put("edgeMedianSeconds", Int((medianEdge * 60).rounded())) }
        guard let cost else { return json }
        json.put("wakeUps", Int((Double(cost.wakeUps) * perNight).rounded()))
        json.put("busMilliseconds", Int((Double(cost.busTime.inMilliseconds) * perNight).rounded()))
        json.put("chargeMicroampereHours", Int((cost.charge * 1000 * perNight).rounded()))
        return json
    }

    private func text(_ value: Double, _ parts: Double) -> String { "\((value * parts).rounded() / parts)" }
}

extension Interval {
    fileprivate var minutes: Double { Double(nanoseconds) / 60_000_000_000 }
}
