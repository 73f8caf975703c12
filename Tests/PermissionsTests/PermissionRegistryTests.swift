import Config
import Domains
import Core
import Testing

@testable import Store
@testable import Sensing

/// A registry over a real store and hardware that a test directs.
final class RegistryBench {
    let scratch: Scratch
    let ledger: Ledger
    let handlers: [StubHandler]
    let registry: PermissionRegistry
    private(set) var questions: [Permission] = []
    private(set) var acts: [ConsentAct] = []

    /// - Parameter domains: as the version of the program has them.
    init(
        _ policy: Settings.Consent = Settings().consent, domains: [Domain] = Domain.all,
        over other: RegistryBench? = nil
    ) throws {
        handlers = domains.map { StubHandler($0) }
        scratch = try other?.scratch ?? Scratch()
        ledger = try scratch.ledger(other == nil ? .keeper : .visitor)
        registry = PermissionRegistry(ledger: ledger, handlers: handlers.reversed(), policy: policy)
        registry.onChange = { [unowned self] in acts.append($0) }
    }

    func handler(_ domain: Domain) throws -> StubHandler { try #require(handlers.first { $0.domain == domain }) }

    @discardableResult
    func turn(_ domain: Domain, on isOn: Bool = true, answer: Answer?, at time: WallTime = noon) throws -> TurnOutcome {
        try registry.turn(domain, on: isOn, at: time) { permission, _ in
            questions.append(permission)
            return answer
        }
    }

    /// Agrees to the whole permission if asked.
    func turnOn(_ domain: Domain, at time: WallTime = noon) throws {
        let outcome = try turn(domain, answer: .agreedWholly(to: domain.permission), at: time)
        #expect(outcome == .changed(note: nil))
    }

    func isOn(_ domain: Domain) throws -> Bool { try ledger.consent().state.toggles.allows(domain) }
    func status(_ domain: Domain) throws -> PermissionStatus { try ledger.consent().state.status(of: domain) }
    var lines: [String] { acts.map(\.text) }
}

func policy(_ change: (inout Settings.Consent) -> Void) -> Settings.Consent { settings { change(&$0.consent) }.consent }

@Suite struct PermissionRegistryTests {
    private let bench: RegistryBench

    init() throws { bench = try RegistryBench() }

    @Test func agreementTurnsTheToggleOnAndIsAskedForOnce() throws {
        #expect(bench.registry.status(of: .motion) == .unknown)
        #expect(try bench.turn(.motion, answer: .agreedWholly(to: .motion)) == .changed(note: nil))
        #expect(bench.questions == [.motion])
        #expect(bench.registry.status(of: .motion) == .authorized)
        #expect(bench.lines == ["motion is on: the wearer agreed to motion and floors"])
        #expect(try bench.turn(.motion, answer: nil) == .already)
        #expect(try bench.turn(.motion, on: false, answer: nil) == .changed(note: nil))
        #expect(try bench.turn(.motion, on: false, answer: nil) == .already)
        #expect(try bench.turn(.motion, answer: nil) == .changed(note: nil))
        #expect(bench.questions == [.motion])
    }

    @Test func answerThatAnswersNothingIsNotAskedAboutTwice() throws {
        #expect(try bench.turn(.motion, answer: .agreed(.steps)) == .leftOpen)
        #expect(bench.questions.count == 1)
        #expect(try !bench.isOn(.motion))
    }

    @Test(arguments: [(Obstacle.absent, PermissionStatus.unsupported), (.refused, .denied)])
    func obstacleIsExplainedAndNotAskedAbout(obstacle: Obstacle, status: PermissionStatus) throws {
        try bench.handler(.motion).hardware = .blocked(obstacle, reason: "/dev/i2c-1: broken")
        #expect(
            try bench.turn(.motion, answer: .agreedWholly(to: .motion))
                == .refused(
                    status, reason: "/dev/i2c-1: broken", advice: "hint for \(status) because /dev/i2c-1: broken"))
        #expect(bench.questions.isEmpty)
        #expect(bench.lines == ["motion is blocked: \(obstacle) (/dev/i2c-1: broken)"])
        #expect(try bench.turn(.motion, answer: .agreedWholly(to: .motion)) != .already)
        #expect(bench.lines.count == 1, "one line, not one per attempt")
        try bench.handler(.motion).hardware = .ready
        try bench.turnOn(.motion)
    }

