import Foundation
import Loopback
import TestFiles
import Testing

@testable import anicca

@Suite struct DoctorTests {
    private static let missingDevices = """
        [imu]
        bus = /dev/i2c-nowhere
        interrupt-chip = /dev/gpiochip-nowhere
        interrupt-line = 5
        [steps]
        chip = /dev/gpiochip-nowhere
        line = 4
        """

    @Test func everyCheckSaysWhatItFoundAndWhatToDo() throws {
        let (device, _) = try TestDevice.withStore(Self.missingDevices)
        let outcome = try device.anicca("doctor", "--json")
        #expect(outcome.status == 69)
        let findings: [[String: String]] = try outcome.json()
        #expect(
            findings.map { "\($0["check"] ?? ""): \($0["state"] ?? "")" } == [
                "config: ok", "daemon: failed", "clock: ok", "suspended: ok", "delivery: ok", "key: ok", "store: ok",
                "consent: ok", "i2c-bus: failed", "imu: skipped", "calibration: skipped",
                "step-line: failed", "interrupt-line: failed", "alarm-line: skipped", "gpsd: skipped", "bell: ok",
                "server: warning",
                "account: warning",
            ])
        for finding in findings {
            #expect(Set(finding.keys) == ["check", "state", "found", "advice"])
            #expect(finding["found"]?.isEmpty == false)
            let needsAdvice = ["warning", "failed"].contains(finding["state"])
            #expect(!needsAdvice || finding["advice"]?.isEmpty == false, "\(finding)")
        }
    }

    @Test func whereBothOutputsGoToOnePlaceTheVerdictComesLast() throws {
        let device = try TestDevice(Self.missingDevices)
        let doctor = Process()
        doctor.executableURL = AniccaProgram.programURL
        doctor.arguments = ["doctor", "--config", device.configPath]
        let both = Pipe()
        doctor.standardOutput = both
        doctor.standardError = both
        try doctor.run()
        let text = String(decoding: both.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        doctor.waitUntilExit()
        #expect(text.hasSuffix("checks failed\n"), "\(text)")
    }

    @Test func beforeTheFirstStartTheStoreIsOnlyAWarning() throws {
        let device = try TestDevice()
        try FileManager.default.removeItem(atPath: device.wakeFileDirectory)
        let states = try states(device)
        #expect(states["daemon"] == "warning")
        #expect(states["key"] == "warning")
        #expect(states["store"] == "warning")
        #expect(states["consent"] == "skipped")
        #expect(states["bell"] == "warning")
    }

    @Test func withoutAStepSensorItSaysThatStepsComeFromTheIMUAndMissesNothing() throws {
        let device = try TestDevice()
        let findings = try device.findings()
        let line = try #require(findings["step-line"])
        #expect(line["state"] == "skipped" && line["advice"] == "")
        #expect(line["found"] == "not wired ([steps] line is not set): steps come from the IMU")
        let interrupt = try #require(findings["interrupt-line"])
        #expect(interrupt["state"] == "skipped" && interrupt["advice"] == "")
        let found = try #require(interrupt["found"])
        #expect(found.hasSuffix("not set): the chip is polled for motion every 10 s, at rest every 30 s"))
    }

    @Test func withAStepSensorTheInterruptMattersLess() throws {
        let device = try TestDevice("[steps]\nchip = /dev/gpiochip-nowhere\nline = 4")
        #expect(try device.findings()["interrupt-line"]?["found"] == "not wired ([imu] interrupt-line is not set)")
    }

    @Test func aBrokenConfigurationIsTheOnlyFinding() throws {
        let device = try TestDevice("[imu]\nrange-g = 3")
        let outcome = try device.anicca("doctor")
        #expect(outcome.status == 69)
        #expect(outcome.output.contains("\(device.configPath):7: imu.range-g"))
        #expect(outcome.lines.count == 3)
    }

    @Test func aKeyThatOthersCanReadIsAFailureAndTheStoreStaysShut() throws {
        let (device, _) = try TestDevice.withStore()
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: device.keyPath)
        let findings = try device.findings()
        #expect(findings["key"]?["state"] == "failed")
        #expect(findings["key"]?["advice"] == "chmod 0600 \(device.keyPath)")
        #expect(findings["store"]?["state"] == "skipped")
    }

    @Test func whatAStrangerCannotSeeIsNotTakenForMissing() throws {
        let (device, _) = try TestDevice.withStore()
        try FileManager.default.setAttributes([.posixPermissions: 0o000], ofItemAtPath: device.path("store"))
        let outcome = try AniccaProgram.run(["doctor", "--config", device.configPath, "--json"], heedsModes: true)
        let command = ["toggle", "motion", "on", "--config", device.configPath]
        let refused = try AniccaProgram.run(command, heedsModes: true)
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: device.path("store"))
        let findings: [[String: String]] = try outcome.json()
        let (key, store) = (findings.first { $0["check"] == "key" }, findings.first { $0["check"] == "store" })
        #expect(
            key?["advice"] == "run: sudo anicca doctor --config \(device.configPath) --json")
        #expect(store?["state"] == "failed")
        #expect(store?["found"] == "\(device.path("store"))/ledger.sqlite: Permission denied")
        #expect(refused.status == 77)
        let again = "sudo anicca toggle motion on --config \(device.configPath)"
        #expect(refused.messages == "\(device.keyPath): permission denied; run: \(again)\n")
    }

    @Test func aStoreWhoseKeyIsGoneWantsItBack() throws {
        let (device, _) = try TestDevice.withStore()
        try FileManager.default.removeItem(atPath: device.keyPath)
        #expect(try device.findings()["key"]?["advice"] == "put the key back from its copy")
        let outcome = try device.anicca("status")
        #expect(outcome.status == 69)
        #expect(outcome.messages.contains("put the key back from its copy"))
        #expect(!outcome.messages.contains("start aniccad"), "it would make another key")
    }

    @Test(arguments: [200, 404, 503])
    func aServerThatAnswersAtAllIsReachable(status: Int) throws {
        let server = try AnsweringServer("HTTP/1.1 \(status) Whatever\r\nContent-Length: 0\r\n\r\n")
        let device = try TestDevice("[server]\nbase-url = \(server.address)")
        #expect(try states(device)["server"] == "ok")
        let request = server.request()
        #expect(request.hasPrefix("HEAD / HTTP/1.1\r\n"))
        #expect(!request.contains("Authorization"))
    }

    @Test func aServerThatDoesNotAnswerIsAFailure() throws {
        // Port 1 needs privileges to listen on, and no server does.
        let device = try TestDevice("[server]\nbase-url = http://127.0.0.1:1")
        #expect(try states(device)["server"] == "failed")
    }

    @Test func aTokenIsLookedAtAndNeverShown() throws {
        let secret = "a-secret-word"
        let device = try TestDevice()
        try device.write("token", secret)
        try device.write(
            "anicca.conf",
            """
            [account]
            user-id = 6f1c2a9e-3b57-4c0d-9e1f-2a7b8c9d0e1f
            token-file = \(device.path("token"))
            """)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: device.path("token"))
        #expect(try states(device)["account"] == "failed")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: device.path("token"))
        let outcome = try device.anicca("doctor")
        #expect(outcome.output.contains("user id and token are set"))
        #expect(!outcome.output.contains(secret))
    }

    @Test func colourIsForTerminalsThatWantIt() throws {
        let device = try TestDevice()
        let arguments = ["doctor", "--config", device.configPath]
        let escape = "\u{1B}["
        #expect(try AniccaProgram.runOnTerminal(arguments, environment: ["TERM": "xterm"]).contains(escape))
        #expect(
            try !AniccaProgram.runOnTerminal(arguments, environment: ["TERM": "xterm", "NO_COLOR": "1"])
                .contains(escape))
        #expect(try !AniccaProgram.run(arguments).output.contains(escape))
    }

    private func states(_ device: TestDevice) throws -> [String: String] {
        try device.findings().compactMapValues { $0["state"] }
    }

    // MARK: - The power supply

    @Test(
        arguments: [
            (nil, nil, nil), ("0", nil, ""), ("1", nil, "the supply voltage is too low"), (nil, "0", ""),
            ("0", "1", "the supply voltage is too low"),
            (nil, "10000", "the supply voltage was too low since the start"),
            ("0", "50005", "the supply voltage is too low; the processor is throttled"),
            (nil, "80000", "the processor was throttled since the start"), (nil, "8", "the processor is throttled"),
            ("nonsense", nil, ""), (nil, "nonsense", nil),
        ] as [(String?, String?, String?)])
    func aBoardTellsOfItsPower(alarm: String?, flags: String?, found: String?) throws {
        let directory = try TemporaryDirectory()
        let monitor = "\(directory.path)/hwmon/hwmon3"
        try FileManager.default.createDirectory(atPath: monitor, withIntermediateDirectories: true)
        if let alarm {
            try Data("rpi_volt\n".utf8).write(to: URL(filePath: "\(monitor)/name"))
            try Data("\(alarm)\n".utf8).write(to: URL(filePath: "\(monitor)/in0_lcrit_alarm"))
        }
        if let flags { try Data("\(flags)\n".utf8).write(to: URL(filePath: "\(directory.path)/throttled")) }
        let check = Diagnostics.power(hwmon: "\(directory.path)/hwmon", firmware: "\(directory.path)/throttled")
        #expect((check == nil) == (found == nil))
        guard let check, let found else { return }
        #expect(check.state == (found.isEmpty ? .ok : .warning) && (found.isEmpty || check.found == found), "\(check)")
    }

    // MARK: - The bundle

    @Test func aBundleHasTheHardwareAndNothingOfTheWearer() throws {
        let device = try TestDevice(
            Self.missingDevices.replacing("bus = /dev/i2c-nowhere", with: "bus = /home/somebody/i2c-1") + """

                [account]
                user-id = 2d1a8f5e-8a1b-4f54-9c32-0123456789ab
                token-file = /home/somebody/token
                [server]
                base-url = https://collects.example
                [fence "home"]
                latitude = 48.1372
                longitude = 11.5756
                """)
        try device.makeStore()
        let path = device.path("fault.json")
        let outcome = try device.anicca("doctor", "--bundle", path)
        #expect(outcome.status == 0, "\(outcome)")
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
        let text = try String(contentsOfFile: path, encoding: .utf8)
        for personal in [
            "2d1a8f5e", "collects.example", "somebody", "fence", "48.1372", "11.57", device.directory.path,
        ] {
            #expect(!text.contains(personal), "\(text)")
        }
        let bundle = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        let settings = try #require(bundle["settings"] as? [String: [String: String]])
        #expect(settings["imu"]?["bus"] == "PATH" && settings["steps"]?["line"] == "4")
        #expect(settings["server"]?["base-url"] == "set" && settings["account"]?["user-id"] == "set")
        let checks = try #require(bundle["checks"] as? [[String: String]])
        #expect(
            checks.first { $0["check"] == "i2c-bus" }?["found"]?.hasPrefix("PATH does not exist") == true, "\(checks)")
        #expect(checks.first { $0["check"] == "step-line" }?["found"]?.contains("/dev/gpiochip-nowhere") == true)
        #expect(checks.first { $0["check"] == "store" } == ["check": "store", "state": "ok"])
        #expect(bundle["version"] != nil && bundle["kernel"] != nil && bundle["machine"] != nil)

        let again = try device.anicca("doctor", "--bundle", path)
        #expect(again.status == 73 && again.messages.contains("\(path): cannot be made: File exists"))
        #expect(try device.anicca("doctor", "--bundle", "-").output == text)
    }

    @Test func aBundleOfABrokenConfigurationHasNoneOfItsText() throws {
        let device = try TestDevice("[fence \"grandma\"]\nlatitude = 48.1372\nlongitude = eleven")
        let bundle = try device.anicca("doctor", "--bundle", "-")
        #expect(bundle.status == 0 && bundle.output.contains("\"config\"") && !bundle.output.contains("grandma"))
    }
}
