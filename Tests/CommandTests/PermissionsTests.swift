import Domains
import Foundation
import Store
import Core
import Testing

/// `anicca permissions`, its `deny` and its `reset`.
@Suite struct PermissionsTests {
    private let time = WallTime(secondsSinceEpoch: 1_740_823_200)

    @Test func aRowForEachDomainSaysWhyAndWhatToDo() throws {
        let (device, ledger) = try TestDevice.withStore(
            "[policy]\nlocation = forbidden\n[steps]\nchip = /dev/gpiochip-nowhere\nline = 4")
        try ledger.change([.reply(.motion, .agreedWholly(to: .motion))], at: time)
        let rows: [[String: Any]] = try device.anicca("permissions", "--json").json()
        #expect(rows.map { $0["domain"] as? String } == Domain.all.map(\.description))
        let byDomain = Dictionary(uniqueKeysWithValues: rows.map { ($0["domain"] as? String ?? "", $0) })
        #expect(byDomain["motion"]?["status"] as? String == "authorized")
        #expect(byDomain["motion"]?["on"] as? Bool == true)
        #expect(byDomain["motion"]?["toggledAt"] as? String == time.description)
        #expect(byDomain["motion"]?["since"] as? String == time.description)
        #expect(byDomain["steps"]?["status"] as? String == "unsupported")
        #expect((byDomain["steps"]?["reason"] as? String)?.isEmpty == false)
        #expect((byDomain["steps"]?["advice"] as? String)?.contains("[steps]") == true)
        #expect(byDomain["steps"]?["device"] as? String == "step sensor")
        #expect(byDomain["location"]?["status"] as? String == "restricted")
    }

    @Test func denyingTurnsOffAndStaysSo() throws {
        let (device, ledger) = try TestDevice.withStore()
        try ledger.change(
            [.reply(.steps, .agreed([.steps, .sleep], offered: [.steps, .sleep])), .turn(.sleep, on: true)],
            at: time)
        #expect(try ledger.consent().state.toggles == [.steps, .sleep])
        let outcome = try device.anicca("permissions", "deny", "health")
        #expect(outcome.status == 0)
        #expect(outcome.output.hasPrefix("health is denied now: steps is off, sleep is off, walks is off; "))
        #expect(try ledger.consent().state.toggles == [])
        #expect(try ledger.consent().state.answer(to: .health) == .declined)
        #expect(device.bellRings)

        try device.clearWakeFile()
        #expect(try device.anicca("permissions", "deny", "health").output == "health is denied already\n")
        #expect(!device.bellRings)
    }

    @Test func afterAResetTheQuestionMayBeAskedAgain() throws {
        let (device, ledger) = try TestDevice.withStore()
        try ledger.change([.reply(.motion, .declined)], at: time)
        #expect(try device.anicca("toggle", "motion", "on", "--agree").status == 77)
        let json: [String: Any] = try device.anicca("permissions", "reset", "motion", "--json").json()
        #expect(json["permission"] as? String == "motion")
        #expect(json["changed"] as? Bool == true)
        #expect(device.bellRings)
        #expect(try device.anicca("toggle", "motion", "on", "--agree").status == 0)
    }

    @Test func anAnswerOfTheConfigComesBack() throws {
        let (device, _) = try TestDevice.withStore("[consent]\ngranted = motion")
        #expect(try device.anicca("toggle", "motion", "on").status == 0)
        let reset = try device.anicca("permissions", "reset", "motion")
        #expect(reset.output == "motion is answered by the config now: motion is off, floors is off\n")
        #expect(reset.messages.contains("[consent] granted"))
        // Denying is stronger than the config.
        #expect(try device.anicca("permissions", "deny", "motion").status == 0)
        #expect(try device.anicca("toggle", "motion", "on").status == 77)
    }

    @Test func anUnknownPermissionListsTheKnownOnes() throws {
        let outcome = try TestDevice().anicca("permissions", "deny", "steps")
        #expect(outcome.status == 64)
        for permission in Permission.all { #expect(outcome.messages.contains("\(permission)")) }
    }
}
