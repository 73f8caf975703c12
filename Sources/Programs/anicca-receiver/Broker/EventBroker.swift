import CMosquitto
import Foundation
import System

/// A connection to an MQTT broker that gets the events of all devices, and publishes answers to them. libmosquitto connects
/// again by itself after a loss; what devices publish meanwhile is lost, and so are their nudges.
///
/// Shared by threads: libmosquitto locks the handle (`mosquitto_threaded_set`), and the rest is constant or locked.
final class EventBroker: @unchecked Sendable {
    struct Message: Sendable {
        let topic: String
        let payload: [UInt8]
    }

    struct Login {
        let user, password: String?
        /// A PEM file; nil for the authorities of the system.
        let caFile: String?
    }

    /// The events in the order of their arrival. Ends when the broker refuses the login or the subscription, or cannot be trusted.
    let messages: AsyncStream<Message>
    private let waiting: AsyncStream<Message>.Continuation
    private let handle: OpaquePointer
    private let filter: String
    private let log: ServiceLog
    private let end = Locked<Stop?>(nil)
    private let isSubscribed = Locked(false)

    /// The most events that wait for the store. Later ones are too late for a nudge.
    private static let mostWaiting = 4096
    /// A broker that does not answer until then is none.
    private static let patience = Duration.seconds(30)
    /// A record has at most 1 kB.
    private static let largestPacket: UInt32 = 16 * 1024
    private static let isReady = mosquitto_lib_init() == MOSQ_ERR_SUCCESS.rawValue

    /// Connects. Throws a `Stop` if it cannot.
    init(_ address: BrokerURL, _ login: Login, topic: String, log: ServiceLog) throws {
        guard Self.isReady, let handle = mosquitto_new(nil, true, nil) else {
            throw Stop(.unavailable, "libmosquitto cannot start: out of memory?")
        }
        self.handle = handle
        self.log = log
        filter = "\(topic)/+/event"
        (messages, waiting) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.mostWaiting))
        mosquitto_user_data_set(handle, Unmanaged.passUnretained(self).toOpaque())
        listen()
        try check(mosquitto_int_option(handle, MOSQ_OPT_PROTOCOL_VERSION, MQTT_PROTOCOL_V5), address)
        try check(mosquitto_threaded_set(handle, true), address)
        try check(mosquitto_reconnect_delay_set(handle, 1, 60, true), address)
        if let user = login.user { try check(mosquitto_username_pw_set(handle, user, login.password), address) }
        if address.isEncrypted {
            // The certificate must be for the host, as nothing else is set (libmosquitto(3)).
            let system = login.caFile == nil ? "/etc/ssl/certs" : nil
            try check(mosquitto_tls_set(handle, login.caFile, system, nil, nil, nil), address)
        }
        var properties: OpaquePointer?
        defer { mosquitto_property_free_all(&properties) }
        try check(
            mosquitto_property_add_int32(
                &properties, Int32(MQTT_PROP_MAXIMUM_PACKET_SIZE.rawValue), Self.largestPacket), address)
        try check(
            mosquitto_connect_bind_v5(handle, address.host, Int32(address.port), 60, nil, properties), address)
    }

    deinit { mosquitto_destroy(handle) }

    /// Serves the connection in a thread of its own, until `messages` ends.
    func start() {
        Thread.detachNewThread { [self] in
            let code = mosquitto_loop_forever(handle, -1, 1)
            stop(
                code == MOSQ_ERR_SUCCESS.rawValue
                    ? "the broker ended the session" : "the connection to the broker ended: \(Self.reason(code))")
        }
        Task { [self] in
            try await Task.sleep(for: Self.patience)
            guard !isSubscribed.change({ $0 }) else { return }
            stop("the broker did not answer the login and the subscription within \(Self.patience)")
        }
    }

    /// Why `messages` ended.
    var failure: Stop { end.change { $0 } ?? Stop(.unavailable, "the connection to the broker ended") }

    /// With QoS 1, to those who subscribe now.
    func publish(_ payload: JSON, to topic: String) {
        let bytes = Array(payload.stored.utf8)
        let code = mosquitto_publish_v5(handle, nil, topic, Int32(bytes.count), bytes, 1, false, nil)
        guard code != MOSQ_ERR_SUCCESS.rawValue else { return }
        log.note("warning", "answerNotSent", ["reason": .string(Self.reason(code))])
    }

    /// For people; numbers from 0x80 on are the broker's (MQTT 5.0 §2.4).
    private static func reason(_ code: Int32) -> String {
        if code >= 0x80 { return String(cString: mosquitto_reason_string(code)) }
        return code == MOSQ_ERR_ERRNO.rawValue
            ? String(cString: strerror(errno)) : String(cString: mosquitto_strerror(code))
    }

    private func check(_ code: Int32, _ address: BrokerURL) throws {
        guard code != MOSQ_ERR_SUCCESS.rawValue else { return }
        throw Stop(.unavailable, "\(address): \(Self.reason(code))")
    }

    /// The first reason counts.
    private func stop(_ reason: String) {
        end.change { if $0 == nil { $0 = Stop(.unavailable, reason) } }
        waiting.finish()
        mosquitto_disconnect_v5(handle, 0, nil)
    }
}

// MARK: - Called by libmosquitto, in the thread of the connection

extension EventBroker {
    private func listen() {
        mosquitto_connect_v5_callback_set(handle) { _, broker, code, _, _ in
            EventBroker.at(broker) { $0.connected(code) }
        }
        mosquitto_subscribe_v5_callback_set(handle) { _, broker, _, count, codes, _ in
            EventBroker.at(broker) { $0.subscribed(count > 0 ? codes?.pointee ?? 0x80 : 0x80) }
        }
        mosquitto_disconnect_v5_callback_set(handle) { _, broker, code, _ in
            guard code != 0 else { return }
            EventBroker.at(broker) {
                $0.log.note("warning", "disconnected", ["reason": .string(EventBroker.reason(code))])
            }
        }
        mosquitto_message_v5_callback_set(handle) { _, broker, message, _ in
            guard let message = message?.pointee, !message.retain, let topic = message.topic else { return }
            let payload = UnsafeRawBufferPointer(start: message.payload, count: Int(message.payloadlen))
            EventBroker.at(broker) {
                _ = $0.waiting.yield(Message(topic: String(cString: topic), payload: Array(payload)))
            }
        }
    }

    private static func at(_ pointer: UnsafeMutableRawPointer?, _ use: (EventBroker) -> Void) {
        if let pointer { use(Unmanaged<EventBroker>.fromOpaque(pointer).takeUnretainedValue()) }
    }

    private func connected(_ code: Int32) {
        guard code == 0 else {
            // A broker that is overloaded or stops is tried again; one that refuses the login is not (MQTT 5.0 §3.2.2.2).
            guard ![0x88, 0x89, 0x8B, 0x97, 0x9F].contains(code) else { return }
            return stop("the broker refuses the login: \(Self.reason(code))")
        }
        mosquitto_subscribe_v5(handle, nil, filter, 1, Int32(MQTT_SUB_OPT_SEND_RETAIN_NEVER.rawValue), nil)
    }

    private func subscribed(_ code: Int32) {
        guard code < 0x80 else { return stop("the broker does not allow to subscribe to \(filter)") }
        isSubscribed.change { $0 = true }
        log.note("info", "subscribed", ["filter": .string(filter)])
        ServiceManager().ready(status: "subscribed to \(filter)")
    }
}
