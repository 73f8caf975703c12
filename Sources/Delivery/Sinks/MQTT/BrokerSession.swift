import CMosquitto
import Glibc
import System
import Core

/// One connection to a broker: MQTT 5.0, clean start, no persistent session, one message in flight. It runs only in the
/// calling thread, and all waits are limited.
///
/// It is never reopened. libmosquitto would reconnect by itself, without jitter; here the uploader decides when.
final class BrokerSession {
    /// The user and password.
    struct Login {
        let clientID: String
        let user: String?
        let password: Secret?
    }

    /// More than all answers in a run, with the certificates of the handshake. It is enforced for brokers on other
    /// machines.
    static let answerLimit = 256 * 1024
    private static let connectLimit = Interval.seconds(15)
    private static let keepAlive: Int32 = 60
    /// Once for the process.
    private static let isReady = mosquitto_lib_init() == MOSQ_ERR_SUCCESS.rawValue

    private let handle: OpaquePointer
    private let address: BrokerAddress
    private let tls: BrokerTLS?
    private var connack: Int32?
    private var disconnect: Int32?
    private var puback: (message: Int32, code: Int32)?
    private var suback: (message: Int32, code: Int32)?
    private var subscription: String?
    /// Of the subscription, oldest first.
    private var messages: [[UInt8]] = []
    private var received = 0
    private(set) var isOpen = false

    /// - Parameter tls: nil for an unencrypted broker on this machine.
    init(_ address: BrokerAddress, _ login: Login, tls: BrokerTLS?) throws(BrokerFailure) {
        guard Self.isReady, let handle = mosquitto_new(login.clientID, true, nil) else {
            throw BrokerFailure(.unreachable, "libmosquitto cannot start: out of memory?")
        }
        self.handle = handle
        self.address = address
        self.tls = tls
        mosquitto_user_data_set(handle, Unmanaged.passUnretained(self).toOpaque())
        try set(MOSQ_OPT_PROTOCOL_VERSION, MQTT_PROTOCOL_V5)
        try set(MOSQ_OPT_TCP_NODELAY, 1)
        if let tls {
            try set(MOSQ_OPT_SSL_CTX_WITH_DEFAULTS, 0)
            try check(mosquitto_void_option(handle, MOSQ_OPT_SSL_CTX, UnsafeMutableRawPointer(tls.context)))
        }
        if let user = login.user {
            let code = login.password?.withCString { mosquitto_username_pw_set(handle, user, $0.baseAddress) }
            try check(code ?? mosquitto_username_pw_set(handle, user, nil))
        }
        listen()
    }

    deinit {
        if isOpen {
            mosquitto_disconnect_v5(handle, 0, nil)
            mosquitto_loop_write(handle, 1)
        }
        mosquitto_destroy(handle)
    }

    private func set(_ option: mosq_opt_t, _ value: Int32) throws(BrokerFailure) {
        try check(mosquitto_int_option(handle, option, value))
    }

    private func check(_ code: Int32) throws(BrokerFailure) {
        guard code != MOSQ_ERR_SUCCESS.rawValue else { return }
        throw BrokerFailure(.unreachable, "libmosquitto: \(String(cString: mosquitto_strerror(code)))")
    }

    private func listen() {
        mosquitto_connect_v5_callback_set(handle) { _, session, code, _, _ in
            // A second CONNACK violates the protocol; libmosquitto ends the connection on a refusal.
            BrokerSession.at(session) { if $0.connack == nil { $0.connack = code } }
        }
        mosquitto_disconnect_v5_callback_set(handle) { _, session, code, _ in
            // Numbers below 0x80 are libmosquitto's own.
            BrokerSession.at(session) { if code >= 0x80 { $0.disconnect = code } }
        }
        mosquitto_publish_v5_callback_set(handle) { _, session, message, code, _ in
            BrokerSession.at(session) { $0.puback = (message, code) }
        }
        mosquitto_subscribe_v5_callback_set(handle) { _, session, message, count, codes, _ in
            BrokerSession.at(session) { $0.suback = (message, count > 0 ? codes?.pointee ?? 0x80 : 0x80) }
        }
        mosquitto_message_v5_callback_set(handle) { _, session, message, _ in
            guard let message = message?.pointee, !message.retain, let topic = message.topic else { return }
            let payload = UnsafeRawBufferPointer(start: message.payload, count: Int(message.payloadlen))
            guard payload.count <= NudgeAnswer.longest else { return }
            BrokerSession.at(session) {
                guard $0.subscription == String(cString: topic) else { return }
                $0.messages = $0.messages.suffix(15) + [Array(payload)]
            }
        }
    }

