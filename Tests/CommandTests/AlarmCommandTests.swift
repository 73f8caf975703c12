import Domains
import Foundation
import Core
import Testing

/// `anicca alarm`
@Suite struct AlarmCommandTests {
    @Test func anAlarmIsSetShownAndRemoved() throws {
        let (device, _) = try TestDevice.withStore()
        let added = try device.anicca("alarm", "add", "wake", "07:00", "--days", "mon,wed", "--follow-ups", "3")
        #expect(added.output == "alarm 1: wake at 07:00, mon,wed\n")
        #expect(added.messages.contains("anicca toggle alarm on"))
        #expect(device.bellRings)
        let shown: [[String: Any]] = try device.anicca("alarm", "--json").json()
        #expect(shown.count == 1 && shown[0]["time"] as? String == "07:00" && shown[0]["followUps"] as? Int == 3)
        #expect(shown[0]["next"] != nil && shown[0]["on"] as? Bool == true)
        #expect(try device.anicca("alarm", "remove", "1").status == 0)
        #expect(try device.anicca("alarm", "remove", "1").status == 69)
    }

    @Test func aKindThatWasTurnedOffStaysOff() throws {
        let (device, _) = try TestDevice.withStore()
        _ = try device.anicca("alarm", "disable", "custom")
        let added = try device.anicca("alarm", "add", "custom", "08:30")
        #expect(added.messages.contains("anicca alarm enable custom"))
        #expect(try device.anicca("alarm", "list").output.contains("off"))
        _ = try device.anicca("alarm", "enable", "custom")
        #expect(try !device.anicca("alarm", "list").output.contains("off"))
    }

    @Test func alarmsThatDoNotOpenAreNotReplaced() throws {
        let (device, _) = try TestDevice.withStore()
        _ = try device.anicca("alarm", "add", "wake", "07:00")
        try device.tamper("UPDATE book SET sealed = zeroblob(60)")
        let shown = try device.anicca("alarm")
        #expect(shown.status == 69 && !shown.messages.isEmpty)
        for changed in [
            try device.anicca("alarm", "add", "wake", "08:00"), try device.anicca("alarm", "remove", "1"),
            try device.anicca("alarm", "disable", "wake"),
        ] {
            #expect(changed.status == 69 && changed.output.isEmpty)
            #expect(changed.messages.contains("anicca forget alarm"))
        }
        #expect(try device.anicca("alarm").messages == shown.messages)
        #expect(try device.anicca("forget", "alarm", "--yes").status == 0)
        #expect(try device.anicca("alarm", "add", "wake", "08:00").output.hasPrefix("alarm 1:"))
    }

    @Test func withoutAnythingThatPlaysThereIsNothingToSnoozeOrStop() throws {
        let (device, _) = try TestDevice.withStore()
        #expect(try device.anicca("alarm", "snooze").status == 69)
        #expect(try device.anicca("alarm", "stop").status == 69)
    }

    static let nonsense: [[String]] = [
        ["add", "wake", "24:00"], ["add", "wake", "7:00"], ["add", "nap", "07:00"],
        ["add", "wake", "07:00", "--days", "someday"],
        ["add", "wake", "07:00", "--follow-ups", "11"], ["snooze", "--minutes", "0"], ["remove", "x"],
    ]

    @Test(arguments: nonsense) func nonsenseIsRefused(words: [String]) throws {
        let (device, _) = try TestDevice.withStore()
        let outcome = try AniccaProgram.run(["alarm"] + words + ["--config", device.configPath])
        #expect(outcome.status == 64)
    }

    /// The zones of glibc against those of Foundation.
    @Test(arguments: ["Europe/Berlin", "America/New_York", "Asia/Kolkata"])
    func theNextTimeIsThatOfTheZoneInTheConfiguration(zone: String) throws {
        for section in ["[alarm]\n", "[wearer]\n", "[wearer]\ntime-zone = Asia/Tokyo\n[alarm]\n"] {
            try checkNextTime(in: zone, "\(section)time-zone = \(zone)")
        }
    }

    private func checkNextTime(in zone: String, _ settings: String) throws {
        let (device, _) = try TestDevice.withStore(settings)
        _ = try device.anicca("alarm", "add", "training", "07:00")
        let shown: [[String: Any]] = try device.anicca("alarm", "--json").json()
        let text = try #require(shown[0]["next"] as? String)
        let next = try #require(WallTime(text))
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(identifier: zone))
        let date = Date(timeIntervalSince1970: Double(next.secondsSinceEpoch))
        #expect(calendar.dateComponents([.hour, .minute], from: date) == DateComponents(hour: 7, minute: 0))
        #expect(date.timeIntervalSinceNow > 0 && date.timeIntervalSinceNow <= 90_000)
    }
}
