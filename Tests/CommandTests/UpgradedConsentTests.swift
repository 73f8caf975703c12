import Domains
import Store
import Core
import Testing

/// The real program over a store of the version before, to which steps were all of `health`.
@Suite struct UpgradedConsentTests {
    private let device: TestDevice
    private let ledger: Ledger
    init() throws {
        device = try TestDevice()
        ledger = try device.makeStore()
        let time = WallTime(secondsSinceEpoch: 1_740_823_200)
        try ledger.change([.reply(.steps, .agreed(.steps, offered: .steps))], at: time)
        try ledger.change([.reply(.motion, .agreedWholly(to: .motion))], at: time)
    }

    private var state: ConsentState { get throws { try ledger.consent().state } }

    @Test func withoutATerminalItSaysHowToAnswerAndStepsGoOn() throws {
        let count = try ledger.trail().count
        let setup = try device.anicca("setup")
        #expect(setup.status == 79 && setup.messages.hasPrefix("not answered yet: health, heart\n"))
        let toggle = try device.anicca("toggle", "sleep", "on")
        #expect(toggle.status == 79)
        for outcome in [setup, toggle] { #expect(outcome.messages.contains("anicca toggle sleep on --agree")) }
        #expect(try ledger.trail().count == count)
        #expect(try device.anicca("toggle", "sleep", "on", "--agree").status == 0)
        #expect(try state.toggles == [.motion, .steps, .sleep])
        #expect(
            try state.answer(to: .health)
                == .agreed(Permission.health.offeredScope, offered: Permission.health.offeredScope))
        #expect(try state.status(of: .steps) == .authorized && ledger.consent().isTrusted)
    }

    @Test(arguments: ["y\n", "n\n", "q\n"])
    func turnedOnSleepIsAskedAboutAnew(typed: String) throws {
        let terminal = try device.terminal("toggle", "sleep", "on")
        try terminal.wait(for: "You agreed to steps; that stays. This question is about sleep and walks.")
        try terminal.wait(for: "Do you agree? Type y (yes), only sleep, n (no) or q (leave it open):")
        try terminal.type(typed)
        #expect(terminal.end() == ["y\n": 0, "n\n": 77, "q\n": 79][typed])
        let agrees = typed == "y\n"
        #expect(try state.toggles == (agrees ? [.motion, .steps, .sleep] : [.motion, .steps]))
        #expect(try state.status(of: .sleep) == (agrees ? .authorized : typed == "n\n" ? .denied : .notDetermined))
        let again = try device.terminal("toggle", "sleep", "on")
        if typed == "q\n" {
            try again.wait(for: "Do you agree?")
            try again.type("q\n")
        }
        #expect(again.end() == ["y\n": 0, "n\n": 77, "q\n": 79][typed])
        #expect(again.shown.contains("Do you agree?") == (typed == "q\n"))
    }

    @Test func aSetupAsksAboutSleepAlone() throws {
        let terminal = try device.terminal("setup")
        try terminal.wait(for: "1 of 3")
        try terminal.wait(for: "Health: your steps, your sleep and your walks and runs.")
        try terminal.wait(for: "Do you agree?")
        try terminal.type("y\n")
        try terminal.wait(for: "steps is on already")
        try terminal.wait(for: "sleep is on now: the accelerometer is read")
        try terminal.wait(for: "Height in cm [none]")
        try terminal.type("q\n")
        try terminal.wait(for: "3 of 3")
        try terminal.wait(for: "Do you agree?")
        try terminal.type("n\n")
        try terminal.wait(for: "All questions are asked")
        #expect(terminal.end() == 0)
        #expect(try state.toggles == [.motion, .steps, .sleep, .walks])
    }

    /// Steps alone, when both were offered.
    @Test func whoAgreedToLessThanWasOfferedIsToldHowToWidenIt() throws {
        let (device, ledger) = try TestDevice.withStore()
        let time = WallTime(secondsSinceEpoch: 1_740_823_200)
        try ledger.change([.reply(.steps, .agreed(.steps, offered: Permission.health.offeredScope))], at: time)
        let terminal = try device.terminal("toggle", "sleep", "on")
        #expect(terminal.end() == 77)
        #expect(terminal.shown.contains("sleep stays off, denied: agreed to no more than steps"))
        #expect(terminal.shown.contains("to agree to more, run: anicca permissions expand sleep"))
        #expect(!terminal.shown.contains("Do you agree?"))
        let setup = try device.anicca("setup")
        #expect(setup.status == 79 && setup.messages.hasPrefix("not answered yet: motion, heart\n"))
        #expect(try ledger.consent().state.toggles == DomainSet(.steps))
        #expect(try ledger.consent().state.status(of: .steps) == .limited)
    }
}
