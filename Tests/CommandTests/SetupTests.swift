import Store
import Testing

/// `anicca setup` without a terminal.
@Suite struct SetupTests {
    @Test func saysHowToAnswerAndAsksNothing() throws {
        let (device, ledger) = try TestDevice.withStore()
        let outcome = try device.anicca("setup")
        #expect(outcome.status == 79)
        #expect(outcome.messages.hasPrefix("not answered yet: health, motion, heart\n"))
        #expect(
            outcome.messages.contains(
                "anicca toggle steps on --agree --config \(device.configPath), "
                    + "anicca toggle motion on --agree --config \(device.configPath), "
                    + "anicca toggle heart on --agree --config \(device.configPath);"))
        #expect(outcome.messages.contains("granted = health motion heart in [consent]"))
        #expect(!outcome.messages.contains("Do you agree?"))
        #expect(try ledger.trail().isEmpty)
    }

    @Test func withNothingToAskItIsDone() throws {
        let (device, ledger) = try TestDevice.withStore("[consent]\ngranted = health motion heart")
        let outcome = try device.anicca("setup")
        #expect(outcome.status == 0)
        #expect(outcome.messages.contains("no question is open"))
        #expect(try ledger.consent().state.toggles == [], "only the wearer turns something on")
    }
}
