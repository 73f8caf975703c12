import Config
import Domains
import System
import Core

/// The topics of this device.
struct BrokerTopics: Hashable {
    /// `anicca/<device>`.
    let root: String
    let device: String

    init(_ settings: Settings.MQTT, device: String) {
        root = "\(settings.topic)/\(device)"
        self.device = device
    }

    var daily: String { "\(root)/daily" }
    var event: String { "\(root)/event" }
    /// Answers to events, which others publish.
    var answer: String { "\(root)/answer" }
    /// The time of the last delivery, and the version of the program.
    var status: String { "\(root)/status" }

    /// Requests to erase delivered data.
    var erasure: String { "\(root)/erasure" }

    func topic(of content: SinkRecord.Content) -> String {
        switch content {
        case .day: daily
        case .event: event
        case .erasure: erasure
        }
    }
}

/// The payloads, in JSON: the same as for a server, but without the user id, because the login identifies it.
enum BrokerPayload {
    /// Without the key, which belongs to the record and not to its content.
    static func body(_ content: SinkRecord.Content, settings: DomainValues = DomainValues()) -> JSONObject {
        switch content {
        case .day(let day, let figures, _):
            var body = JSONObject()
            body.put("date", day.description)
            body.put(figures: figures)
            return body
        case .event(let event): return .nudge(event, settings)
        case .erasure(let figures, let events, let until):
            return .erasure(figures: figures, events: events, until: until)
        }
    }

    /// The body with the idempotency key as its first member, for subscribers that see no user properties.
    static func message(_ body: [UInt8], key: String) -> [UInt8] {
        var front = JSONObject()
        front.put("key", key)
        guard body.count > 2 else { return front.utf8 }
        return front.utf8.dropLast() + [UInt8(ascii: ",")] + body.dropFirst()
    }

    static func status(at time: WallTime) -> [UInt8] {
        var status = JSONObject()
        status.put("sentAt", time.description)
        status.put("version", aniccaVersion)
        return status.utf8
    }
}
