import Config
import Domains
import System
import Core
import Store

extension SinkKind {
    /// The broker in the settings.
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

/// Publishes each record with QoS 1 over one connection, which is opened for the first record and lasts for a run. A
/// record is delivered when its PUBACK has arrived.
final class MQTTSink: Sink {
    private let login: BrokerLogin
    private let settings: DomainValues
    private var session: BrokerSession?
    private var hasDelivered = false
    /// Whether answers to events are waited for; nil before the subscription to them. False lasts for the run.
    private var awaitsAnswers: Bool?

    /// The wait of an event for its answer, and of the first one for the subscription.
    static let answerLimit = Interval.seconds(5)

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
        var nudge: Nudge?
        let answer = answer(within: timeout) { (session, deadline) throws(BrokerFailure) in
            // Every new subscriber gets the retained day, even if present ones follow the request.
            if case .erasure = record.content { try session.clear(login.topics.daily, until: deadline) }
            let session = try subscribed(session, before: record.content, until: deadline)
            let hasSubscriber = try session.publish(
                BrokerPayload.message(message, key: record.key), to: login.topics.topic(of: record.content),
                retain: record.isRetained, key: record.key, until: deadline)
            guard case .event = record.content, awaitsAnswers == true, hasSubscriber else { return }
            nudge = self.nudge(answering: record.key, over: session, until: deadline)
        }
        // A request to erase may come when all figures are forbidden, and then nothing is retained.
        if answer.outcome == .delivered, record.content.isData { hasDelivered = true }
        return SinkAnswer(answer.outcome, problem: answer.problem, nudge: nudge)
    }

    /// The session for a record. Before the first event it subscribes to answers; where that is not possible, events are
    /// delivered without them. A broker may end the session of a client that subscribes where it may not.
    private func subscribed(
        _ session: BrokerSession, before content: SinkRecord.Content, until deadline: BootTime
    ) throws(BrokerFailure) -> BrokerSession {
        guard case .event = content, login.takesNudges, awaitsAnswers == nil else { return session }
        awaitsAnswers = false
        let limit = min(deadline, Instant.now.boot + Self.answerLimit)
        do throws(BrokerFailure) {
            awaitsAnswers = try session.subscribe(to: login.topics.answer, until: limit)
            return session
        } catch {
            self.session = nil
            return try opened(until: deadline)
        }
    }

    /// The nudge in the answer to an event. After an event without an answer, the others of the run do not wait.
    private func nudge(answering key: String, over session: BrokerSession, until deadline: BootTime) -> Nudge? {
        let limit = min(deadline, Instant.now.boot + Self.answerLimit)
        guard let answer = session.message(until: limit, { NudgeAnswer.isAnswer($0, to: key) }) else {
            awaitsAnswers = false
            if !session.isOpen { self.session = nil }
            return nil
        }
        return NudgeAnswer.nudge(in: answer)
    }

    var announcementForm: [UInt8]? {
        // Another version may use other names or classes for the sensors.
        var parts = [login.place, Array((login.homeAssistant ?? "").utf8), Array(aniccaVersion.utf8)]
        return Vault.digest(&parts)
    }

    /// Withdrawn figures are removed first, because every new subscriber would get their retained messages.
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

    /// Publishes the time of the last delivery, for subscribers that do not see events. A failure is harmless.
    func finish(at now: WallTime, timeout: Interval) {
        if hasDelivered, let session {
            do {
                try session.publish(
                    BrokerPayload.status(at: now), to: login.topics.status, retain: true,
                    until: Instant.now.boot + min(timeout, .seconds(5)))
            } catch {
                // The next run publishes it.
            }
        }
        session = nil
    }

    /// Performs an action with the session, which is opened if needed, and dropped after the first failure that
    /// concerns it.
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
        if awaitsAnswers == true { awaitsAnswers = nil }
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
    /// A later subscriber gets the last day; an event is outdated by then.
    fileprivate var isRetained: Bool {
        switch content {
        case .day: isLatest
        case .event, .erasure: false
        }
    }
}
