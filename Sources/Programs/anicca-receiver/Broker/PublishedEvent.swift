import Foundation

/// An event that a device published (docs/mqtt.md): as a server gets it, with its key as a member.
struct PublishedEvent: Sendable {
    /// The level of the topic that names the device.
    let device: String
    /// A UUID of version 4 in lower case.
    let key: String
    let event: Event

    /// Throws a `Refusal` for any other message.
    init(_ message: EventBroker.Message) throws(Endpoint.Refusal) {
        let levels = message.topic.split(separator: "/", omittingEmptySubsequences: false)
        let body = try Endpoint.fields(of: message.payload)
        guard levels.count >= 2, let key = body.text("key"), UUIDText.isRandom(key) else {
            throw Endpoint.Refusal(description: "the message lacks its key")
        }
        device = String(levels[levels.count - 2])
        self.key = key
        event = try Event(Fields(.object(body.values.filter { $0.key != "key" }), name: body.name))
    }

    /// The answer to it; without a nudge too, so that the device does not wait any longer.
    func answer(_ nudge: Nudge?) -> JSON {
        .object(["key": .string(key)].merging(nudge.map { ["nudge": $0.json] } ?? [:]) { key, _ in key })
    }
}
