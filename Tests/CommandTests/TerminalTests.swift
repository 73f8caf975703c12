import Domains
import Ledger
import Testing

/// The real program on a real terminal.
@Suite struct TerminalTests {
    @Test func yesTurnsItOn() throws {
        let device = try TestDevice()
        let ledger = try device.makeStore()
        let terminal = try device.terminal("toggle", "screenTime", "on")
        try terminal.wait(for: "Do you agree?")
        #expect(terminal.shown.contains("snsMinutesTotal"))
        #expect(terminal.shown.contains("anicca permissions deny screenTime"))
        try terminal.type("y\n")
        try terminal.wait(for: "screenTime is on now")
        #expect(terminal.end() == 0)
        #expect(try ledger.consent().state.toggles == DomainSet(.screenTime))
        #expect(device.bellRings)
    }

    @Test func noIsStoredAndStaysNo() throws {
        let device = try TestDevice()
        let ledger = try device.makeStore()
        let terminal = try device.terminal("toggle", "screenTime", "on")
        try terminal.wait(for: "Do you agree?")
        try terminal.type("n\n")
        #expect(terminal.end() == 77)
        #expect(try ledger.consent().state.answer(to: .screenTime) == .declined)
        let again = try device.terminal("toggle", "screenTime", "on")
        #expect(again.end() == 77)
        #expect(!again.shown.contains("Do you agree?"))
    }

    /// `q`, Ctrl-D, and a word without Enter before Ctrl-D.
    @Test(arguments: ["q\n", "\u{4}", "y\u{4}\u{4}"])
    func leavingStoresNothing(typed: String) throws {
        let device = try TestDevice()
        let ledger = try device.makeStore()
        let terminal = try device.terminal("toggle", "screenTime", "on")
        try terminal.wait(for: "Do you agree?")
        try terminal.type(typed)
        #expect(terminal.end() == 79)
        #expect(try ledger.trail().isEmpty)
        #expect(!device.bellRings)
    }

    @Test func aFirstRunThatIsInterruptedGoesOnWhereItStopped() throws {
        let gpsd = try ScriptedGPSD()
        let device = try TestDevice("[location]\ngpsd-port = \(gpsd.port)")
        let ledger = try device.makeStore()
        let first = try device.terminal("setup")
        try first.wait(for: "1 of 5")
        try first.wait(for: "Do you agree?")
        try first.type("y\n")
        try first.wait(for: "4 of 5")
        try first.wait(for: "Do you agree?")
        try first.type("\u{3}")
        #expect(first.end() == 128 + 2)
        #expect(try ledger.consent().state.toggles == DomainSet(.screenTime))

        let second = try device.terminal("setup")
        try second.wait(for: "screenTime is on")
        try second.wait(for: "Location:")
        try second.wait(for: "Do you agree?")
        try second.type("events only\n")
        try second.wait(for: "location is on now")
        try second.wait(for: "That was all")
        #expect(second.end() == 0)
        #expect(try ledger.consent().state.status(of: .location) == .limited)
    }

    @Test func hostileTypingIsShownHarmlessAndStoresNothing() throws {
        let device = try TestDevice()
        let ledger = try device.makeStore()
        let terminal = try device.terminal("toggle", "screenTime", "on")
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
        let device = try TestDevice()
        let ledger = try device.makeStore()
        for (typed, isForgotten) in [("no\n", false), ("q\n", false), ("y\nyes\n", true)] {
            let terminal = try device.terminal("forget", "steps")
            try terminal.wait(for: "Type yes")
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
