import Config
import Domains
import System
import Core
import Store

extension SinkKind {
    /// The broker that the settings name.
    public static let mqtt = SinkKind(
        id: 2, name: "mqtt", words: .broker, isNamed: { $0.mqtt.broker != nil }
    ) { (context) throws(SinkUnusable) in
        guard context.settings.mqtt.broker != nil else { return .unused }
        switch try BrokerLogin.read(context.settings.mqtt) {
        case .success(let login): return .ready(MQTTSink(login, settings: context.settings.domains))
        case .failure(let missing): return .signedOut(missing: "the \(missing.what)")
        }
    }
}

/// Publishes each record with QoS 1 over one connection, which is opened for the first and lasts for a run. A record is delivered when
/// its PUBACK is there.
final class MQTTSink: Sink {
    private let login: BrokerLogin
    private let settings: DomainValues
    private var session: BrokerSession?
    private var hasDelivered = false

    init(_ login: BrokerLogin, settings: DomainValues = DomainValues()) {
        self.login = login
        self.settings = settings
    }

    var account: [UInt8] { login.account }
    var setUp: [UInt8] { login.setUp }

    func message(for content: SinkRecord.Content) -> [UInt8] {
        BrokerPayload.body(content, settings: settings).utf8
    }

    func deliver(_ record: SinkRecord, as message: [UInt8], timeout: Interval) -> SinkAnswer {
        let answer = answer(within: timeout) { (session, deadline) throws(BrokerFailure) in
            // The retained day reaches every new subscriber, whatever those of today make of the request.
            if case .erasure = record.content { try session.clear(login.topics.daily, until: deadline) }
            try session.publish(
                BrokerPayload.message(message, key: record.key), to: login.topics.topic(of: record.content),
                retain: record.isRetained, key: record.key, until: deadline)
        }
        // A request to erase may come when nothing is allowed, and then nothing is to be retained.
        if answer.outcome == .delivered, record.content.isData { hasDelivered = true }
        return answer
    }

    var announcementForm: [UInt8]? {
        // With another version the sensors may have other names or classes.
        var parts = [login.place, Array((login.homeAssistant ?? "").utf8), Array(aniccaVersion.utf8)]
        return Vault.digest(&parts)
    }

    /// Figures that were withdrawn go first: what is retained of them would be shown to every new subscriber.
    func announce(_ allowed: [Figure], withdrawn: [Figure], timeout: Interval) -> SinkAnswer {
        answer(within: timeout) { (session, deadline) throws(BrokerFailure) in
            if !withdrawn.isEmpty { try session.clear(login.topics.daily, until: deadline) }
            if allowed.isEmpty { try session.clear(login.topics.status, until: deadline) }
            guard let prefix = login.homeAssistant else { return }
            for message in HomeAssistant(prefix: prefix, topics: login.topics).messages(of: allowed) {
                try session.publish(message.payload, to: message.topic, retain: true, until: deadline)
            }
        }
    }

    /// When something was last delivered stands there for subscribers that see no event. A failure costs nothing but that.
    func finish(at now: WallTime, timeout: Interval) {
        if hasDelivered, let session {
            do {
                try session.publish(
                    BrokerPayload.status(at: now), to: login.topics.status, retain: true,
                    until: Instant.now.boot + min(timeout, .seconds(5)))
            } catch {
                // The next run says it.
            }
        }
        session = nil
    }

    /// Does something with the session, which is opened where there is none, and is gone with the first failure that is about it.
    private func answer(
        within timeout: Interval,
        _ use: (_ session: BrokerSession, _ deadline: BootTime) throws(BrokerFailure) -> Void
    ) -> SinkAnswer {
        let deadline = Instant.now.boot + timeout
        do throws(BrokerFailure) {
            try use(try opened(until: deadline), deadline)
            return SinkAnswer(.delivered)
        } catch {
            if error.kind != .messageRefused, error.kind != .messageImpossible { session = nil }
            return SinkAnswer(error.outcome, problem: error.text)
        }
    }

    private func opened(until deadline: BootTime) throws(BrokerFailure) -> BrokerSession {
        if let session { return session }
        let session = try login.session()
        try session.open(until: deadline)
        self.session = session
        return session
    }
}

extension SinkRecord.Content {
    fileprivate var isData: Bool {
        if case .erasure = self { return false }
        return true
    }
}

extension SinkRecord {
    /// A subscriber that comes later gets the last day; an event is over by then.
    fileprivate var isRetained: Bool {
        switch content {
        case .day: isLatest
        case .event, .erasure: false
        }
    }
}
