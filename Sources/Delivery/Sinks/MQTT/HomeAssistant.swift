import Domains
import System

/// The discovery messages for Home Assistant: see its documentation, "MQTT", "MQTT Discovery" and, for classes and
/// units, "Sensor".
struct HomeAssistant {
    let prefix: String
    let topics: BrokerTopics

    /// A topic and its retained payload; an empty payload removes the sensor.
    struct Message: Equatable {
        let topic: String
        let payload: [UInt8]
    }

    /// One for every possible sensor, so that sensors of forbidden figures are removed.
    func messages(of allowed: [Figure]) -> [Message] {
        var messages = Figure.all.filter(\.isSent).flatMap { figure in
            sensors(of: figure).map { object, sensor in
                Message(topic: topic(object), payload: allowed.contains(figure) ? sensor.utf8 : [])
            }
        }
        let isAnything = !allowed.isEmpty
        messages.append(Message(topic: topic("date"), payload: isAnything ? date.utf8 : []))
        messages.append(Message(topic: topic("sentAt"), payload: isAnything ? sentAt.utf8 : []))
        return messages
    }

    private func topic(_ object: String) -> String { "\(prefix)/sensor/\(node)/\(object)/config" }

    private var node: String { "anicca_\(topics.device)" }

    /// One for a figure; one for each column of a table with one row; for another table, the number of its rows.
    private func sensors(of figure: Figure) -> [(object: String, sensor: JSONObject)] {
        let name = figure.meaning.prefix(1).uppercased() + figure.meaning.dropFirst()
        let value = Self.member("\(figure)")
        guard let table = figure.table else {
            return [sensor(of: figure, "\(figure)", name, "\(value) | default(none)")]
        }
        guard table.hasOneRow else {
            return [sensor(of: figure, "\(figure)", name, "\(value) | count if \(value) is defined else none")]
        }
        return table.columns.map { column in
            sensor(
                of: figure, "\(figure)_\(column.name)", "\(name): \(column.name)",
                "(\(value) | default({})).\(column.name) | default(none)")
        }
    }

    private func sensor(
        of figure: Figure, _ object: String, _ name: String, _ value: String
    ) -> (object: String, sensor: JSONObject) {
        var sensor = sensor(object, named: name, at: topics.daily, value: value)
        switch (figure.form, figure.unit) {
        case (.time, _): sensor.put("device_class", "timestamp")
        case (_, .minutes):
            sensor.put("device_class", "duration")
            sensor.put("unit_of_measurement", "min")
            sensor.put("state_class", "measurement")
        case (_, .count(let unit)):
            if let unit { sensor.put("unit_of_measurement", unit) }
            sensor.put("state_class", "measurement")
        }
        return (object, sensor)
    }

    /// A member of the message, in a template.
    private static func member(_ name: String) -> String { "(value_json | default({})).\(name)" }

    /// The date of the figures.
    private var date: JSONObject {
        var sensor = sensor("date", named: "Day", at: topics.daily)
        sensor.put("device_class", "date")
        sensor.put("entity_category", "diagnostic")
        return sensor
    }

    private var sentAt: JSONObject {
        var sensor = sensor("sentAt", named: "Last delivery", at: topics.status)
        sensor.put("device_class", "timestamp")
        sensor.put("entity_category", "diagnostic")
        return sensor
    }

    /// A day without a figure, or a withdrawn daily message, leaves the sensor without a value: `None`.
    private func sensor(_ object: String, named name: String, at topic: String, value: String? = nil) -> JSONObject {
        var device = JSONObject()
        device.put("identifiers", node)
        device.put("name", "Anicca \(topics.device)")
        device.put("manufacturer", "Anicca Edge")
        device.put("sw_version", aniccaVersion)
        var origin = JSONObject()
        origin.put("name", "anicca-edge")
        origin.put("sw_version", aniccaVersion)
        var sensor = JSONObject()
        sensor.put("name", name)
        sensor.put("unique_id", "\(node)_\(object)")
        sensor.put("state_topic", topic)
        sensor.put("value_template", "{{ \(value ?? "\(Self.member(object)) | default(none)") }}")
        sensor.put("device", device)
        sensor.put("origin", origin)
        return sensor
    }
}
