import Domains
import Store
import Sensing
import Core
import Testing

@testable import anicca

/// `anicca permissions expand` and `narrow`.
@Suite struct ScopeTests {
    private static let time = WallTime(secondsSinceEpoch: 1_740_823_200)
    private static let both = Scope([.placeEvents, .coordinates])

    @Test(arguments: ["y", "n", "q"])
    func asksAboutWhatIsMissingAndTheEarlierStays(typed: String) throws {
        let desk = try Desk()
        try desk.ledger.change(
            [.reply(.location, .agreed(.placeEvents, offered: Self.both))], at: Self.time)
        let wearer = ScriptedWearer(typed)
        let outcome = try desk.flow(wearer.prompt).expand(.location)
        #expect(outcome == (typed == "y" ? .changed : typed == "n" ? .declined : .leftOpen))
        #expect(wearer.questions == 1)
        #expect(
            wearer.shown.contains("You agreed to place events; that stays. This question is about coordinates."))
        #expect(wearer.shown.contains("Do you agree? Type y (yes), n (no) or q (leave it open):"))
        #expect(wearer.shown.contains("anicca permissions narrow location"))
        let agreed = typed == "y" ? Self.both : .placeEvents
        #expect(try desk.state.answer(to: .location) == .agreed(agreed, offered: Self.both))
        #expect(try desk.state.toggles == DomainSet(.location))
    }

    @Test(arguments: [Domain.sleep, .steps]) func stepsAreWidenedBySleep(domain: Domain) throws {
        let desk = try Desk()
        try desk.ledger.change(
            [.reply(.steps, .agreed(.steps, offered: Permission.health.offeredScope))], at: Self.time)
        let wearer = ScriptedWearer("only steps", "yes")
        #expect(try desk.flow(wearer.prompt).expand(domain) == .changed)
        let widensSleep = domain == .sleep
        let subject = widensSleep ? "your sleep" : "your sleep and your walks and runs"
        #expect(wearer.shown.contains("Health: \(subject).\nYou agreed to steps; that stays."))
        let all = Permission.health.offeredScope
        #expect(
            try desk.state.answer(to: .health) == .agreed(widensSleep ? [.steps, .sleep] : all, offered: all))
        #expect(try desk.state.toggles == DomainSet(.steps), "sleep is turned on by its toggle")
        let again = ScriptedWearer("n")
        #expect(try desk.flow(again.prompt).expand(domain) == (widensSleep ? .declined : .already))
        #expect(again.questions == (widensSleep ? 1 : 0), "walks are left")
    }

    /// A later setting asks for more than the wearer was asked about.
    @Test(arguments: ["y", "n", "q"]) func whatIsSentBesidesFiguresIsAskedAboutOnce(typed: String) throws {
        let before = try Desk()
        #expect(try before.turn(.motion, ScriptedWearer("y")).isOn)
        let desk = try Desk(over: before) {
            $0.extra = .quarters
            $0.server.baseURL = "https://example.org"
        }
        let wearer = ScriptedWearer(typed)
        #expect(
            try desk.flow(wearer.prompt).expand(.motion)
                == (typed == "y" ? .changed : typed == "n" ? .declined : .leftOpen))
        #expect(
            wearer.shown.contains(
                "You agreed to motion and floors; that stays. This question is about coverage\nand quarters."))
        #expect(wearer.shown.contains("(coverage)") && wearer.shown.contains("(quarters)"))
        #expect(try desk.state.covers([.coverage, .quarters], of: .motion) == (typed == "y"))
        #expect(try desk.state.toggles == DomainSet(.motion), "what was agreed to stays")
        let again = ScriptedWearer([String](repeating: "n", count: Permission.all.count))
        #expect(try desk.setUp(again) == .complete)
        #expect(again.shown.contains("This question is about coverage") == (typed != "y"))
    }

    @Test func aQuestionAsksAboutAllThatIsSentAtOnce() throws {
        let desk = try Desk {
            $0.extra = .coverage
            $0.server.baseURL = "https://example.org"
        }
        #expect(try desk.turn(.steps, nil, agrees: true).isOn)
        #expect(try desk.state.covers(.coverage, of: .steps) && !desk.state.covers(.quarters, of: .steps))
        #expect(try desk.flow(nil).expand(.steps) == .already)
    }

    @Test func whereNothingWasAgreedToNothingIsAsked() throws {
        let desk = try Desk()
        try desk.ledger.change([.reply(.motion, .declined)], at: Self.time)
        let wearer = ScriptedWearer("y")
        for domain in [Domain.motion, .steps] {
            guard case .refused(let status, _, let advice) = try desk.flow(wearer.prompt).expand(domain) else {
                Issue.record("\(domain) was expanded")
                continue
            }
            #expect(status == (domain == .motion ? .denied : .notDetermined))
            #expect(advice.contains("mend \(domain)"))
        }
        #expect(wearer.shown.isEmpty)
    }

    @Test func hardwareThatIsAwayIsNotAskedAbout() throws {
        let desk = try Desk()
        try desk.ledger.change(
            [.reply(.location, .agreed(.placeEvents, offered: Self.both))], at: Self.time)
        desk.handler(.location).currentStatus = .blocked(.absent, reason: "no gpsd")
        let wearer = ScriptedWearer("y")
        let outcome = try desk.flow(wearer.prompt).expand(.location)
        #expect(outcome == .refused(.unsupported, reason: "no gpsd", advice: "mend location, which is unsupported"))
        #expect(wearer.shown.isEmpty)
        #expect(try desk.state.toggles == DomainSet(.location), "it is suspended")
    }

    @Test func inAScriptItIsAgreedToBeforehand() throws {
        let (device, ledger) = try TestDevice.withStore()
        try ledger.change([.reply(.steps, .agreed(.steps, offered: Permission.health.offeredScope))], at: Self.time)
        let asked = try device.anicca("permissions", "expand", "sleep")
        #expect(asked.status == 79 && asked.messages.contains("anicca permissions expand sleep --agree"))
        let outcome = try device.anicca("permissions", "expand", "sleep", "--agree")
        #expect(outcome.status == 0)
        #expect(
            outcome.output == "health: you agree to steps and sleep now; sleep is off: anicca toggle sleep on\n")
        #expect(device.bellRings)
        let json: [String: Any] = try device.anicca("permissions", "expand", "sleep", "--agree", "--json").json()
        #expect(json["changed"] as? Bool == true && json["agreed"] as? String == "steps, sleep and walks")
    }

    @Test func narrowingDeletesTheCoordinatesAndIsRecorded() throws {
        let (device, ledger) = try TestDevice.withStore()
        try ledger.change([.reply(.location, .agreed(Self.both))], at: Self.time)
        let position = try #require(Coordinates(latitude: 52.5163, longitude: 13.3777))
        let visit = Visit(arrived: Self.time, left: nil, place: 0, position: position)
        try ledger.commit(
            Batch(checkpoint: [], notes: [PlaceNote.visit(visit), .passed(Self.time, position)].map { BookNote($0) }))

        let outcome = try device.anicca("permissions", "narrow", "location")
        #expect(outcome.status == 0)
        #expect(outcome.output == "location: you agree to no more than place events now\n")
        #expect(device.bellRings)
        let places = try #require(try ledger.bookDays(PlaceDay.self).first?.row)
        #expect(places.visits.map(\.position) == [nil] && places.visits.map(\.arrived) == [Self.time])
        #expect(places.passed.isEmpty)
        #expect(try ledger.consent().state.toggles == DomainSet(.location))
        #expect(
            try ledger.trail().last?.change
                == .answer(.location, from: .agreed(Self.both), to: .agreed(.placeEvents, offered: Self.both)))
        let again = try device.anicca("permissions", "narrow", "location")
        #expect(again.output == "location: you agreed to no more than place events already\n")
    }

    /// The daemon does not run, so the command cuts what it left.
    @Test func denyingCutsTheStateThatADaemonLeft() throws {
        let (device, ledger) = try TestDevice.withStore()
        try ledger.change([.reply(.location, .agreed(Self.both))], at: Self.time)
        let before = try stateWithCoordinates()
        try ledger.commit(Batch(checkpoint: before))
        #expect(try device.anicca("permissions", "deny", "location").status == 0)
        let after = try #require(try ledger.checkpoint()?.bytes)
        #expect(after.count < before.count && !after.isEmpty)
    }

    /// As a session with the scope `coordinates` packs it after one fix.
    private func stateWithCoordinates() throws -> [UInt8] {
        let now = Instant(
            boot: BootTime(nanoseconds: 1 << 40), wall: WallTime(secondsSinceEpoch: 1_790_000_000), isSynchronised: true
        )
        var session = SensingSession(boot: BootID(high: 1, low: 2))
        session.begin(nil, at: now)
        _ = session.handle(.ordered(CollectionOrder(domains: DomainSet(.location))), at: now)
        _ = session.handle(.opened(.positions), at: now)
        let place = try #require(Coordinates(latitude: 52.5163, longitude: 13.3777))
        _ = session.handle(.fixes([Fix(at: now.boot, place, error: 5, speed: 0)]), at: now)
        return session.checkpoint(at: now)
    }

    @Test func whatHasNoPartsIsNotNarrowed() throws {
        let (device, _) = try TestDevice.withStore()
        let outcome = try device.anicca("permissions", "narrow", "steps")
        #expect(outcome.status == 64)
        #expect(outcome.messages.contains("steps has no parts; to end it: anicca toggle steps off"))
    }
}
