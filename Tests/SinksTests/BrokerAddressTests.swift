import Testing

@testable import Delivery

@Suite struct BrokerAddressTests {
    typealias Case = (text: String, host: String, port: UInt16, isEncrypted: Bool)
    static let accepted: [Case] = [
        ("mqtts://broker.example.org", "broker.example.org", 8883, true),
        ("mqtts://broker.example.org:8884", "broker.example.org", 8884, true),
        ("mqtts://192.168.1.5", "192.168.1.5", 8883, true),
        ("mqtts://[fd00::5]:8883", "fd00::5", 8883, true),
        ("mqtt://127.0.0.1", "127.0.0.1", 1883, false),
        ("mqtt://127.9.9.9:1884", "127.9.9.9", 1884, false),
        ("mqtt://localhost", "localhost", 1883, false),
        ("mqtt://[::1]:1", "::1", 1, false),
    ]

    @Test(arguments: accepted) func whatMaySendIsAccepted(of wanted: Case) throws {
        let address = try #require(BrokerAddress(wanted.text))
        #expect(address.host == wanted.host && address.port == wanted.port)
        #expect(address.isEncrypted == wanted.isEncrypted)
        #expect(BrokerAddress(address.description) == address)
    }

    static let refused: [String] = [
        "", "broker.example.org", "https://broker.example.org", "mqtts://", "mqtts://:8883", "mqtts://a:0",
        "mqtts://a:65536", "mqtts://a:x", "mqtts://[::1", "mqtts://[::1]x", "MQTTS://a",
    ]

    @Test(arguments: refused) func whatIsNoAddressIsRefused(text: String) { #expect(BrokerAddress(text) == nil) }

    static let inClear: [String] = [
        "mqtt://broker.example.org", "mqtt://10.0.0.1", "mqtt://128.0.0.1", "mqtt://127.example.org", "mqtt://[::2]",
        "mqtt://localhost.example.org",
    ]

    @Test(arguments: inClear) func inClearNothingLeavesTheMachine(text: String) { #expect(BrokerAddress(text) == nil) }
}
