import Config

extension Settings {
    /// For people: who gets what leaves this device, and is asked to erase it.
    var receiver: String {
        guard mqtt.broker != nil else { return "server" }
        return server.baseURL == nil ? "broker" : "receiver"
    }
}
