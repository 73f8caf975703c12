import Config
import Core
import Domains
import Foundation
import Store
import Testing

@testable import anicca

/// The reminder of something that was refused or is suspended (SPEC §2 rule 12).
@Suite struct RemindersTests {
    private let time = WallTime(secondsSinceEpoch: 1_740_823_200)
    private let line = "motion is denied: declined by the wearer; what to do: anicca permissions"

    private func refusing() throws -> (TestDevice, Ledger) {
        let (device, ledger) = try TestDevice.withStore()
        try ledger.change([.reply(.motion, .declined)], at: time)
        return (device, ledger)
    }

    @Test(arguments: [["days"], ["report"], ["export", "MINE"], ["days", "--json"]])
    func aCommandRemindsOnceAWeek(command: [String]) throws {
        let (device, _) = try refusing()
        let words = command.map { $0 == "MINE" ? device.path("mine") : $0 } + ["--config", device.configPath]
        let first = try AniccaProgram.run(words)
        #expect(first.messages.split(separator: "\n").filter { $0.contains(line) }.count == 1, "\(first)")
        #expect(!first.output.contains(line))
        for again in ["days", "report"] { #expect(try !device.anicca(again).messages.contains(line)) }
    }

    @Test func aDayOfAWeekLaterItIsDueAgain() throws {
        let (device, _) = try refusing()
        let installation = Installation(try Settings.load(device.configPath))
        var reminders = try Reminders(installation)
        let day = UTCDay(daysSinceEpoch: 20_000)
        #expect(reminders.isDue(.motion, on: day))
        try reminders.note(.motion, on: day)
        reminders = try Reminders(installation)
        #expect([0, 7].allSatisfy { !reminders.isDue(.motion, on: day + $0) })
        // A clock that was wrong in the future does not silence it.
        #expect([-1, 8, 700].allSatisfy { reminders.isDue(.motion, on: day + $0) })
        #expect(reminders.isDue(.steps, on: day))
        let sealed = try Data(contentsOf: URL(filePath: device.path("store/reminders")))
        #expect(sealed.range(of: Data("motion".utf8)) == nil)
    }

    @Test func whatWasDismissedNeverComesAgain() throws {
        let (device, ledger) = try refusing()
        #expect(
            try device.anicca("permissions", "dismiss", "motion").output
                == "no command reminds of motion any more\n")
        #expect(try !device.anicca("days").messages.contains("motion"))
        let reminders = try Reminders(Installation(try Settings.load(device.configPath)))
        #expect(!reminders.isDue(.motion, on: UTCDay(daysSinceEpoch: 30_000)))
        // Another one is told.
        try ledger.change([.reply(.steps, .declined)], at: time)
        #expect(try device.anicca("days").messages.contains("steps is denied: declined by the wearer; "))
    }

    @Test func aSuspendedDomainIsTold() throws {
        let (device, ledger) = try TestDevice.withStore("[steps]\nchip = /dev/gpiochip-nowhere\nline = 4")
        try ledger.change([.reply(.steps, .agreed([.steps], offered: [.steps])), .found(.steps, .absent)], at: time)
        #expect(try ledger.consent().state.isSuspended(.steps))
        #expect(try device.anicca("days").messages.contains("steps is suspended: /dev/gpiochip-nowhere"))
    }

    /// What the administrator forbids, or what has no device, cannot be changed by the wearer.
    @Test func whatCannotBeChangedHidesNothingElse() throws {
        let (device, ledger) = try TestDevice.withStore("[policy]\nmotion = forbidden")
        try ledger.change(
            [.reply(.motion, .declined), .reply(.steps, .declined), .reply(.alarm, .declined)], at: time)
        #expect(try device.anicca("alarm", "list").messages.isEmpty == false)
        #expect(try device.anicca("days").messages.contains("steps is denied: declined by the wearer; "))
        #expect(try !device.anicca("alarm", "list").messages.contains("denied"))
    }

    @Test func aCommandThatShowsNothingOfItIsSilent() throws {
        let (device, _) = try refusing()
        for command in [["alarm", "list"], ["status"], ["queue"], ["time"]] {
            let outcome = try AniccaProgram.run(command + ["--config", device.configPath])
            #expect(!outcome.messages.contains("motion"), "\(outcome)")
        }
    }

    @Test func aFileThatCannotBeReadRemindsAgainAndOneThatCannotBeWrittenNever() throws {
        let (device, _) = try refusing()
        try device.write("store/reminders", "nonsense")
        #expect(try device.anicca("days").messages.contains(line))
        #expect(try !device.anicca("days").messages.contains(line))
        try FileManager.default.removeItem(atPath: device.path("store/reminders"))
        try FileManager.default.createDirectory(
            atPath: device.path("store/reminders"), withIntermediateDirectories: true)
        let outcome = try device.anicca("days")
        #expect(outcome.status == 0 && !outcome.messages.contains(line))
    }

    @Test func forgettingAllRemovesTheFile() throws {
        let (device, _) = try refusing()
        _ = try device.anicca("days")
        #expect(FileManager.default.fileExists(atPath: device.path("store/reminders")))
        _ = try device.anicca("forget", "--all", "--yes")
        #expect(!FileManager.default.fileExists(atPath: device.path("store/reminders")))
    }
}
