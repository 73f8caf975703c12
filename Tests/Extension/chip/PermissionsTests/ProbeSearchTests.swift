import Devices
import Config
import Testing

@testable import Sensing

/// The configuration and the search know the probe from the list alone.
@Suite struct ProbeSearchTests {
    private func parse(_ text: String) throws(SettingsError) -> Settings {
        try Settings.parse(Array(text.utf8), name: "a.conf", sensors: .known)
    }

    @Test func theConfigurationTakesItsNameAndItsAddress() throws {
        let settings = try parse("[imu]\nsensor = probe\naddress = 0x2A\n")
        #expect(ChipSearch<Chip>(settings.imu).tried == "Probe at 0x2A")
        #expect(throws: SettingsError.self) { try parse("[imu]\nsensor = probe\naddress = 0x68\n") }
    }

    @Test func withoutANameItIsLookedForLikeTheOthers() throws {
        #expect(ChipSearch<Chip>(try parse("").imu).tried.contains("Probe at 0x2A"))
    }
}
