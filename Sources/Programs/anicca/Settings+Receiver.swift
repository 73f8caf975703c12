import Config

extension Settings {
    /// For people: the receiver of data that leaves this device, which is also asked to erase it.
    var receiver: String {
        guard mqtt.broker != nil else { return "server" }
        return server.baseURL == nil ? "broker" : "receiver"
    }
}
