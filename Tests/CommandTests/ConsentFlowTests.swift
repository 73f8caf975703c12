import Config
import Consent
import Domains
import Foundation
import LaterVersion
import Ledger
import Permissions
import Program
import Testing

@testable import anicca

/// Turning toggles with the wearer at hand, over hardware that is as a test says.
@Suite struct ConsentFlowTests {
    @Test func yesIsStoredAndNeverAskedForAgain() throws {
        let desk = try Desk()
        let wearer = ScriptedWearer("y")
        let outcome = try desk.turn(.motion, wearer)
        #expect(outcome.result == .changed(note: nil))
        #expect(outcome.failure == nil)
        #expect(wearer.questions == 1)
        #expect(try desk.state.answer(to: .motion) == .agreed(.motion))
        #expect(try desk.state.toggles == DomainSet(.motion))

        let again = ScriptedWearer("n")
        #expect(try desk.turn(.motion, again).result == .already)
        #expect(try desk.turn(.motion, on: false, again).result == .changed(note: nil))
        #expect(try desk.turn(.motion, again).result == .changed(note: nil))
        #expect(again.questions == 0)
    }

    @Test func noIsStoredAndNeverAskedForAgain() throws {
        let desk = try Desk()
        let outcome = try desk.turn(.motion, ScriptedWearer("no"))
        #expect(outcome.result == .declined)
        #expect(outcome.failure?.code == .noPermission)
        #expect(outcome.text.contains("anicca permissions reset motion"))
        #expect(try desk.state.answer(to: .motion) == .declined)

        let again = ScriptedWearer("y")
        let refusal = try desk.turn(.motion, again)
        #expect(refusal.failure?.code == .noPermission)
        #expect(again.questions == 0)
        #expect(try desk.state.toggles == [])
    }

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
        #expect(!outcome.isOn)
        #expect(try desk.state.answer(to: .motion) == .declined)
        #expect(try desk.state.toggles == [])
    }

    @Test func aQuestionThatIsLeftOpenChangesNothingAndIsAskedAgainAtTheNextTurn() throws {
        let desk = try Desk()
        let outcome = try desk.turn(.motion, ScriptedWearer("q"))
        #expect(outcome.result == .leftOpen)
        #expect(outcome.failure?.code == .consentNeeded)
        #expect(try desk.ledger.trail().isEmpty)
        #expect(try desk.turn(.motion, ScriptedWearer("y")).isOn)
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

    @Test func aPartOfAPermissionLimitsIt() throws {
        let desk = try Desk(.later)
        #expect(try desk.turn(.steps, ScriptedWearer("only steps")).isOn)
        #expect(try desk.state.answer(to: .health) == .agreed(.steps, offered: [.steps, .sleep]))
        let other = ScriptedWearer("y")
        #expect(try desk.turn(.sleep, other).failure?.code == .noPermission)
        #expect(other.questions == 0)
        #expect(try desk.turn(.location.later, ScriptedWearer("events only")).status == .limited)
        #expect(
            try desk.state.answer(to: .location) == .agreed(.placeEvents, offered: [.placeEvents, .coordinates]))
    }

    @Test func theOtherDomainOfAPermissionIsNotTurnedOnWithIt() throws {
        let desk = try Desk(.later)
        #expect(try desk.turn(.steps, ScriptedWearer("y")).status == .authorized)
        #expect(try desk.state.status(of: .sleep) == .authorized)
        #expect(try desk.state.toggles == DomainSet(.steps))
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

    @Test func whatTheConfigForbidsAsksNothing() throws {
        let desk = try Desk { $0.consent.forbidden = DomainSet(.location) }
        let wearer = ScriptedWearer("y")
        let outcome = try desk.turn(.location, wearer)
        #expect(outcome.status == .restricted)
        #expect(outcome.failure?.code == .noPermission)
        #expect(wearer.shown.isEmpty)
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

    @Test func whatTheConfigGrantsAsksNothing() throws {
        let desk = try Desk { $0.consent.granted = [.motion] }
        #expect(try desk.turn(.motion, nil).isOn)
        #expect(try desk.state.answeredBy(.motion) == .administrator)
    }

    @Test func hardwareThatFailsAtTheMomentIsTurnedOnWithANote() throws {
        let desk = try Desk()
        desk.handler(.motion).currentStatus = .failing(reason: "the bus is stuck\u{1B}[2J")
        let outcome = try desk.turn(.motion, ScriptedWearer("y"))
        #expect(outcome.isOn)
        #expect(outcome.failure == nil)
        #expect(outcome.text.contains("the bus is stuck\\u{1B}[2J"))
    }

    @Test func withoutATerminalItSaysHowToAnswer() throws {
        let desk = try Desk()
        let outcome = try desk.turn(.steps, nil)
        #expect(outcome.result == .cannotAsk(.health))
        let failure = try #require(outcome.failure)
        #expect(failure.code == .consentNeeded)
        #expect(failure.message.contains("anicca toggle steps on --agree"))
        #expect(failure.message.contains("granted = health in [consent]"))
        #expect(try desk.ledger.trail().isEmpty)
    }

    @Test func agreeingBeforehandIsTheWearersAnswer() throws {
        let desk = try Desk()
        #expect(try desk.turn(.steps, nil, agrees: true).status == .authorized)
        #expect(try desk.state.answer(to: .health) == .agreed([.steps, .sleep], offered: [.steps, .sleep]))
        #expect(try desk.state.answeredBy(.health) == .wearer)
        #expect(try desk.state.toggles == DomainSet(.steps))
    }

    @Test func agreeingBeforehandDoesNotOverrideANo() throws {
        let desk = try Desk()
        _ = try desk.turn(.motion, ScriptedWearer("n"))
        #expect(try desk.turn(.motion, nil, agrees: true).failure?.code == .noPermission)
        #expect(try desk.state.answer(to: .motion) == .declined)
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
        /// The first, which collects motion and steps.
        case earlier
        /// One that collects sleep too.
        case withSleep
        case this
        /// One that collects every domain.
        case later

        var domains: [Domain] {
            switch self {
            case .earlier: Domain.beforeSleep
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
