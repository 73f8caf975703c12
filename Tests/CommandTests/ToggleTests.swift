import Consent
import Foundation
import Testing

@Suite struct ToggleTests {
    @Test func theWearersDecisionIsStoredAndTheDaemonIsCalled() throws {
        let device = try TestDevice()
        let ledger = try device.makeStore()
        let outcome = try device.anicca("toggle", "motion", "on")
        #expect(outcome.status == 0)
        #expect(outcome.output.hasPrefix("motion is on now: "))
        #expect(outcome.messages.isEmpty)
        #expect(try ledger.toggles() == Toggles(.motion))
        #expect(try ledger.currentEntry(for: .motion)?.by == .wearer)
        #expect(FileManager.default.fileExists(atPath: "\(device.bellDirectory)/daemon"))
    }

    @Test func whatIsSoAlreadyChangesNothing() throws {
        let device = try TestDevice()
        let ledger = try device.makeStore()
        _ = try device.anicca("toggle", "steps", "on")
        try FileManager.default.removeItem(atPath: "\(device.bellDirectory)/daemon")
        let outcome = try device.anicca("toggle", "steps", "on")
        #expect(outcome.status == 0)
        #expect(outcome.output.hasPrefix("steps is on already, since 20"))
        #expect(try ledger.trail().count == 1)
        #expect(!FileManager.default.fileExists(atPath: "\(device.bellDirectory)/daemon"))
    }

    @Test func withoutADaemonItIsStoredAllTheSame() throws {
        let device = try TestDevice()
        let ledger = try device.makeStore()
        try FileManager.default.removeItem(atPath: device.bellDirectory)
        let outcome = try device.anicca("toggle", "motion", "on")
        #expect(outcome.status == 0)
        #expect(outcome.messages.contains("aniccad is not running"))
        #expect(try ledger.toggles() == Toggles(.motion))
    }

    @Test func anUnknownDomainListsTheKnownOnes() throws {
        let device = try TestDevice()
        let outcome = try device.anicca("toggle", "heartbeat", "on")
        #expect(outcome.status == 64)
        for domain in Domain.allCases { #expect(outcome.messages.contains("\(domain)")) }
    }

    @Test func withoutAStoreItSaysWhoMakesOne() throws {
        let outcome = try TestDevice().anicca("toggle", "motion", "on")
        #expect(outcome.status == 69)
        #expect(outcome.messages.contains("start aniccad"))
    }

    @Test func aKeyThatOthersCanReadIsRefused() throws {
        let device = try TestDevice()
        try device.makeStore()
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: device.keyPath)
        let outcome = try device.anicca("toggle", "motion", "on")
        #expect(outcome.status == 77)
        #expect(outcome.messages.contains("chmod 0600 \(device.keyPath)"))
    }

    @Test func jsonTellsWhatHasBecomeOfIt() throws {
        let device = try TestDevice()
        try device.makeStore()
        let json: [String: Any] = try device.anicca("toggle", "sleep", "on", "--json").json()
        #expect(json["domain"] as? String == "sleep")
        #expect(json["on"] as? Bool == true)
        #expect(json["changed"] as? Bool == true)
        #expect(json["since"] is String)
    }
}
