import Domains
import Foundation
import Sensing
import Core
import Testing

@testable import Config

private func parse(_ text: String) throws(SettingsError) -> Settings {
    try Settings.parse(Array(text.utf8), name: "a.conf", sensors: .known)
}

private func imu(_ sensor: String, _ address: UInt8) -> Settings.IMU {
    var imu = Settings.IMU()
    (imu.sensor, imu.address) = (sensor, address)
    return imu
}

private func complaints(about text: String) -> [String] {
    do {
        _ = try parse(text)
        return []
    } catch {
        return error.problems.map(\.description)
    }
}

@Suite struct SettingsTests {
    @Test func anEmptyFileMeansTheDefaults() throws {
        #expect(try parse("") == Settings())
        #expect(try parse("# nothing\n\n; here\n[imu]\n") == Settings())
    }

    @Test func valuesReachTheirPlaces() throws {
        let settings = try parse(
            """
            [account]
            user-id = 6F1C2A9E-3b57-4c0d-9e1f-2a7b8c9d0e1f
            token-file = /etc/anicca/token
            [server]
            base-url = https://api.example.org:8443/v1/
            [imu]
            address = 0x69
            interrupt-chip = /dev/gpiochip0
            interrupt-line = 17
            [steps]
              line = 27 ; the blue wire
            edge = falling\r
            bias: pull-up
            debounce-ms = 40
            [duty-cycle]
            attentive-interval = 90 s
            relaxed-interval = 8min
            [companion]
            inbox = /srv/inbox
            [location]
            gpsd-port = 2948
            [sedentary]
            long-after = 2h
            [delivery]
            keep-undelivered = 3d
            jitter = 0s
            [store]
            history-days = 30
            """)
        #expect(settings.account.userID == "6f1c2a9e-3b57-4c0d-9e1f-2a7b8c9d0e1f")
        #expect(settings.account.tokenFile == "/etc/anicca/token")
        #expect(settings.server.baseURL == "https://api.example.org:8443/v1")
        #expect(settings.imu.address == 0x69)
        #expect(settings.imu.interruptLine == 17)
        #expect(settings.pulseLine.line == 27)
        #expect(settings.pulseLine.edge == .falling)
        #expect(settings.pulseLine.bias == .pullUp)
        #expect(settings.rhythm.debounce == .milliseconds(40))
        #expect(settings.dutyCycle.attentiveInterval == .seconds(90))
        #expect(settings.dutyCycle.relaxedInterval == .minutes(8))
        #expect(settings.companion.inbox == "/srv/inbox")
        #expect(settings.location.gpsdPort == 2948)
        #expect(settings.sedentary.longAfter == .hours(2))
        #expect(settings.delivery.keepUndelivered == .days(3))
        #expect(settings.delivery.jitter == .zero)
        #expect(settings.store.historyDays == 30)
    }

    @Test func theSensorIsNamedOrFound() throws {
        #expect(try parse("").imu.sensor == nil)
        #expect(try parse("[imu]\nsensor = auto\naddress = 0x19\n").imu.sensor == nil)
        #expect(try parse("[imu]\nsensor = lis3dh\naddress = 0x19\n").imu == imu("lis3dh", 0x19))
        #expect(try parse("[imu]\nsensor = adxl345\naddress = 0x1d\n").imu == imu("adxl345", 0x1D))
    }

