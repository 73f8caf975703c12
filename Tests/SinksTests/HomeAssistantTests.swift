import Config
import Domains
import Testing

@testable import Delivery

/// The classes and units are those of Home Assistant's documentation as remembered: a duration in `min`, a timestamp and a date without a unit
/// or a state class, and a count without a class.
@Suite struct HomeAssistantTests {
    private let discovery = HomeAssistant(
        prefix: "homeassistant", topics: BrokerTopics(Settings().mqtt, device: "wrist"))

    private func message(_ name: String, of allowed: [Figure]) throws -> String {
        let messages = discovery.messages(of: allowed)
        let found = messages.filter { $0.topic == "homeassistant/sensor/anicca_wrist/\(name)/config" }
        return String(decoding: try #require(found.first).payload, as: UTF8.self)
    }

    @Test func stepsAreACount() throws {
        let sensor = try message("steps", of: [.steps])
        #expect(sensor.contains(#""state_topic":"anicca/wrist/daily""#))
        #expect(sensor.contains(#""unit_of_measurement":"steps","state_class":"measurement""#))
        #expect(!sensor.contains("device_class"))
    }

    static let minutes: [Figure] = [.sleepDuration, .sedentaryMinutes, .socialMinutes]

    @Test(arguments: minutes) func minutesAreADuration(figure: Figure) throws {
        let sensor = try message("\(figure)", of: [figure])
        #expect(sensor.contains(#""device_class":"duration","unit_of_measurement":"min","state_class":"measurement""#))
    }

    @Test func aTimeHasNeitherUnitNorStateClass() throws {
        let sensor = try message("wakeAt", of: [.wakeAt])
        #expect(sensor.contains(#""device_class":"timestamp""#))
        #expect(!sensor.contains("unit_of_measurement") && !sensor.contains("state_class"))
    }

    @Test func whatIsNotAllowedIsRemoved() throws {
        #expect(try message("steps", of: [.sedentaryMinutes]).isEmpty)
        #expect(try !message("date", of: [.sedentaryMinutes]).isEmpty)
        #expect(discovery.messages(of: []).allSatisfy { $0.payload.isEmpty })
    }

    @Test func everyFigureThatIsSentHasASensorOfOneDevice() {
        let sent = Figure.all.filter(\.isSent)
        let messages = discovery.messages(of: sent)
        let sensors = sent.reduce(2) { $0 + ($1.table?.hasOneRow == true ? $1.table?.columns.count ?? 0 : 1) }
        #expect(messages.count == sensors && Set(messages.map(\.topic)).count == messages.count)
        for message in messages {
            #expect(String(decoding: message.payload, as: UTF8.self).contains(#""identifiers":"anicca_wrist""#))
        }
    }
}
