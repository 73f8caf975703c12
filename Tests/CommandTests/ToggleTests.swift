import Domains
import Foundation
import LaterVersion
import Store
import Loopback
import Core
import Testing

/// `anicca toggle` without a terminal, as a script runs it.
@Suite struct ToggleTests {
    @Test func theWearersDecisionIsStoredAndTheDaemonIsCalled() throws {
        let (device, ledger) = try TestDevice.withStore()
        let outcome = try device.anicca("toggle", "motion", "on", "--agree")
        #expect(outcome.status == 0)
        #expect(outcome.output.hasPrefix("motion is on now: "))
        #expect(outcome.messages.isEmpty)
        let consent = try ledger.consent()
        #expect(consent.state.toggles == DomainSet(.motion))
        #expect(consent.state.answeredBy(.motion) == .wearer)
        #expect(device.bellRings)

        try device.clearWakeFile()
        #expect(try device.anicca("toggle", "motion", "off").status == 0)
        #expect(try ledger.consent().state.toggles == [])
        #expect(device.bellRings)
        #expect(try device.anicca("toggle", "motion", "on").status == 0, "the answer stays")
    }

    @Test func withoutATerminalItAsksNothingAndSaysHowToAnswer() throws {
        let (device, ledger) = try TestDevice.withStore()
        let outcome = try device.anicca("toggle", "motion", "on")
        #expect(outcome.status == 79)
        #expect(outcome.output.isEmpty)
        #expect(!outcome.messages.contains("Do you agree?"))
        #expect(outcome.messages.contains("anicca toggle motion on --agree"))
        #expect(outcome.messages.contains("granted = motion in [consent]"))
        #expect(try ledger.trail().isEmpty)
        #expect(!device.bellRings)
    }

    @Test func theConfigCanAnswerForABenchDevice() throws {
        let (device, ledger) = try TestDevice.withStore("[consent]\ngranted = motion")
        #expect(try device.anicca("toggle", "motion", "on").status == 0)
        #expect(try ledger.consent().state.answeredBy(.motion) == .administrator)
    }

    @Test func whatTheConfigForbidsStaysOff() throws {
        let (device, ledger) = try TestDevice.withStore("[policy]\nmotion = forbidden")
        let outcome = try device.anicca("toggle", "motion", "on", "--agree")
        #expect(outcome.status == 77)
        #expect(outcome.messages.contains("restricted"))
        #expect(outcome.messages.contains("[policy]"))
        #expect(try ledger.consent().state.toggles == [])
    }

    @Test func absentHardwareIsNamedWithWhatToDo() throws {
        let (device, ledger) = try TestDevice.withStore("[steps]\nchip = /dev/gpiochip-nowhere\nline = 4")
        let outcome = try device.anicca("toggle", "steps", "on", "--agree")
        #expect(outcome.status == 69)
        #expect(outcome.messages.contains("steps stays off, unsupported"))
        #expect(outcome.messages.contains("correct chip and line in [steps]"))
        #expect(try ledger.consent().state.toggles == [])
        #expect(try ledger.consent().state.answer(to: .health) == .notAsked)
    }

    @Test func aBusThatTheKernelRefusesIsDenied() throws {
        let (device, ledger) = try TestDevice.withStore()
        try device.closeBus()
        let outcome = try AniccaProgram.run(
            ["toggle", "motion", "on", "--agree", "--config", device.configPath], heedsModes: true)
        #expect(outcome.status == 77)
        #expect(outcome.messages.contains("motion stays off, denied: \(device.busPath): permission denied"))
        #expect(outcome.messages.contains("usermod -aG i2c anicca"))
        #expect(try ledger.consent().state.toggles == [])
    }

    @Test func whatIsSoAlreadyChangesNothing() throws {
        let (device, ledger) = try TestDevice.withStore()
        _ = try device.anicca("toggle", "motion", "on", "--agree")
        try device.clearWakeFile()
        let count = try ledger.trail().count
        let outcome = try device.anicca("toggle", "motion", "on")
        #expect(outcome.status == 0)
        #expect(outcome.output.hasPrefix("motion is on already, since 20"))
        #expect(try ledger.trail().count == count)
        #expect(!device.bellRings)
    }

    @Test func aToggleThatIsOnAndSuspendedSaysSo() throws {
        let (device, ledger) = try TestDevice.withStore()
        try ledger.change(
            [
                .reply(.motion, .agreedWholly(to: .motion)), .found(.motion, .absent),
            ], at: WallTime(secondsSinceEpoch: 1_740_823_200))
        let outcome = try device.anicca("toggle", "motion", "on")
        #expect(outcome.status == 0)
        #expect(
            outcome.output.hasSuffix(
                "\nbut it is suspended: its device is missing; anicca permissions --config \(device.configPath) says why\n"
            ))
        let json = try device.anicca("toggle", "motion", "on", "--json").output
        #expect(json.contains(#""suspended":true"#))
    }

    @Test func withoutADaemonItIsStoredAllTheSame() throws {
        let (device, ledger) = try TestDevice.withStore()
        try FileManager.default.removeItem(atPath: device.wakeFileDirectory)
        let outcome = try device.anicca("toggle", "motion", "on", "--agree")
        #expect(outcome.status == 0)
        #expect(outcome.messages.components(separatedBy: "aniccad is not running").count == 2, "told once")
        #expect(try ledger.consent().state.toggles == DomainSet(.motion))
    }

    @Test func aWithdrawalThatCannotBeStoredSaysHowToStopAllTheSame() throws {
        let (device, ledger) = try TestDevice.withStore()
        #expect(try device.anicca("toggle", "motion", "on", "--agree").status == 0)
        try device.refuseEntries()
        for arguments in [["toggle", "motion", "off"], ["permissions", "deny", "motion"]] {
            let outcome = try AniccaProgram.run(arguments + ["--config", device.configPath])
            #expect(outcome.status == 69)
            #expect(outcome.output.isEmpty)
            #expect(outcome.messages.contains("domains that are on stay on"))
            #expect(outcome.messages.contains("systemctl stop aniccad"))
        }
        #expect(try ledger.consent().state.toggles == DomainSet(.motion))
    }

    @Test func anUnknownDomainListsTheKnownOnes() throws {
        let device = try TestDevice()
        let outcome = try device.anicca("toggle", "heartbeat", "on")
        #expect(outcome.status == 64)
        for domain in Domain.all { #expect(outcome.messages.contains("\(domain)")) }
    }

    @Test func nobodyAgreesToTurningOff() throws {
        #expect(try TestDevice().anicca("toggle", "motion", "off", "--agree").status == 64)
    }

    @Test func aKeyThatOthersCanReadIsRefused() throws {
        let (device, _) = try TestDevice.withStore()
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: device.keyPath)
        let outcome = try device.anicca("toggle", "motion", "on")
        #expect(outcome.status == 77)
        #expect(outcome.messages.contains("chmod 0600 \(device.keyPath)"))
    }

    @Test func jsonAlsoTellsWhyNot() throws {
        let (device, _) = try TestDevice.withStore()
        let outcome = try device.anicca("toggle", "alarm", "on", "--json")
        #expect(outcome.status == 69)
        let json: [String: Any] = try outcome.json()
        #expect(json["on"] as? Bool == false)
        #expect(json["changed"] as? Bool == false)
        #expect(json["status"] as? String == "unsupported")
        #expect((json["reason"] as? String)?.isEmpty == false)
        #expect((json["advice"] as? String)?.isEmpty == false)
    }
}
