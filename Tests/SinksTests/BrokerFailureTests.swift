import Core
import Testing

@testable import Delivery

/// The outcome of every reason code that a broker may answer with (MQTT 5.0 §3.2.2.2, §3.4.2.1, §3.14.2.1).
@Suite struct BrokerFailureTests {
    typealias Case = (code: Int32, outcome: DeliveryOutcome)
    static let connacks: [Case] = [
        (0x80, .hold(.busy, after: nil)), (0x81, .hold(.busy, after: nil)), (0x82, .hold(.busy, after: nil)),
        (0x84, .hold(.wrongAddress, after: nil)), (0x85, .hold(.wrongAddress, after: nil)),
        (0x86, .pausedUntilSignIn), (0x87, .pausedUntilSignIn), (0x88, .hold(.busy, after: nil)),
        (0x89, .hold(.busy, after: nil)), (0x8A, .pausedUntilSignIn), (0x8C, .pausedUntilSignIn),
        (0x97, .hold(.busy, after: nil)), (0x9C, .hold(.wrongAddress, after: nil)),
        (0x9D, .hold(.wrongAddress, after: nil)), (0x9F, .hold(.busy, after: nil)),
    ]

    @Test(arguments: connacks) func aLoginThatIsRefused(with wanted: Case) {
        #expect(BrokerFailure(connack: wanted.code)?.outcome == wanted.outcome)
    }

    static let pubacks: [Case] = [
        (0x80, .retry(.usual)), (0x83, .retry(.usual)), (0x87, .retry(.slow)), (0x90, .setAside),
        (0x91, .retry(.usual)), (0x95, .setAside), (0x97, .hold(.busy, after: nil)), (0x99, .setAside),
    ]

    @Test(arguments: pubacks) func aMessageThatIsRefused(with wanted: Case) {
        #expect(BrokerFailure(puback: wanted.code)?.outcome == wanted.outcome)
    }

    @Test func aMessageIsTakenWithOrWithoutASubscriber() {
        #expect(BrokerFailure(connack: 0) == nil)
        #expect(BrokerFailure(puback: 0x00) == nil && BrokerFailure(puback: 0x10) == nil)
    }

    static let disconnects: [Case] = [
        (0x87, .pausedUntilSignIn), (0x89, .hold(.busy, after: nil)), (0x8B, .hold(.busy, after: nil)),
        (0x8E, .hold(.busy, after: nil)), (0x95, .setAside), (0x9D, .hold(.wrongAddress, after: nil)),
    ]

    @Test(arguments: disconnects) func aSessionThatTheBrokerEnds(with wanted: Case) {
        #expect(BrokerFailure(disconnect: wanted.code).outcome == wanted.outcome)
    }

    @Test func theTextNamesTheCode() {
        #expect(BrokerFailure(connack: 0x86)?.text.hasSuffix("0x86)") == true)
    }
}