    @Test func domainThatTheConfigForbidsIsExplainedAndItsHardwareLeftAlone() throws {
        let bench = try RegistryBench(policy { $0.forbidden = DomainSet(.location) })
        #expect(
            try bench.turn(.location, answer: .declined)
                == .refused(
                    .restricted, reason: "[policy] location = forbidden in the config", advice: "hint for restricted"))
        #expect(bench.questions.isEmpty)
        #expect(try bench.handler(.location).requests == 0)
        #expect(try bench.ledger.trail().map(\.by) == [.administrator])
    }

    @Test func busyHardwareIsNotedAndTheToggleIsOn() throws {
        try bench.handler(.steps).hardware = .failing(reason: "line 17: held by \"fan\"")
        #expect(
            try bench.turn(.steps, answer: .agreedWholly(to: .health)) == .changed(note: "line 17: held by \"fan\""))
        #expect(try bench.isOn(.steps))
    }

    @Test func turningOffDoesNotLookAtTheHardware() throws {
        try bench.turnOn(.motion)
        try bench.handler(.motion).hardware = .blocked(.absent, reason: "gone")
        #expect(try bench.turn(.motion, on: false, answer: nil) == .changed(note: nil))
        #expect(try bench.handler(.motion).requests == 1)
        #expect(try bench.status(.motion) == .authorized)
    }

    @Test func whatTheConfigGrantsIsEnteredAsTheAdministrators() throws {
        let bench = try RegistryBench(policy { $0.granted = [.health] })
        #expect(try bench.turn(.steps, answer: nil) == .changed(note: nil))
        #expect(try bench.ledger.trail().map(\.by) == [.administrator, .wearer])
        #expect(bench.lines.first == "the config grants health (steps, sleep and walks)")

        let without = try RegistryBench(over: bench)
        try without.registry.applyPolicy(at: noon)
        #expect(try without.status(.steps) == .notDetermined)
        #expect(try !without.isOn(.steps))
        #expect(without.lines == ["steps is off: the config no longer grants health"])
    }

    @Test func actsOfAnotherProcessAreFoundOnce() throws {
        try bench.registry.refresh()
        let other = try RegistryBench(over: bench)
        try other.turnOn(.motion)
        try other.turnOn(.steps, at: noon + .seconds(1))
        #expect(bench.registry.status(of: .motion) == .notDetermined)
        #expect(try bench.registry.refresh() == other.acts)
        #expect(try bench.registry.refresh().isEmpty)
        #expect(bench.acts == other.acts)
    }

    @Test func actsOfOthersInBetweenArePublishedInOrder() throws {
        try bench.registry.refresh()
        let other = try RegistryBench(over: bench)
        try other.turnOn(.motion)
        try bench.registry.record(
            [DeviceLoss(domain: .motion, obstacle: .absent, reason: "unplugged")], at: noon + .seconds(1))
        #expect(
            bench.lines == [
                "motion is on: the wearer agreed to motion and floors", "motion is suspended: not there (unplugged)",
            ])
    }

    @Test func answerThatTookLongHasTheTimeAtWhichItWasGiven() throws {
        var time = noon
        _ = try bench.registry.turn(.motion, on: true, at: time) { _, _ in
            time = time + .minutes(5)
            return .agreedWholly(to: .motion)
        }
        #expect(try bench.ledger.trail().map(\.at) == [noon + .minutes(5), noon + .minutes(5)])
    }

    @Test func answerIsJudgedByWhatHoldsWhenItComes() throws {
        let other = try RegistryBench(over: bench)
        let outcome = try bench.registry.turn(.motion, on: true, at: noon) { _, _ in
            _ = try? other.registry.decide(.motion, .declined, at: noon)
            return .agreedWholly(to: .motion)
        }
        #expect(outcome == .refused(.denied, reason: "declined by the wearer", advice: "hint for denied"))
        #expect(try !bench.isOn(.motion))
    }
}
