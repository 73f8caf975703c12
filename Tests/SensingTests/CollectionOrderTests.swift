import Domains
import Core
import Sensing
import Testing

private let noon = UTCDay(daysSinceEpoch: 20_103).start + .hours(12)
private let both: DomainSet = [.motion, .steps]

/// The state that is dropped with a domain, and the state that stays.
@Suite struct CollectionOrderTests {
    /// Half an hour of sitting in changing postures, with a short walk at its beginning.
    private static func halfHour() -> SessionHarness {
        var harness = SessionHarness(from: noon)
        harness.window = { now in
            .window((now.wall - noon).inMinutes / 8 % 2 == 0 ? SessionHarness.still : SessionHarness.leaning)
        }
        harness.walk(from: .minutes(1), steps: 100)
        harness.order(both)
        harness.run(for: .minutes(30))
        return harness
    }

    @Test func droppedStepsStartAtZeroAndMotionKeepsItsMinutes() {
        var harness = Self.halfHour()
        let minutes = harness.figure(.sedentaryMinutes)
        harness.order(both, dropped: DomainSet(.steps))
        #expect(harness.figure(.steps) == 0)
        #expect(harness.figure(.rawPulses) == 0)
        #expect(harness.figure(.sedentaryMinutes) == minutes)
        #expect(harness.times(of: .close(.pulses)) == [harness.now])
        #expect(harness.times(of: .open(.pulses)).count == 2)
        #expect(harness.times(of: .close(.imu)).isEmpty)
        #expect(harness.times(of: .commit).last == harness.now)
    }

    @Test func droppedMotionStartsAtZeroAndStepsKeepTheirs() {
        var harness = Self.halfHour()
        harness.order(both, dropped: DomainSet(.motion))
        #expect(harness.figure(.sedentaryMinutes) == 0)
        #expect(harness.figure(.steps) == 100)
        #expect(harness.figure(.rawPulses) == 100)
        #expect(harness.times(of: .close(.imu)) == [harness.now])
        #expect(harness.times(of: .open(.imu)).count == 2)
        #expect(harness.times(of: .close(.pulses)).isEmpty)
        #expect(harness.times(of: .commit).last == harness.now)
    }

    @Test func aSittingThatWasDroppedIsNotReportedLater() {
        var harness = Self.halfHour()
        harness.run(for: .minutes(50))
        harness.order(both, dropped: DomainSet(.motion))
        harness.run(for: .minutes(60))
        #expect(harness.events.isEmpty)
        harness.run(for: .minutes(40))
        #expect(harness.events.map(\.kind) == [.sedentaryLong])
    }

    @Test func pulsesBeforeTheDropMakeNoRhythmWithThoseAfterIt() {
        var harness = SessionHarness(from: noon)
        harness.walk(from: .seconds(1), steps: 8)
        harness.allow(.steps)
        harness.run(for: .seconds(3))
        harness.deliver(.woke)
        harness.deliver(.pulses(harness.takePulses()))
        #expect(harness.figure(.rawPulses) == 5)
        harness.order(DomainSet(.steps), dropped: DomainSet(.steps))
        harness.run(for: .minutes(2))
        #expect(harness.figure(.rawPulses) == 3)
        #expect(harness.figure(.steps) == 0)
    }

    @Test func atAStartWhatIsToBeDroppedIsNotTakenUpAlthoughTheDomainIsOn() throws {
        let before = Self.halfHour()
        var harness = SessionHarness(from: before.now.wall)
        try harness.session.restore(before.session.checkpoint(at: before.now), at: harness.now)
        harness.order(both, dropped: DomainSet(.steps))
        #expect(harness.figure(.steps) == 0)
        #expect(harness.figure(.sedentaryMinutes) == before.figure(.sedentaryMinutes))
        #expect(harness.times(of: .commit) == [harness.now])
        #expect(harness.times(of: .close(.pulses)).isEmpty)
    }

