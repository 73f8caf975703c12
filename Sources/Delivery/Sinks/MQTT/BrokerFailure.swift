import CMosquitto
import Core

/// The reason why a broker has not acknowledged a message. `text` is for people and contains no secret.
struct BrokerFailure: Error, Equatable {
    enum Kind: Equatable {
        /// No connection: no name, no route, no listener, or not the configured broker.
        case unreachable
        /// It does not accept user, password or certificate.
        case loginRefused
        /// It closed the connection, or is overloaded.
        case busy
        /// It does not support this kind of connection.
        case wrongAddress
        /// It refuses this message, which may be allowed later.
        case messageRefused
        /// It will never accept this message.
        case messageImpossible
        /// No answer in time, or an inconclusive one about the message.
        case unanswered
    }

    let kind: Kind
    let text: String

    init(_ kind: Kind, _ text: String) {
        self.kind = kind
        self.text = text
    }

    /// One lost connection ends the run with the broker, because many clients reconnect to a broker that restarts. The
    /// wait before the next attempt is drawn from a ceiling that doubles until a message was acknowledged.
    var outcome: DeliveryOutcome {
        switch kind {
        case .unreachable: .unreachable
        case .loginRefused: .pausedUntilSignIn
        case .busy: .hold(.busy, after: nil)
        case .wrongAddress: .hold(.wrongAddress, after: nil)
        case .messageRefused: .retry(.slow)
        case .messageImpossible: .setAside
        case .unanswered: .retry(.usual)
        }
    }
}

extension BrokerFailure {
    /// From a CONNACK (MQTT 5.0 §3.2.2.2); nil for success.
    init?(connack code: Int32) {
        switch code {
        case 0x00: return nil
        case 0x86, 0x87: self.init(.loginRefused, "refuses the login (\(Self.name(code)))")
        case 0x8A: self.init(.loginRefused, "has banned this device")
        case 0x8C: self.init(.loginRefused, "requires another authentication method (\(Self.name(code)))")
        case 0x84: self.init(.wrongAddress, "does not speak MQTT 5")
        case 0x85: self.init(.wrongAddress, "refuses the client identifier: see device in [mqtt]")
        case 0x9C, 0x9D: self.init(.wrongAddress, "has moved (\(Self.name(code)))")
        default: self.init(.busy, "accepts no connection now (\(Self.name(code)))")
        }
    }

    /// From a PUBACK (MQTT 5.0 §3.4.2.1); nil for success, with or without a subscriber.
    init?(puback code: Int32) {
        switch code {
        case 0x00, 0x10: return nil
        case 0x87: self.init(.messageRefused, "does not allow this login to publish there")
        case 0x97: self.init(.busy, "accepts no more messages now (\(Self.name(code)))")
        case 0x90, 0x95, 0x99: self.init(.messageImpossible, "cannot take this message (\(Self.name(code)))")
        // 0x91 is about the session; 0x80 and 0x83 give no reason.
        default: self.init(.unanswered, "did not take the message (\(Self.name(code)))")
        }
    }

    /// From a DISCONNECT by the broker (MQTT 5.0 §3.14.2.1).
    init(disconnect code: Int32) {
        switch code {
        case 0x87: self.init(.loginRefused, "ended the session (\(Self.name(code)))")
        case 0x95: self.init(.messageImpossible, "cannot take this message (\(Self.name(code)))")
        case 0x9C, 0x9D: self.init(.wrongAddress, "has moved (\(Self.name(code)))")
        default: self.init(.busy, "ended the session (\(Self.name(code)))")
        }
    }

    /// libmosquitto's text, with the number from the standard.
    private static func name(_ code: Int32) -> String {
        let words = mosquitto_reason_string(code).map { String(cString: $0) } ?? ""
        let digits = String(code, radix: 16, uppercase: true)
        return "\(words) 0x\(digits.count == 1 ? "0" : "")\(digits)"
    }
}
