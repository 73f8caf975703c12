import Domains
import Store
import Testing

/// The real program on a real terminal.
@Suite struct TerminalTests {
    @Test func yesTurnsItOn() throws {
        let (device, ledger) = try TestDevice.withStore()
        let terminal = try device.terminal("toggle", "motion", "on")
        try terminal.wait(for: "Do you agree?")
        #expect(terminal.shown.contains("sedentaryMinutes"))
        #expect(terminal.shown.contains("anicca permissions deny motion"))
        try terminal.type("y\n")
        try terminal.wait(for: "motion is on now")
        #expect(terminal.end() == 0)
        #expect(try ledger.consent().state.toggles == DomainSet(.motion))
        #expect(device.bellRings)
    }

    @Test func noIsStoredAndStaysNo() throws {
        let (device, ledger) = try TestDevice.withStore()
        let terminal = try device.terminal("toggle", "motion", "on")
        try terminal.wait(for: "Do you agree?")
        try terminal.type("n\n")
        #expect(terminal.end() == 77)
        #expect(try ledger.consent().state.answer(to: .motion) == .declined)
        let again = try device.terminal("toggle", "motion", "on")
        #expect(again.end() == 77)
        #expect(!again.shown.contains("Do you agree?"))
    }

    /// `q`, Ctrl-D, and a word without Enter before Ctrl-D.
    @Test(arguments: ["q\n", "\u{4}", "y\u{4}\u{4}"])
    func leavingStoresNothing(typed: String) throws {
        let (device, ledger) = try TestDevice.withStore()
        let terminal = try device.terminal("toggle", "motion", "on")
        try terminal.wait(for: "Do you agree?")
        try terminal.type(typed)
        #expect(terminal.end() == 79)
        #expect(try ledger.trail().isEmpty)
        #expect(!device.bellRings)
    }

    @Test func aFirstRunThatIsInterruptedGoesOnWhereItStopped() throws {
        let (device, ledger) = try TestDevice.withStore()
        let first = try device.terminal("setup")
        try first.wait(for: "1 of 3")
        try first.wait(for: "Do you agree?")
        try first.type("y\n")
        try first.wait(for: "Height in cm [none]")
        try first.type("178\n")
        try first.wait(for: "Weight in kg [none]")
        try first.type("\n")
        try first.wait(for: "Year of birth [none]")
        try first.type("q\n")
        try first.wait(for: "2 of 3")
        try first.wait(for: "Do you agree?")
        try first.type("\u{3}")
        #expect(first.end() == 128 + 2)
        #expect(try ledger.consent().state.toggles == [.steps, .sleep, .walks])
        #expect(try ledger.book(WearerProfile.self).height == 178)

        let second = try device.terminal("setup")
        try second.wait(for: "steps is on")
        try second.wait(for: "Motion:")
        try second.wait(for: "Do you agree?")
        try second.type("y\n")
        try second.wait(for: "motion is on now")
        try second.wait(for: "3 of 3")
        try second.wait(for: "Do you agree?")
        try second.type("y\n")
        try second.wait(for: "heart is on now")
        try second.wait(for: "All questions are asked")
        #expect(second.end() == 0)
        #expect(try ledger.consent().state.toggles == [.motion, .steps, .sleep, .walks, .floors, .heart])
        for domain in ["minutes of social-app", "gpsd; whether", "buzzer is switched"] {
            #expect(!(first.shown + second.shown).contains(domain), "not asked about")
        }
    }

    @Test func hostileTypingIsShownHarmlessAndStoresNothing() throws {
        let (device, ledger) = try TestDevice.withStore()
        let terminal = try device.terminal("toggle", "motion", "on")
        for typed in ["\u{1B}[2J\u{202E}", String(repeating: "y", count: 3000), "Y\u{300}"] {
            try terminal.wait(for: "Do you agree?")
            try terminal.type(typed + "\n")
        }
        #expect(terminal.end() == 79)
        // The kernel echoes an escape as ^[; a raw one could come only from the program.
        #expect(!terminal.shown.contains("\u{1B}"))
        #expect(try ledger.trail().isEmpty)
    }

    @Test func forgettingWantsTheWholeWord() throws {
        let (device, ledger) = try TestDevice.withStore()
        for (typed, isForgotten) in [("no\n", false), ("\n", false), ("q\n", false), ("y\nyes\n", true)] {
            let terminal = try device.terminal("forget", "steps")
            try terminal.wait(for: "Type yes")
            #expect(terminal.shown.contains("Stored now: 0 days, 0 quarters of an hour, 0 unsent values."))
            try terminal.type(typed)
            #expect(terminal.end() == 0)
            #expect(terminal.shown.contains("steps is forgotten") == isForgotten)
            #expect(try ledger.trail().isEmpty == !isForgotten)
        }
    }
}

extension TestDevice {
    /// A command with this device's configuration, on a terminal.
    func terminal(_ arguments: String...) throws -> Terminal {
        try Terminal(arguments + ["--config", configPath])
    }
}
