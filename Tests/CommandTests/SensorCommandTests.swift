import Commands
import Foundation
import Glibc
import Core
import Testing

@testable import anicca

/// `anicca sensor` as a program.
@Suite struct SensorCommandTests {
    @Test func whatIsKeptIsShownAndDeleted() throws {
        let device = try TestDevice()
        #expect(try device.anicca("sensor", "calibrate", "--show").messages.contains("no calibration is stored"))
        try device.write(
            "store/calibration",
            "lis3dh 0x18 2027-01-15T08:00:00Z 1012500 998700 1000000 12300 -2100 0 31000 900\n")
        let shown = try device.anicca("sensor", "calibrate", "--show")
        #expect(shown.status == 0)
        #expect(
            shown.lines == [
                "lis3dh at 0x18, of 2027-01-15T08:00:00Z",
                "  error   31.0 mg before, 0.9 mg after: the mean distance from 1 g at rest",
                "  offset  x +12.3 mg, y -2.1 mg, z +0.0 mg",
                "  gain    x 1.0125, y 0.9987, z 1.0000",
            ])
        #expect(try device.anicca("sensor", "calibrate", "--show", "--json").output.contains("\"chip\":\"lis3dh\""))
        let reset = try device.anicca("sensor", "calibrate", "--reset")
        #expect(reset.status == 0 && reset.output.hasPrefix("deleted: "))
        #expect(!FileManager.default.fileExists(atPath: device.path("store/calibration")))
        #expect(try device.anicca("sensor", "calibrate", "--reset").messages.contains("nothing was kept"))
    }

    @Test func aBrokenFileIsToldAndCanBeDeleted() throws {
        let device = try TestDevice()
        try device.write("store/calibration", "lis3dh 0x18 soon\n")
        let shown = try device.anicca("sensor", "calibrate", "--show")
        #expect(shown.status == 65 && shown.messages.contains("calibration:1: not a calibration; run: "))
        let found = try #require(try device.findings()["calibration"])
        #expect(found["state"] == "warning" && found["advice"] == "run: sudo anicca sensor calibrate")
        #expect(try device.anicca("sensor", "calibrate", "--reset").status == 0)
    }

    @Test func withoutATerminalNobodyCanTurnIt() throws {
        let outcome = try TestDevice().anicca("sensor", "calibrate")
        #expect(outcome.status == 64 && outcome.messages.contains("add --automatic"))
    }

    @Test func aBusThatIsNotThereIsTold() throws {
        let device = try TestDevice("[imu]\nbus = /dev/i2c-none")
        let outcome = try device.anicca("sensor", "calibrate", "--automatic", "--not-worn")
        #expect(outcome.status == 69 && outcome.messages.hasPrefix("/dev/i2c-none: "))
        let test = try device.anicca("sensor", "test", "--not-worn")
        #expect(test.status == 69 && test.messages == "1 of 8 checks failed\n")
        #expect(test.lines.first?.hasPrefix("failed   identity        /dev/i2c-none: ") == true)
        #expect(test.lines.filter { $0.hasPrefix("skipped") }.count == 7)
    }

    @Test func whereEverythingThatItServesIsForbiddenItIsNotUsed() throws {
        let all = try TestDevice(
            "[policy]\nmotion = forbidden\nsleep = forbidden\nwalks = forbidden\nsteps = forbidden")
        let refused = try all.anicca("sensor", "test")
        #expect(refused.status == 77 && refused.messages.contains("forbids the use of the sensor"))
        let wired = try TestDevice(
            "[policy]\nmotion = forbidden\nsleep = forbidden\nwalks = forbidden\n[steps]\nchip = /dev/gpiochip-nowhere\nline = 4"
        )
        #expect(try wired.anicca("sensor", "calibrate", "--automatic").status == 77)
        let one = try TestDevice("[policy]\nmotion = forbidden\nsleep = forbidden")
        #expect(try one.anicca("sensor", "test", "--not-worn").status == 69)
    }

    @Test func whatIsWornIsReadWithConsentAlone() throws {
        for words in [["test"], ["calibrate", "--automatic"]] {
            let fresh = try TestDevice()
            let refused = try AniccaProgram.run(["sensor"] + words + ["--config", fresh.configPath])
            #expect(refused.status == 79 && refused.messages.contains("--not-worn"), "\(words), without a store")
            let (device, ledger) = try TestDevice.withStore()
            let off = try AniccaProgram.run(["sensor"] + words + ["--config", device.configPath])
            #expect(off.status == 79, "\(words), with motion off")
            #expect(try device.anicca("toggle", "motion", "on", "--agree").status == 0)
            let on = try AniccaProgram.run(["sensor"] + words + ["--config", device.configPath])
            #expect(on.status == 69, "\(words): the bus of a test cannot be used")
            withExtendedLifetime(ledger) {}
        }
    }

    @Test(arguments: ["0m", "25h", "10", "m", "-5m", "0s", "1d", "9999999999999999999m"])
    func aTimeThatMakesNoSenseIsAUsageError(time: String) throws {
        #expect(LengthOfTime(argument: time) == nil)
    }

    @Test func timesAndExclusions() throws {
        #expect(LengthOfTime(argument: "10m")?.interval == .minutes(10))
        #expect(LengthOfTime(argument: "90s")?.interval == .seconds(90))
        #expect(LengthOfTime(argument: "2h")?.interval == .hours(2))
        #expect(try TestDevice().anicca("sensor", "calibrate", "--for", "10m").status == 64)
        #expect(try TestDevice().anicca("sensor", "calibrate", "--show", "--reset").status == 64)
    }

    @Test func aSignalThatIsHeldBackEndsTheWait() {
        let signals = HeldSignals()
        defer { signals.release() }
        let begin = signals.time.now()
        #expect(throws: Never.self) { try signals.time.wait(.milliseconds(2)) }
        #expect(signals.time.now() >= begin + .milliseconds(2))
        // To this thread alone, for the others of the tests do not hold it back.
        pthread_kill(pthread_self(), SIGINT)
        #expect(throws: Interruption.self) { try signals.time.wait(.minutes(10)) }
        #expect(throws: Never.self) { try signals.time.wait(.zero) }
    }
}
