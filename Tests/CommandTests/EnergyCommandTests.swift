import Foundation
import Testing

/// `anicca-lab energy`, which reckons a day by the devices of a configuration.
@Suite struct EnergyCommandTests {
    @Test func itPrintsWhatTheSchemaHas() throws {
        let device = try TestDevice()
        let outcome = try AniccaProgram.runLab(["energy", "--json", "--config", device.configPath])
        #expect(outcome.status == 0, "\(outcome.messages)")
        let value = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8))
        #expect(try JSONSchema("energy").faults(of: value) == [], "\(outcome.output)")
    }

    @Test func aConfigurationThatIsNotThereIsToldAtOnce() throws {
        let outcome = try AniccaProgram.runLab(["energy", "--config", "/nowhere/anicca.conf"])
        #expect(outcome.status != 0)
        #expect(outcome.output.isEmpty && outcome.messages.contains("/nowhere/anicca.conf"))
    }
}