    private static func at(_ pointer: UnsafeMutableRawPointer?, _ use: (BrokerSession) -> Void) {
        if let pointer { use(Unmanaged<BrokerSession>.fromOpaque(pointer).takeUnretainedValue()) }
    }
}

// MARK: - Connecting

extension BrokerSession {
    /// Connects and signs in.
    func open(until deadline: BootTime) throws(BrokerFailure) {
        let limit = min(deadline, Instant.now.boot + Self.connectLimit)
        try connect(until: limit)
        while connack == nil { try step(until: limit, waitingFor: "an answer to the login") }
        if let connack, let failure = BrokerFailure(connack: connack) { throw named(failure) }
        isOpen = true
    }

    /// Tries each address in turn, until one accepts the connection.
    private func connect(until limit: BootTime) throws(BrokerFailure) {
        let addresses: [String]
        do {
            addresses = try HostAddresses.of(address.host, within: limit - Instant.now.boot)
        } catch {
            throw named(.unreachable, error.reason)
        }
        var problem = ""
        for (index, numeric) in addresses.enumerated() {
            let rest = limit - Instant.now.boot
            guard rest > .zero else { break }
            let share = Instant.now.boot + rest / Int64(addresses.count - index)
            guard let refusal = try attempt(numeric, until: share) else { return }
            problem = refusal
        }
        throw named(.unreachable, problem.isEmpty ? "no connection in time" : problem)
    }

    /// Nil once connected; otherwise the reason for the failure. Throws if the handshake failed.
    private func attempt(_ numeric: String, until limit: BootTime) throws(BrokerFailure) -> String? {
        let code = mosquitto_connect_bind_async(handle, numeric, Int32(address.port), Self.keepAlive, nil)
        guard code == MOSQ_ERR_SUCCESS.rawValue else {
            let reason = errno
            // libmosquitto's EPROTO means any TLS error. A broker that refuses a certificate may close the connection
            // before its alert is read.
            let isOfTLS = code == MOSQ_ERR_TLS.rawValue || reason == EPROTO
            if isOfTLS || tls?.finding != nil || reason == ECONNRESET { throw ended(code) }
            return code == MOSQ_ERR_ERRNO.rawValue
                ? String(cString: strerror(reason)) : String(cString: mosquitto_strerror(code))
        }
        let socket = mosquitto_socket(handle)
        var watched = pollfd(fd: socket, events: Int16(POLLOUT), revents: 0)
        let wait = Int32(clamping: max(0, (limit - Instant.now.boot).inMilliseconds))
        guard socket >= 0, poll(&watched, 1, wait) == 1 else { return "no connection in time" }
        var error: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size)
        // A connection that is reset had been established.
        if error == ECONNRESET, !hasHandshake { throw ended(MOSQ_ERR_CONN_LOST.rawValue) }
        // After a handshake the reason has yet to be read: a broker may have refused and closed the connection.
        guard error == 0 || hasHandshake else { return String(cString: strerror(error)) }
        countAnswers()
        return nil
    }

    private var hasHandshake: Bool {
        mosquitto_ssl_get(handle).map { SSL_is_init_finished(OpaquePointer($0)) == 1 } ?? false
    }

    /// A broker on another machine could send endlessly, and libmosquitto would keep the data.
    private func countAnswers() {
        guard let tls = mosquitto_ssl_get(handle), let bytes = SSL_get_rbio(OpaquePointer(tls)) else { return }
        BIO_set_callback_arg(bytes, Unmanaged.passUnretained(self).toOpaque().assumingMemoryBound(to: CChar.self))
        BIO_set_callback_ex(bytes) { bytes, operation, _, length, _, _, result, _ in
            guard operation == BIO_CB_READ, let owner = BIO_get_callback_arg(bytes) else { return Int(result) }
            let session = Unmanaged<BrokerSession>.fromOpaque(UnsafeRawPointer(owner)).takeUnretainedValue()
            session.received += length
            return session.received > BrokerSession.answerLimit ? -1 : Int(result)
        }
    }
}

// MARK: - Subscribing

extension BrokerSession {
    /// Subscribes to what is published from now on, with QoS 1, and waits for the SUBACK.
    ///
    /// - Returns: false if the broker does not allow it.
    func subscribe(to topic: String, until deadline: BootTime) throws(BrokerFailure) -> Bool {
        var message: Int32 = 0
        suback = nil
        let code = mosquitto_subscribe_v5(
            handle, &message, topic, 1, Int32(MQTT_SUB_OPT_SEND_RETAIN_NEVER.rawValue), nil)
        guard code == MOSQ_ERR_SUCCESS.rawValue else { throw refused(code) }
        while suback?.message != message {
            try step(until: deadline, waitingFor: "an acknowledgement of the subscription")
        }
        guard let suback, suback.code < 0x80 else { return false }
        subscription = topic
        return true
    }