    @Test func anOrderThatOnlyHeedsMoreTouchesNothing() {
        var harness = Self.halfHour()
        let figures = harness.today
        let asked = harness.asked.count
        harness.order(both.union(DomainSet(.alarm)), consentRevision: 12)
        #expect(harness.asked.count == asked)
        #expect(harness.today == figures)
        #expect(harness.session.consentRevision == 12)
        #expect(harness.session.allowed == both.union(DomainSet(.alarm)))
    }

    @Test func whatTheSessionDoesNotHoldIsDroppedFromTheStoredCheckpointAllTheSame() {
        var harness = SessionHarness(from: noon)
        harness.order([], dropped: DomainSet(.motion), consentRevision: 3)
        #expect(harness.commands.isEmpty && harness.times(of: .commit).count == 1)
        let tomorrow = (UTCDay(containing: noon).end - noon)
        #expect(harness.session.agenda(at: harness.now).wakeAt ?? harness.now.boot >= harness.now.boot + tomorrow)
    }
}

/// `anicca forget` on the checkpoint of a daemon that does not run.
@Suite struct ForgettingTests {
    private static func worn() -> (checkpoint: [UInt8], now: Instant, today: [ClosedDay.Entry]) {
        var harness = SessionHarness(from: noon)
        harness.window = { now in
            .window((now.wall - noon).inMinutes / 8 % 2 == 0 ? SessionHarness.still : SessionHarness.leaning)
        }
        harness.walk(from: .minutes(1), steps: 100)
        harness.order(both)
        harness.run(for: .minutes(30) + .seconds(2))
        harness.walk(from: .zero, steps: 10)
        harness.run(for: .seconds(20))
        harness.deliver(.pulses(harness.takePulses()))
        return (harness.session.checkpoint(at: harness.now), harness.now, harness.today)
    }

    /// The figures of the checkpoint that are left.
    private static func forgetting(_ domains: DomainSet) throws -> [ClosedDay.Entry] {
        let worn = worn()
        let bytes = try #require(
            SensingSession.forgetting(domains, from: worn.checkpoint, toggles: [.motion, .steps], at: worn.now))
        var harness = SessionHarness(from: worn.now.wall)
        try harness.session.restore(bytes, at: harness.now)
        return harness.session.quarters.reduce(into: DayFold()) { $0.add($1) }.figures(DayRule()).filter {
            $0.figure.isSent || $0.figure == .rawPulses
        }
    }

    @Test func stepsGoAndMotionStays() throws {
        let (_, _, today) = Self.worn()
        let figures = try Self.forgetting(DomainSet(.steps))
        #expect(figures == today.filter { $0.figure == .sedentaryMinutes })
        #expect(figures.map(\.value).allSatisfy { $0.number >= 25 })
    }

    @Test func motionGoesAndStepsStay() throws {
        let (_, _, today) = Self.worn()
        let figures = try Self.forgetting(DomainSet(.motion))
        #expect(figures == today.filter { $0.figure != .sedentaryMinutes })
        #expect(figures.map(\.value) == [110, 110])
    }

    @Test func withoutEitherNothingIsLeftThatAFreshSessionDoesNotHold() throws {
        let (checkpoint, now, _) = Self.worn()
        let rest = try #require(SensingSession.forgetting(both, from: checkpoint, toggles: [.motion, .steps], at: now))
        // All but the boot and its clock, under tag 3.
        var (left, fresh) = (try Parts(rest), try Parts(SensingSession().checkpoint(at: now)))
        left.remove(3)
        fresh.remove(3)
        #expect(left == fresh)
    }

    @Test func otherDomainsLeaveTheCheckpointAsItWas() {
        let (checkpoint, now, _) = Self.worn()
        let others: DomainSet = [.location, .sleep]
        #expect(SensingSession.forgetting(others, from: checkpoint, toggles: [.motion, .steps], at: now) == checkpoint)
    }

    @Test func whatCannotBeReadIsNotRewritten() {
        let (checkpoint, now, _) = Self.worn()
        #expect(SensingSession.forgetting(both, from: [], toggles: [.motion, .steps], at: now) == nil)
        #expect(
            SensingSession.forgetting(both, from: checkpoint.dropLast(), toggles: [.motion, .steps], at: now) == nil)
    }
}
