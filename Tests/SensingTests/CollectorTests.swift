import Domains
import Core
import Signal
import Testing

@testable import Sensing

private let noon = UTCDay(daysSinceEpoch: 20_103).start + .hours(12)

/// Counts windows and pulses; raises an event at the tenth window, and wants to be woken every hour.
private struct Probe: Collector {
    private(set) var windows: Int64 = 0
    private(set) var pulses: Int64 = 0
    private(set) var scopes: [Scope] = []
    private(set) var hours = 0
    private var nextHour: BootTime?

    init(_ settings: DomainValues) {}

    mutating func handle(_ input: CollectorInput, at now: BootTime) -> [CollectorEffect] {
        switch input {
        case .began(let scope, _):
            scopes.append(scope)
            nextHour = now + .hours(1)
            return [.observe(.socialMinutes)]
        case .window:
            windows += 1
            // The second and third are not its own.
            let amounts: [CollectorEffect] = [
                .add(.one(Interval.minutes(1).nanoseconds, at: now), to: .socialMinutes),
                .add(.one(1_000, at: now), to: .steps),
                .raise(.sedentaryLong, value: 1),
            ]
            return amounts + (windows == 10 ? [.raise(.visit, value: 0)] : [])
        case .pulses(let batch, _): pulses += Int64(batch.count)
        case .woke:
            hours += 1
            nextHour = now + .hours(1)
        default: break
        }
        return []
    }

    func agenda(at now: BootTime) -> BootTime? { nextHour }

    func pack(into packer: inout Packer) { packer.put(windows) }

    mutating func unpack(
        from unpacker: inout Unpacker, version: UInt8, times: RestoredTimes
    ) throws(Unpacker.Malformed) {
        windows = try unpacker.takeAmount()
    }
}

/// Bears the id of another domain, so that its figure is a known one.
private func probe(hardware: Hardware = .accelerometer) -> Domain {
    Domain(
        id: Domain.screenTime.id, name: "probe", permission: .screenTime,
        scopes: [ScopePart(.screenTime, "probe"), ScopePart(.coordinates, "more")], least: .screenTime,
        hardware: hardware,
        figures: [.socialMinutes], events: [.visit], collector: Probe.self,
        words: DomainWords(purpose: "", collected: "", whenOn: "", whenOff: "", policy: ""))
}

@Suite struct CollectorTests {
    private static func harness(from start: WallTime = noon, hardware: Hardware = .accelerometer) -> SessionHarness {
        var harness = SessionHarness(from: start)
        harness.collect([.motion, .steps, probe(hardware: hardware)])
        return harness
    }

    private static func state(of harness: SessionHarness) throws -> Probe {
        try #require(harness.session.collectors.last?.collector as? Probe)
    }

    /// The store keeps an event that waits for a date only with its boot, of which there was no other news.
    @Test func anEventWithoutADateIsStoredWithItsBoot() throws {
        var harness = SessionHarness(from: noon, isSynchronised: false)
        harness.collect([probe()])
        harness.order(DomainSet(probe()))
        harness.run(for: .minutes(11))
        let raised = try #require(harness.asked.firstIndex { if case .raise = $0.action { true } else { false } })
        let rest = harness.asked[raised...].map(\.action)
        let commit = try #require(rest.firstIndex(of: .commit))
        let boots = rest[..<commit].flatMap { action -> [BootReading] in
            if case .store(let collected) = action { collected.boots } else { [] }
        }
        #expect(boots.map(\.id) == [harness.boot])
    }

    @Test func aCollectorOfTheAccelerometerOpensItAndIsToldOfItsWindows() throws {
        var harness = Self.harness()
        harness.order(DomainSet(probe()))
        harness.run(for: .minutes(11))
        #expect(harness.times(of: .open(.imu)).count == 1)
        #expect(harness.figure(.socialMinutes) == 10)
        #expect(harness.events.map(\.kind) == [.visit], "and no event of another domain")
        #expect(harness.figure(.steps) == nil && harness.figure(.sedentaryMinutes) == nil, "nor a figure")
    }

    @Test func oneThatIsNotAllowedIsToldNothing() throws {
        var harness = Self.harness()
        harness.allow(.motion, .steps)
        harness.walk(from: .minutes(1), steps: 20)
        harness.run(for: .hours(2))
        let state = try Self.state(of: harness)
        #expect(state.windows == 0 && state.pulses == 0 && state.hours == 0 && state.scopes.isEmpty)
        #expect(harness.figure(.socialMinutes) == nil)
    }

