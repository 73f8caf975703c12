import Domains
import System
import Core
import Simulation

/// The truth, the received record, and the cost, by day.
struct DemoReport {
    struct Row {
        let truth: DemoWorld.Truth
        let record: ReceivedRecords.Day?
        /// The times of events for long sitting.
        let eventTimes: [String]
        /// The times of events for social-app thresholds.
        let socialTimes: [String]
        let cost: DayCost?

        var events: [String] { (eventTimes + socialTimes).sorted() }
    }

    /// For each day's steps, and for the total sitting of a life long enough for errors to average out.
    private static let tolerance = 0.02
    /// For each day's sitting. A still evening before the night may count as sleep, and lying awake in bed as sitting.
    private static let minuteTolerance: Int64 = 60
    private static let longLife = 7

    let rows: [Row]
    private let scene: DemoScene?
    let recordsReceived: Int
    let eventsReceived: Int
    private let alarm: DemoAlarm
    /// Nil without a simulated receiver of positions.
    private let places: DemoPlaces?
    private let events: [ReceivedRecords.Event]
    /// Nil without `--all`.
    private let bodies: [DemoBody]?

    init(
        world: DemoWorld, costs: [DayCost], received: ReceivedRecords, alarm: DemoAlarm, places: DemoPlaces,
        withBody: Bool = false
    ) {
        self.alarm = alarm
        self.places = world.devices.receiver == nil ? nil : places
        events = received.events
        rows = world.truths.map { truth in
            let date = truth.day.description
            func times(_ kind: EventKind) -> [String] {
                received.events.filter { $0.eventType == kind.description && $0.timestamp.hasPrefix(date) }
                    .map { String($0.timestamp.dropFirst(11).prefix(5)) }
            }
            return Row(
                truth: truth, record: received.days.first { $0.date == date },
                eventTimes: times(.sedentaryLong), socialTimes: times(.socialThresholdExceeded),
                cost: costs.first { $0.day == truth.day })
        }
        let sensed = rows.prefix { !$0.truth.lacksMotion }
        bodies =
            withBody
            ? rows.enumerated().compactMap { DemoBody($1, isSensed: $0 < sensed.count) } : nil
        scene = world.scene
        recordsReceived = received.days.count
        eventsReceived = received.events.count
    }

    /// The first deviation from the expected result; nil if every day arrived once and agrees with the truth.
    var shortfall: String? {
        if recordsReceived != rows.count { return "\(recordsReceived) records arrived for \(rows.count) days" }
        for row in rows {
            guard let record = row.record else { return "no record arrived for \(row.truth.day)" }
            if let steps = row.truth.steps, abs((record.steps ?? 0) - steps) > Int(Double(steps) * Self.tolerance) {
                return "\(row.truth.day): \(record.steps ?? 0) steps arrived, \(steps) were taken"
            }
            if row.truth.lacksMotion, record.sedentaryMinutes != nil {
                return "\(row.truth.day): sedentary minutes arrived although motion was off"
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
            if let minutes = row.truth.socialMinutes {
                if record.snsMinutesTotal != minutes {
                    return "\(row.truth.day): \(record.snsMinutesTotal ?? 0) minutes of social apps for \(minutes)"
                }
                if row.socialTimes.count != DemoPhone.eventsADay {
                    return "\(row.truth.day): \(row.socialTimes.count) events about social apps"
                }
            }
        }
        return sittingShortfall ?? bodies?.lazy.compactMap(\.shortfall).first ?? places?.shortfall(events)
    }

    /// The deviation of the total sitting, in a long life.
    private var sittingShortfall: String? {
        let judged = rows.filter { !$0.truth.lacksMotion && $0.truth.sedentaryMinutes != nil }
        let spent = judged.reduce(0) { $0 + ($1.truth.sedentaryMinutes ?? 0) }
        let arrived = judged.reduce(0) { $0 + Int64($1.record?.sedentaryMinutes ?? 0) }
        guard judged.count >= Self.longLife, abs(arrived - spent) > Int64(Double(spent) * Self.tolerance) else {
            return nil
        }
        return "\(arrived) sedentary minutes arrived in all, \(spent) were spent"
    }
}

// MARK: - For people

extension DemoReport {
    private static let header = [
        "day", "steps", "true", "sedentary", "true", "asleep", "until", "social", "events (UTC)", "wake-ups",
        "I²C bytes",
        "bus ms", "IMU on", "stored",
    ]

    var lines: [String] {
        let table =
            [Self.header]
            + rows.map { row -> [String] in
                let cost = row.cost
                return [
                    row.truth.day.description, text(row.record?.steps), text(row.truth.steps),
                    row.truth.lacksMotion && row.record?.sedentaryMinutes == nil
                        ? "left out" : text(row.record?.sedentaryMinutes),
                    text(row.truth.sedentaryMinutes),
                    text(row.record?.sleepDurationMin),
                    row.record?.wakeAt.map { String($0.dropFirst(11).prefix(5)) } ?? "-",
                    text(row.record?.snsMinutesTotal),
                    row.events.isEmpty ? "-" : row.events.joined(separator: " "), text(cost?.wakeUps),
                    text(cost?.busBytes), text(cost?.busTime.inMilliseconds),
                    cost.map { shareText($0.sensorShare) } ?? "-",
                    cost.map { "\($0.storeBytes / 1000) kB" } ?? "-",
                ]
            }
        let summary = "\(recordsReceived) daily records and \(eventsReceived) events arrived, each once"
        var lines = aligned(table) + (bodies.map(DemoBody.lines) ?? []) + sceneLines
        lines.append(alarm.text)
        if let visited = places?.text(events) { lines.append(visited) }
        lines.append(shortfall == nil ? "\(summary): all figures match the truth." : summary)
        return lines
    }

    private var sceneLines: [String] {
        guard let scene else { return [] }
        return [""] + scene.moments.map { "\($0.time)  \($0.text)" } + [""]
    }

    private func text(_ value: (some BinaryInteger)?) -> String { value.map { "\($0)" } ?? "-" }
}

// MARK: - For programs

extension DemoReport {
    /// A line for each day, and one for the total.
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
        if let minutes = row.record?.sleepDurationMin { json.put("sleepDurationMin", minutes) }
        if let time = row.record?.wakeAt { json.put("wakeAt", time) }
        if let minutes = row.record?.snsMinutesTotal { json.put("snsMinutesTotal", minutes) }
        if bodies != nil { DemoBody(row, isSensed: true)?.put(into: &json) }
        json.put("events", row.events.joined(separator: " "))
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
        json.put("alarmPlayed", alarm.isPlayed)
        json.put("nudgesPlayed", alarm.nudges)
        json.put("asTrue", shortfall == nil)
        return json
    }
}
