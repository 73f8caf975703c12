import Program
import Quantities
import Simulation

/// The truth, the record at the receiver, and the cost, by day.
struct DemoReport {
    struct Row {
        let truth: DemoWorld.Truth
        let record: ReceivedRecords.Day?
        let eventTimes: [String]
        let cost: DayCost?
    }

    private static let stepTolerance = 0.02
    private static let minuteTolerance: Int64 = 5

    let rows: [Row]
    private let scene: DemoScene?
    let recordsReceived: Int
    let eventsReceived: Int

    init(world: DemoWorld, costs: [DayCost], received: ReceivedRecords) {
        rows = world.truths.map { truth in
            let date = truth.day.description
            return Row(
                truth: truth, record: received.days.first { $0.date == date },
                eventTimes: received.events.filter { $0.timestamp.hasPrefix(date) }.map {
                    String($0.timestamp.dropFirst(11).prefix(5))
                },
                cost: costs.first { $0.day == truth.day })
        }
        scene = world.scene
        recordsReceived = received.days.count
        eventsReceived = received.events.count
    }

    /// The first deviation from the expected result; nil when every day arrived once and agrees with the known truth.
    var shortfall: String? {
        if recordsReceived != rows.count { return "\(recordsReceived) records arrived for \(rows.count) days" }
        for row in rows {
            guard let record = row.record else { return "no record arrived for \(row.truth.day)" }
            if let steps = row.truth.steps, abs((record.steps ?? 0) - steps) > Int(Double(steps) * Self.stepTolerance) {
                return "\(row.truth.day): \(record.steps ?? 0) steps arrived, \(steps) were taken"
            }
            if row.truth.lacksMotion, record.sedentaryMinutes != nil {
                return "\(row.truth.day): sedentary minutes arrived although motion was taken away"
            }
            if let minutes = row.truth.sedentaryMinutes, !row.truth.lacksMotion,
                abs(Int64(record.sedentaryMinutes ?? 0) - minutes) > Self.minuteTolerance
            {
                return
                    "\(row.truth.day): \(record.sedentaryMinutes ?? 0) sedentary minutes arrived, \(minutes) were spent"
            }
            if let sittings = row.truth.longSittings, sittings != row.eventTimes.count {
                return "\(row.truth.day): \(row.eventTimes.count) events arrived for \(sittings) long sittings"
            }
        }
        return nil
    }
}

// MARK: - For people

extension DemoReport {
    private static let header = [
        "day", "steps", "true", "sedentary", "true", "events (UTC)", "wake-ups", "I²C bytes", "bus ms", "IMU on",
        "stored",
    ]

    var table: String {
        let lines =
            [Self.header]
            + rows.map { row in
                let cost = row.cost
                return [
                    row.truth.day.description, text(row.record?.steps), text(row.truth.steps),
                    row.truth.lacksMotion && row.record?.sedentaryMinutes == nil
                        ? "left out" : text(row.record?.sedentaryMinutes),
                    text(row.truth.sedentaryMinutes),
                    row.eventTimes.isEmpty ? "-" : row.eventTimes.joined(separator: " "), text(cost?.wakeUps),
                    text(cost?.busBytes), text(cost?.busTime.inMilliseconds),
                    cost.map { shareText($0.sensorShare) } ?? "-",
                    cost.map { "\($0.storeBytes / 1000) kB" } ?? "-",
                ]
            }
        let summary = "\(recordsReceived) daily records and \(eventsReceived) events arrived, each once"
        return (aligned(lines) + sceneLines + [shortfall == nil ? "\(summary): all as it was." : summary])
            .joined(separator: "\n")
    }

    private var sceneLines: [String] {
        guard let scene else { return [] }
        return [""] + scene.moments.map { "\($0.time)  \($0.text)" } + [""]
    }

    private func text(_ value: (some BinaryInteger)?) -> String { value.map { "\($0)" } ?? "-" }
}

// MARK: - For programs

extension DemoReport {
    /// A line for each day, and one for the whole.
    var json: String { (rows.map(json) + [summary.description]).joined(separator: "\n") }

    private func json(_ row: Row) -> String {
        var json = JSONObject()
        json.put("kind", "day")
        json.put("date", row.truth.day.description)
        if let steps = row.record?.steps { json.put("steps", steps) }
        if let steps = row.truth.steps { json.put("trueSteps", steps) }
        if let minutes = row.record?.sedentaryMinutes { json.put("sedentaryMinutes", minutes) }
        if let minutes = row.truth.sedentaryMinutes { json.put("trueSedentaryMinutes", minutes) }
        if row.truth.lacksMotion { json.put("motionTakenAway", true) }
        json.put("events", row.eventTimes.joined(separator: " "))
        if let cost = row.cost {
            json.put("wakeUps", cost.wakeUps)
            json.put("i2cBytes", cost.busBytes)
            json.put("i2cMs", cost.busTime.inMilliseconds)
            json.put("imuOnPermille", Int((cost.sensorShare * 1000).rounded()))
            json.put("storeBytes", cost.storeBytes)
        }
        return json.description
    }

    private var summary: JSONObject {
        var json = JSONObject()
        json.put("kind", "summary")
        json.put("records", recordsReceived)
        json.put("events", eventsReceived)
        json.put("asTrue", shortfall == nil)
        return json
    }
}