    @Test func oneWithoutADeviceHearsWhatOthersBringAndOpensNothing() throws {
        var harness = Self.harness(hardware: .nothing)
        harness.order(DomainSet(probe()))
        harness.run(for: .minutes(90))
        #expect(harness.times(of: .open(.imu)).isEmpty)
        #expect(try Self.state(of: harness).hours == 1)
        harness.order([probe(), .steps])
        harness.walk(from: .minutes(1), steps: 20)
        harness.run(for: .minutes(5))
        #expect(try Self.state(of: harness).pulses == 20)
    }

    @Test func itsDayClosesWithTheOthers() throws {
        var harness = Self.harness(from: noon + .hours(11))
        harness.order([.motion, probe()])
        harness.run(for: .hours(4))
        let day = try #require(harness.closedDays.first)
        #expect(harness.closedDays.count == 1 && day.figures.map(\.figure) == [.socialMinutes, .sedentaryMinutes])
    }

    @Test func itsScopesReachItAndAreToldAnewOnlyWhenTheyChange() throws {
        var harness = Self.harness()
        func order(_ scope: Scope, _ revision: Int64) -> SensingEvent {
            .ordered(CollectionOrder(domains: [probe()], consentRevision: revision, scopes: { _ in scope }))
        }
        harness.deliver(order([], 1))
        harness.deliver(order([], 2))
        harness.deliver(order(.screenTime, 3))
        harness.deliver(order([.screenTime, .coordinates], 4))
        #expect(try Self.state(of: harness).scopes == [[], .screenTime], "and none of another domain")
    }

    @Test func itsStateOutlivesARestartAndAnotherProgramKeepsIt() throws {
        var harness = Self.harness()
        harness.order(DomainSet(probe()))
        harness.run(for: .minutes(5))
        let checkpoint = harness.session.checkpoint(at: harness.now)

        var ignorant = SensingSession(boot: harness.boot, domains: [.motion, .steps])
        try ignorant.restore(checkpoint, at: harness.now)
        var restarted = Self.harness(from: harness.now.wall)
        try restarted.session.restore(ignorant.checkpoint(at: harness.now), at: restarted.now)
        #expect(try Self.state(of: restarted).windows == 5)
        restarted.order(DomainSet(probe()))
        #expect(try Self.state(of: restarted).windows == 5, "taken over")
    }

    /// A session of a version that does not collect the domain, with the state of one that does.
    private static func ignorant(after harness: SessionHarness) throws -> SessionHarness {
        var ignorant = SessionHarness(from: harness.now.wall)
        ignorant.collect([.motion, .steps])
        try ignorant.session.restore(harness.session.checkpoint(at: harness.now), at: ignorant.now)
        return ignorant
    }

    @Test func anotherVersionKeepsItsStateWhileItsToggleIsOnAndDropsItOtherwise() throws {
        var harness = Self.harness()
        harness.order([.motion, probe()])
        harness.run(for: .minutes(5))

        var kept = try Self.ignorant(after: harness)
        kept.order([.motion], suspended: DomainSet(.screenTime))
        kept.run(for: .minutes(5))
        #expect(kept.figure(.socialMinutes) == 5)
        var later = Self.harness(from: kept.now.wall)
        try later.session.restore(kept.session.checkpoint(at: kept.now), at: later.now)
        #expect(try Self.state(of: later).windows == 5)

        for (domains, dropped) in [(DomainSet(.motion), DomainSet()), ([.motion], [.screenTime])] {
            var dropping = try Self.ignorant(after: harness)
            dropping.order(domains, suspended: dropped, dropped: dropped)
            #expect(dropping.figure(.socialMinutes) == nil && dropping.figure(.sedentaryMinutes) != nil)
            #expect(!dropping.times(of: .commit).isEmpty, "also in the store")
            var later = Self.harness(from: dropping.now.wall)
            try later.session.restore(dropping.session.checkpoint(at: dropping.now), at: later.now)
            #expect(try Self.state(of: later).windows == 0)
        }
    }

    @Test func whatWasForgottenOrTurnedOffIsGone() throws {
        var harness = Self.harness()
        harness.order([.motion, probe()])
        harness.run(for: .minutes(5))
        let checkpoint = harness.session.checkpoint(at: harness.now)
        let sitting = try #require(harness.figure(.sedentaryMinutes))
        harness.order([.motion, probe()], dropped: [probe()])
        #expect(try Self.state(of: harness).windows == 0)
        #expect(harness.figure(.socialMinutes) == 0 && harness.figure(.sedentaryMinutes) == sitting)

        var restarted = Self.harness(from: harness.now.wall)
        try restarted.session.restore(checkpoint, at: restarted.now)
        restarted.order([.motion])
        #expect(try Self.state(of: restarted).windows == 0)
        #expect(restarted.figure(.socialMinutes) == nil && restarted.figure(.sedentaryMinutes) == sitting)
    }
}
