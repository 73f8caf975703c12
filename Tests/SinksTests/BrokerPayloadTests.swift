import Config
import Domains
import Foundation
import Core
import Testing

@testable import Delivery

@Suite struct BrokerPayloadTests {
    private let key = "0b8e9f5a-8a1b-4f54-9c32-0123456789ab"
    private let day = UTCDay(daysSinceEpoch: 20_103)

    private func message(_ content: SinkRecord.Content) -> String {
        let body = BrokerPayload.body(content).utf8
        return String(decoding: BrokerPayload.message(body, key: key), as: UTF8.self)
    }

    @Test func aDayIsTheServersWithTheKeyAndWithoutTheUser() {
        let content = SinkRecord.Content.day(day, [.steps: 8500, .sedentaryMinutes: 300, .rawPulses: 9000])
        #expect(
            message(content) == #"{"key":"\#(key)","date":"2025-01-15","steps":8500,"sedentaryMinutes":300}"#)
    }

    @Test func anEventHasItsKey() throws {
        let at = try #require(WallTime("2025-01-15T13:05:00Z"))
        let event = SinkRecord.Content.event(NudgeEvent(kind: .sedentaryLong, at: at, value: 90))
        #expect(
            message(event)
                == #"{"key":"\#(key)","eventType":"sedentary_long","eventPayload":{"stationaryMinutes":90},"timestamp":"2025-01-15T13:05:00Z"}"#
        )
    }

    @Test func noMessageIsLongerThanAKilobyte() {
        var figures: [Figure: FigureValue] = [:]
        for figure in Figure.all { figures[figure] = figure.form == .time ? 1_736_953_500 : 150_000 }
        #expect(message(.day(day, figures)).utf8.count < 1024)
    }

    @Test func anotherBrokerAloneIsNoOtherAccount() throws {
        func login(_ broker: String, user: String = "wrist") throws -> BrokerLogin {
            var settings = Settings()
            (settings.mqtt.broker, settings.mqtt.user, settings.mqtt.device) = (broker, user, "d")
            return try BrokerLogin.read(settings.mqtt).get()
        }
        let (typo, right) = (try login("mqtts://borker.example.org"), try login("mqtts://broker.example.org"))
        #expect(typo.account == right.account && typo.setUp != right.setUp)
        #expect(try login("mqtts://broker.example.org", user: "other").account != right.account)
    }

    @Test func topicsNameTheDevice() {
        var settings = Settings()
        settings.mqtt.topic = "home/anicca"
        let topics = BrokerTopics(settings.mqtt, device: "wrist")
        #expect(topics.topic(of: .day(day, [:])) == "home/anicca/wrist/daily")
        #expect(topics.event == "home/anicca/wrist/event" && topics.status == "home/anicca/wrist/status")
    }

    @Test func theNameOfADeviceDoesNotShowItsMachineID() throws {
        let name = try #require(DeviceName.derived())
        #expect(name.utf8.count == 12 && name == DeviceName.derived())
        let machine = try String(contentsOf: URL(filePath: "/etc/machine-id"), encoding: .utf8)
        #expect(!machine.contains(name))
        #expect(DeviceName.derived(machineID: "/nonexistent") == nil)
    }
}