    /// A LIS2DH12 has the identity and the registers of a LIS3DH.
    @Test func aChipThatAnotherStandsForIsFoundByItsOwnName() throws {
        #expect(try parse("[imu]\nsensor = lis2dh12\naddress = 0x19\n").imu == imu("lis3dh", 0x19))
        #expect(
            complaints(about: "[imu]\nsensor = lis2dh12\naddress = 0x68\n") == [
                "a.conf:3: imu.address = 0x68 must be auto or an address of imu.sensor = lis3dh"
            ])
    }

    /// The uploader has no drivers.
    @Test func aProgramThatTouchesNoSensorTakesAnyChip() throws {
        let text = Array("[imu]\nsensor = lsm6dso\naddress = 0x6A\n".utf8)
        #expect(try Settings.parse(text, name: "a.conf").imu == imu("lsm6dso", 0x6A))
        #expect(throws: SettingsError.self) {
            try Settings.parse(Array("[imu]\nsensor = LSM 6\n".utf8), name: "a.conf")
        }
    }

    private static let mistakes: [(String, String)] = [
        ("[steps]\nlinee = 4\n", "a.conf:2: unknown key \"linee\" in [steps]; did you mean \"line\"?"),
        ("[steps]\nlong-after = 4min\n", "a.conf:2: unknown key \"long-after\" in [steps]; it belongs in [sedentary]"),
        (
            "[store]\nfoo = 4\n",
            "a.conf:2: unknown key \"foo\" in [store]; known are directory, key-file, history-days, commit-interval"
        ),
        ("\n[dutycycle]\na = 1\nb = 2\n", "a.conf:3: unknown section [dutycycle]; did you mean [duty-cycle]?"),
        (
            "[x]\na = 1\n",
            "a.conf:2: unknown section [x]; known are account, wearer, server, mqtt, consent, policy, imu, duty-cycle, sedentary, steps, walks, floors, heart, companion, screen-time, location, fence \"home\", alarm, time, delivery, store, run"
        ),
        ("line = 4\n", "a.conf:1: a key must stand below a [section]"),
        (
            "[imu]\nrange-g = 3\n", "a.conf:2: imu.range-g = \"3\": must be 2, 4, 8 or 16"
        ),
        (
            "[imu]\naddress = 0x70\n",
            "a.conf:2: imu.address = \"0x70\": must be auto, 0x14, 0x15, 0x18, 0x19, 0x1D, 0x53, 0x68, 0x69, 0x6A or 0x6B"
        ),
        (
            "[imu]\nsensor = lis3hd\n",
            "a.conf:2: imu.sensor = \"lis3hd\": must be auto, mpu6050, mpu6500, mpu9250, mpu9255, lis3dh, lis2dh12, adxl345, lsm6dso, lsm6ds3trc or bma400; did you mean \"lis3dh\"?"
        ),
        (
            "[imu]\nsensor = lis3dh\naddress = 0x68\n",
            "a.conf:3: imu.address = 0x68 must be auto or an address of imu.sensor = lis3dh"
        ),
        ("[imu]\nbus = i2c-1\n", "a.conf:2: imu.bus = \"i2c-1\": must be an absolute path"),
        (
            "[mqtt]\nbroker = mqtts://wrist:pass:w@rd@host\n",
            "a.conf:2: mqtt.broker = \"mqtts://…@host\": must be mqtts://host or mqtts://host:port (mqtt:// only to localhost, 127.0.0.0/8 or [::1])"
        ),
        ("[steps]\nedge = up\n", "a.conf:2: steps.edge = \"up\": must be rising or falling"),
        ("[steps]\nline = -1\n", "a.conf:2: steps.line = \"-1\": must be a whole number from 0 to 1023"),
        (
            "[account]\nuser-id = 7\n",
            "a.conf:2: account.user-id = \"7\": must be a UUID such as 6f1c2a9e-3b57-4c0d-9e1f-2a7b8c9d0e1f"
        ),
        (
            "[consent]\ngranted = motion helth\n",
            "a.conf:2: consent.granted = \"motion helth\": must be any of screenTime, phone, health, motion, heart, location or alarm, each at most once, with spaces between; did you mean \"health\"?"
        ),
        (
            "[consent]\ngranted = motion health motion\n",
            "a.conf:2: consent.granted = \"motion health motion\": must be any of screenTime, phone, health, motion, heart, location or alarm, each at most once, with spaces between"
        ),
        (
            "[policy]\nlocation = Forbiden\n",
            "a.conf:2: policy.location = \"Forbiden\": must be allowed or forbidden; did you mean \"forbidden\"?"
        ),
        (
            "[consent]\nsettle-time = 11s\n",
            "a.conf:2: consent.settle-time = \"11s\": must be a time from 0s to 10s, as a number and ms, s, min, h or d"
        ),
        ("[location]\ngpsd-port = 0\n", "a.conf:2: location.gpsd-port = \"0\": must be a whole number from 1 to 65535"),
        (
            "[steps]\nline = 4\n[alarm]\nline = 4\n",
            "a.conf:4: alarm.line = 4 must be another line than steps.line = 4"
        ),
        (
            "[imu]\ninterrupt-chip = /dev/gpiochip0\ninterrupt-line = 4\n[steps]\nline = 4\n",
            "a.conf:5: steps.line = 4 must be another line than imu.interrupt-line = 4"
        ),
        (
            "[sedentary]\nlong-after = 90\n",
            "a.conf:2: sedentary.long-after = \"90\": must be a time from 5min to 1d, as a number and ms, s, min, h or d"
        ),
        (
            "[steps]\nline = 4\n\n[imu]\n[steps]\nline = 5\n",
            "a.conf:6: steps.line is set twice in this file, first in line 2"
        ),
        ("[steps]\nline\n", "a.conf:2: neither [section] nor key = value: \"line\""),
        ("[steps\n", "a.conf:1: neither [section] nor key = value: \"[steps\""),
        ("[steps]\nline = 4\n  more\n", "a.conf:3: neither [section] nor key = value: \"more\""),
        ("[steps]\nline = 4\0 5\n", "a.conf:2: not text: only UTF-8 without control characters is allowed"),
        (
            "[steps]\nslowest-per-minute = 100\nfastest-per-minute = 90\n",
            "a.conf:2: steps.slowest-per-minute = 100 must be less than steps.fastest-per-minute = 90"
        ),
        (
            "[sedentary]\nlongest-gap = 5min\n",
            "a.conf:2: duty-cycle.relaxed-interval = 5min must be at least 30s shorter than sedentary.longest-gap = 5min"
        ),
        (
            "[duty-cycle]\nrelaxed-interval = 30s\n",
            "a.conf:2: duty-cycle.attentive-interval = 1min must not be longer than duty-cycle.relaxed-interval = 30s"
        ),
        (
            "[server]\nclient-key = /k\n",
            "a.conf:2: server.client-certificate (not set) must be set together with server.client-key = /k"
        ),
    ]

    @Test(arguments: mistakes)
    func aMistakeIsNamedWithItsPlaceAndItsRemedy(text: String, message: String) {
        #expect(complaints(about: text) == [message])
    }

    @Test func whatTheAdministratorDecidesAboutConsentReachesItsPlace() throws {
        let settings = try parse(
            """
            [consent]
            granted = motion  health
            settle-time = 1s
            [policy]
            location = forbidden
            alarm = forbidden
            steps = allowed
            """)
        #expect(settings.consent.granted == [.motion, .health])
        #expect(settings.consent.settleTime == .seconds(1))
        #expect(settings.consent.forbidden == [.location, .alarm])
        #expect(Settings().consent == Settings.Consent())
        #expect(Settings().consent.granted.isEmpty && Settings().consent.forbidden.isEmpty)
        #expect(Settings().consent.settleTime == .milliseconds(220))
    }

    @Test func everyDomainHasItsPolicy() throws {
        for domain in Domain.all {
            let settings = try parse("[policy]\n\(domain) = forbidden\n")
            #expect(settings.consent.forbidden == DomainSet(domain))
        }
        #expect(Settings.policy.keys.map(\.name) == Domain.all.map(\.description))
    }

    @Test func grantedPermissionsAreWrittenAsTheyAreRead() throws {
        let key = try #require(Settings.consent.keys.first { $0.name == "granted" })
        let settings = try parse("[consent]\ngranted = alarm screenTime\n")
        #expect(key.text(settings) == "alarm screenTime")
    }

    @Test func aLineOfTheSameNumberOnAnotherChipIsAnother() throws {
        let settings = try parse("[steps]\nline = 4\n[alarm]\nchip = /dev/gpiochip1\nline = 4\n")
        #expect(settings.alarm.line == 4)
        #expect(settings.alarm.chip == "/dev/gpiochip1")
    }

    @Test func aLineThatTheParserWouldCutIsRefused() {
        let long = String(repeating: "x", count: 300)
        #expect(
            complaints(about: "[imu]\nbus = /\(long)\n[steps]\nline = 4\n") == [
                "a.conf:2: too long: a line may have at most 198 bytes"
            ])
        let fitting = "bus = /" + String(repeating: "x", count: 198 - 7)
        #expect(complaints(about: "[imu]\n\(fitting)") == [])
        #expect(complaints(about: "[imu]\n\(fitting)x").count == 1)
    }

    @Test func everyMistakeIsReportedInTheOrderOfTheLines() {
        let text = "[imu]\nrange-g = 3\nrubbish\nbus = x\n\u{1}\n[nowhere\nadress = 0x68\n"
        #expect(
            complaints(about: text) == [
                "a.conf:2: imu.range-g = \"3\": must be 2, 4, 8 or 16",
                "a.conf:3: neither [section] nor key = value: \"rubbish\"",
                "a.conf:4: imu.bus = \"x\": must be an absolute path",
                "a.conf:5: not text: only UTF-8 without control characters is allowed",
                "a.conf:6: neither [section] nor key = value: \"[nowhere\"",
                "a.conf:7: unknown key \"adress\" in [imu]; did you mean \"address\"?",
            ])
    }

    @Test func bytesThatAreNotUTF8AreRefused() {
        #expect(throws: SettingsError.self) {
            try Settings.parse(Array("[imu]\nbus = /".utf8) + [0xC3, 0x28], name: "a.conf")
        }
    }

    @Test func anEmptyValueStandsForTheDefault() throws {
        #expect(try parse("[steps]\nline =\nedge =\n") == Settings())
    }

    @Test(arguments: [
        "https://example.org", "https://example.org/", "https://example.org:443/a/b-c_d/~e",
        "https://[2001:db8::1]:8443/x",
        "http://localhost:8080", "http://127.0.0.1:8080/api", "http://127.255.0.3", "http://[::1]:8080",
    ])
    func aServerMayBe(url: String) throws {
        #expect(try parse("[server]\nbase-url = \(url)\n").server.baseURL?.hasPrefix("http") == true)
    }

    @Test(arguments: [
        "http://example.org", "http://127.0.0.1.example.org", "http://localhost@example.org", "http://127.1",
        "http://[::2]", "http://localhost.example.org", "http://128.0.0.1", "http://127.0.0.256", "HTTP://example.org",
        "https://", "https:///x", "https://a:b@c", "https://a?b", "https://a#b", "https://a b", "https://a\\b",
        "https://a:0", "https://a:70000", "https://a:", "https://[::1", "https://[]", "ftp://a", "example.org",
    ])
    func aServerMayNotBe(url: String) {
        #expect(complaints(about: "[server]\nbase-url = \(url)\n").count == 1)
    }

    @Test func pinsAreHashesInBase64() {
        let pin = "sha256//" + String(repeating: "A", count: 43) + "="
        #expect(complaints(about: "[server]\npinned-key = \(pin)\n") == [])
        #expect(complaints(about: "[server]\npinned-key = \(pin);\(pin)\n") == [])
        for wrong in ["sha256//AAAA", "sha1//" + pin.dropFirst(8), "\(pin);", String(pin.dropLast()) + "A"] {
            #expect(complaints(about: "[server]\npinned-key = \(wrong)\n").count == 1, "\(wrong)")
        }
    }
}
