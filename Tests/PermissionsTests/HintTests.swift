import Domains
import System
import Testing

@testable import Sensing

@Suite struct HintTests {
    /// With a step sensor.
    private let handlers = linuxHandlers(
        settings {
            $0.imu.bus = "/nonexistent/i2c-1"
            $0.pulseLine.line = 17
        })

    @Test func whatTheWearerDeclinedIsResetAndThenTurnedOn() {
        for handler in handlers {
            #expect(
                handler.settingsHint(for: .denied, reason: nil)
                    == "run: anicca permissions reset \(handler.domain.permission), then: anicca toggle "
                    + "\(handler.domain) on")
            #expect(
                handler.settingsHint(for: .limited, reason: nil)
                    == "to agree to more, run: anicca permissions expand \(handler.domain)")
        }
    }

    @Test func whatTheConfigForbidsNamesItsKey() {
        for handler in handlers {
            #expect(
                handler.settingsHint(for: .restricted, reason: nil).contains("\(handler.domain) = allowed in [policy]"))
        }
    }

    @Test(arguments: [
        (Domain.motion, "usermod -aG i2c anicca", "raspi-config"), (.sleep, "usermod -aG i2c anicca", "[imu]"),
        (.steps, "usermod -aG gpio anicca", "[steps]"), (.alarm, "udev rule", "[alarm]"),
        (.screenTime, "chown anicca", "anicca companion pair"),
        (.phone, "chown anicca", "anicca companion pair"),
        (.location, "systemctl restart anicca-gpsd.socket", "apt install gpsd"),
    ])
    func hardwareHintsAreConcrete(domain: Domain, refused: String, absent: String) throws {
        let handler = try #require(handlers.first { $0.domain == domain })
        #expect(handler.settingsHint(for: .denied, reason: "permission denied").contains(refused))
        let hints = try #require(handler as? any HardwareHints)
        #expect(hints.hintWhenAbsent.contains(absent))
    }

    @Test func whatIsNotCollectedNeedsNothing() {
        for handler in handlers {
            let hint = handler.settingsHint(for: .unsupported, reason: nil)
            let hints = handler as? any HardwareHints
            #expect((hint == hints?.hintWhenAbsent) == handler.domain.isCollected)
            #expect(hint.hasPrefix("no action is needed: ") == !handler.domain.isCollected)
        }
    }
}
