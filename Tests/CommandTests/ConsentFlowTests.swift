import Config
import Domains
import Foundation
import LaterVersion
import Store
import Sensing
import System
import Testing

@testable import anicca

/// Turning toggles with the wearer at hand, over hardware that is as a test says.
@Suite struct ConsentFlowTests {
    @Test func aNoWithdrawsWhatWasAgreedToElsewhereWhileTheQuestionStood() throws {
        let desk = try Desk()
        let typed = ScriptedWearer("n")
        let prompt = Prompt(
            readLine: {
                do {
                    #expect(try desk.turn(.motion, ScriptedWearer("y")).isOn)
                } catch {
                    Issue.record(error)
                }
                return typed.prompt.readLine()
            }, show: { _ in })
        let outcome = try desk.flow(prompt).turn(.motion, on: true)
        #expect(outcome.result == .declined)
        #expect(!outcome.isOn && outcome.text.contains("anicca permissions reset motion"))
        #expect(try desk.state.answer(to: .motion) == .declined)
        #expect(try desk.state.toggles == [])
    }

    @Test func threeLinesThatAreNoAnswerAreOneQuestion() throws {
        let desk = try Desk()
        let wearer = ScriptedWearer("what", "why", "who", "y")
        #expect(try desk.turn(.motion, wearer).result == .leftOpen)
        #expect(wearer.unsaid == ["y"])
        #expect(wearer.shown.components(separatedBy: "Motion: how much").count == 2, "the text is shown once")
        #expect(try desk.ledger.trail().isEmpty)
    }

    @Test(arguments: ["step sensor", "accelerometer"])
    func stepsAreTurnedOnWithTheDeviceThatTheyComeFrom(device: String) throws {
        let desk = try Desk()
        desk.handler(.steps).device = device
        let outcome = try desk.turn(.steps, ScriptedWearer("y"))
        #expect(outcome.text == "steps is on now: the \(device) is read, and steps joins the daily record")
    }

    @Test(arguments: [
        (DeviceStatus.blocked(.absent, reason: "nothing there"), PermissionStatus.unsupported, ExitCode.unavailable),
        (.blocked(.refused, reason: "permission denied"), .denied, .noPermission),
    ])
    func hardwareThatCannotBeUsedAsksNothing(found: DeviceStatus, status: PermissionStatus, code: ExitCode) throws {
        let desk = try Desk()
        desk.handler(.motion).currentStatus = found
        let wearer = ScriptedWearer("y")
        let outcome = try desk.turn(.motion, wearer)
        #expect(outcome.status == status)
        #expect(outcome.failure?.code == code)
        #expect(outcome.failure?.message.contains("mend motion") == true)
        #expect(wearer.shown.isEmpty)
        #expect(try desk.state.toggles == [])
    }

    @Test(arguments: Domain.afterSleep)
    func whatIsNotCollectedAsksNothingAndIsNotLookedFor(domain: Domain) throws {
        let desk = try Desk(.withSleep)
        for agrees in [false, true] {
            let wearer = ScriptedWearer("y")
            let outcome = try desk.turn(domain, wearer, agrees: agrees)
            #expect(outcome.status == .unsupported && !outcome.isOn)
            #expect(outcome.failure?.code == .unavailable)
            let reason = "\(domain) stays off, unsupported: this version does not collect it yet\n"
            #expect(outcome.failure?.message.hasPrefix(reason) == true)
            #expect(wearer.shown.isEmpty)
        }
        #expect(desk.handler(domain).requests == 0)
        #expect(try desk.ledger.trail().isEmpty)
    }

    @Test func hardwareThatFailsAtTheMomentIsTurnedOnWithANote() throws {
        let desk = try Desk()
        desk.handler(.motion).currentStatus = .failing(reason: "the bus is stuck\u{1B}[2J")
        let outcome = try desk.turn(.motion, ScriptedWearer("y"))
        #expect(outcome.isOn)
        #expect(outcome.failure == nil)
        #expect(outcome.text.contains("the bus is stuck\\u{1B}[2J"))
    }
}

/// A store, six pieces of hardware that are ready, and the wearer when one is given.
final class Desk {
    let device: TestDevice
    let ledger: Ledger
    private let handlers: [ScriptedHandler]
    private let settings: Settings

    /// The version of the program.
    enum Version {
        /// One that collects motion, steps and sleep.
        case withSleep
        case this
        /// One that collects every domain.
        case later

        var domains: [Domain] {
            switch self {
            case .withSleep: Domain.withSleep
            case .this: Domain.all
            case .later: Domain.all.map(\.later)
            }
        }
    }

    /// - Parameter other: whose store it has; a new one by default.
    init(
        _ version: Version = .this, over other: Desk? = nil, _ change: (inout Settings) -> Void = { _ in }
    ) throws {
        handlers = version.domains.map { ScriptedHandler($0) }
        device = try other?.device ?? TestDevice()
        ledger = try other?.ledger ?? device.makeStore()
        var settings = try Settings.load(device.configPath)
        change(&settings)
        self.settings = settings
    }

    /// As the store has it.
    var state: ConsentState { get throws { try ledger.consent().state } }

    func handler(_ domain: Domain) -> ScriptedHandler { handlers[Domain.all.firstIndex(of: domain) ?? 0] }

    /// With a registry of its own, as every command has.
    func flow(_ prompt: Prompt?) -> ConsentFlow {
        let registry = PermissionRegistry(ledger: ledger, handlers: handlers, policy: settings.consent)
        return ConsentFlow(registry: registry, settings: settings, prompt: prompt)
    }

    func turn(
        _ domain: Domain, on isOn: Bool = true, _ wearer: ScriptedWearer?, agrees: Bool = false
    ) throws -> ToggleOutcome {
        try flow(wearer?.prompt).turn(domain, on: isOn, agrees: agrees)
    }

    func setUp(_ wearer: ScriptedWearer) throws -> ConsentFlow.FirstRunEnd {
        try flow(wearer.prompt).setUp(in: wearer.prompt)
    }
}
