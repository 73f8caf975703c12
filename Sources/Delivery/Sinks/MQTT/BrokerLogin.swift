import Config
import System
import Store

/// The data needed to connect to the broker, from the settings and their files.
struct BrokerLogin {
    /// A file that does not exist yet.
    struct Missing: Error {
        let what: String
    }

    let address: BrokerAddress
    let topics: BrokerTopics
    let homeAssistant: String?
    /// Whether an answer to an event may hold a nudge.
    let takesNudges: Bool
    /// See `Sink.account` and `Sink.setUp`. The same user and topics at another broker are the same account.
    let account: [UInt8]
    /// With the address of the broker. Earlier versions used it as the account.
    let place: [UInt8]
    let setUp: [UInt8]
    private let settings: Settings.MQTT
    private let password: Secret?

    /// Fails if records should wait for a file.
    static func read(_ settings: Settings.MQTT) throws(SinkUnusable) -> Result<BrokerLogin, Missing> {
        guard let address = settings.broker.flatMap({ BrokerAddress($0) }) else {
            throw SinkUnusable("mqtt.broker is not an address such as mqtts://broker.example.org", .configuration)
        }
        guard let device = settings.device ?? DeviceName.derived() else {
            throw SinkUnusable("this machine has no /etc/machine-id: set device in [mqtt]", .configuration)
        }
        var password: Secret?
        if let path = settings.passwordFile {
            password = try Secret.read(.password, from: path)
            guard password != nil else { return .failure(Missing(what: "password file \(path)")) }
        }
        return .success(try BrokerLogin(address, settings, device: device, password: password))
    }

    private init(
        _ address: BrokerAddress, _ settings: Settings.MQTT, device: String, password: Secret?
    ) throws(SinkUnusable) {
        self.address = address
        self.settings = settings
        self.password = password
        topics = BrokerTopics(settings, device: device)
        homeAssistant = settings.homeAssistant
        takesNudges = settings.takesNudges
        account = Array("\(settings.user ?? "") \(topics.root)".utf8)
        place = Array("\(address) ".utf8) + account
        var parts = [place, password?.bytes ?? [], Array((settings.pinnedKey ?? "").utf8)]
        for path in [settings.caFile, settings.clientCertificate] { parts.append(try contentOfTLSFile(path)) }
        parts.append(try contentOfTLSFile(settings.clientKey, isKey: true))
        setUp = Vault.digest(&parts)
    }

    /// A session that is not open yet.
    func session() throws(BrokerFailure) -> BrokerSession {
        var tls: BrokerTLS?
        if address.isEncrypted {
            do {
                tls = try BrokerTLS(
                    to: address, caFile: settings.caFile, pins: settings.pinnedKey,
                    certificate: settings.clientCertificate, key: settings.clientKey)
            } catch {
                throw BrokerFailure(.unreachable, error.problem)
            }
        }
        return try BrokerSession(
            address,
            BrokerSession.Login(clientID: "anicca-\(topics.device)", user: settings.user, password: password),
            tls: tls)
    }
}