    /// The first message that `isWanted`, of those that are not read yet; nil if none comes in time, or the connection ends.
    func message(until deadline: BootTime, _ isWanted: ([UInt8]) -> Bool) -> [UInt8]? {
        while true {
            while !messages.isEmpty {
                let message = messages.removeFirst()
                if isWanted(message) { return message }
            }
            do throws(BrokerFailure) { try step(until: deadline, waitingFor: "a message") } catch { return nil }
        }
    }
}

// MARK: - Publishing

extension BrokerSession {
    /// Publishes with QoS 1 and waits for the PUBACK.
    ///
    /// - Returns: false if the broker says that nobody subscribes (MQTT 5.0 §3.4.2.1).
    @discardableResult func publish(
        _ payload: [UInt8], to topic: String, retain: Bool, key: String? = nil, until deadline: BootTime
    ) throws(BrokerFailure) -> Bool {
        var properties: OpaquePointer?
        defer { mosquitto_property_free_all(&properties) }
        if !payload.isEmpty {
            let code = mosquitto_property_add_string(
                &properties, Int32(MQTT_PROP_CONTENT_TYPE.rawValue), "application/json")
            try check(code)
        }
        if let key {
            let code = mosquitto_property_add_string_pair(
                &properties, Int32(MQTT_PROP_USER_PROPERTY.rawValue), "idempotency-key", key)
            try check(code)
        }
        var message: Int32 = 0
        puback = nil
        let code = mosquitto_publish_v5(
            handle, &message, topic, Int32(payload.count), payload, 1, retain, properties)
        guard code == MOSQ_ERR_SUCCESS.rawValue else { throw refused(code) }
        while puback?.message != message { try step(until: deadline, waitingFor: "an acknowledgement") }
        if let puback, let failure = BrokerFailure(puback: puback.code) { throw named(failure) }
        return puback?.code != 0x10
    }

    /// Removes the retained message of a topic (MQTT 5.0 §3.3.1.3).
    func clear(_ topic: String, until deadline: BootTime) throws(BrokerFailure) {
        try publish([], to: topic, retain: true, until: deadline)
    }

    /// libmosquitto itself rejects messages that the CONNACK excluded (MQTT 5.0 §3.2.2.3).
    private func refused(_ code: Int32) -> BrokerFailure {
        switch mosq_err_t(rawValue: code) {
        case MOSQ_ERR_OVERSIZE_PACKET, MOSQ_ERR_PAYLOAD_SIZE:
            named(.messageImpossible, "takes no message of this size")
        case MOSQ_ERR_QOS_NOT_SUPPORTED, MOSQ_ERR_RETAIN_NOT_SUPPORTED:
            named(.wrongAddress, "lacks a required feature: \(String(cString: mosquitto_strerror(code)))")
        default: named(.busy, "took no message: \(String(cString: mosquitto_strerror(code)))")
        }
    }

    /// Waits for one packet, at most a second.
    private func step(until deadline: BootTime, waitingFor aim: String) throws(BrokerFailure) {
        let rest = deadline - Instant.now.boot
        guard rest > .zero else {
            // Before the CONNACK no part of a record was sent, and a broker that accepted the connection is overloaded.
            throw named(connack == nil ? .busy : .unanswered, "gave no answer in time: waited for \(aim)")
        }
        let wait = Int32(clamping: min(1000, rest.inMilliseconds + 1))
        let code = mosquitto_loop(handle, wait, 1)
        guard code != MOSQ_ERR_SUCCESS.rawValue else { return }
        isOpen = false
        // The answer arrived together with the end of the connection.
        if connack != nil, connack != 0 { return }
        throw ended(code)
    }

    private func ended(_ code: Int32) -> BrokerFailure {
        switch tls?.finding {
        case .refusesBroker(let reason): return named(.unreachable, "is not trusted: \(reason)")
        case .isRefused(let alert): return named(.loginRefused, "refuses the certificate of this device (\(alert))")
        case nil: break
        }
        if let disconnect { return named(BrokerFailure(disconnect: disconnect)) }
        if code == MOSQ_ERR_NOMEM.rawValue { return named(.busy, "sends packets that are too large") }
        if received > Self.answerLimit { return named(.busy, "sends more than \(Self.answerLimit / 1024) kB") }
        return named(.busy, "closed the connection, or does not speak MQTT")
    }

    private func named(_ kind: BrokerFailure.Kind, _ text: String) -> BrokerFailure {
        BrokerFailure(kind, "\(address) \(text)")
    }

    private func named(_ failure: BrokerFailure) -> BrokerFailure { named(failure.kind, failure.text) }
}
