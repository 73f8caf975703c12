import Domains
import Ledger
import Quantities
import Sensing
import Testing
import Timekeeping

private let day = UTCDay(daysSinceEpoch: 20_103)
private let noon = day.start + .hours(12)

/// What outlives a boot, and what is known of the time meanwhile.
@Suite struct RebootTests {
    private static func sitting(_ now: Instant) -> SensingEvent {
        .window((now.boot.nanoseconds / 480_000_000_000) % 2 == 0 ? SessionHarness.still : SessionHarness.leaning)
    }

    /// After 80 minutes of sitting.
    private func worn() -> SessionHarness {
        var harness = SessionHarness(from: noon)
        harness.window = Self.sitting
        harness.allow(.motion)
        harness.run(for: .minutes(80))
        #expect(harness.events.isEmpty)
        return harness
    }

    /// The next boot, whose clock shows another time or is not known to be right.
    private func next(
        _ before: SessionHarness, after gap: Interval, isSynchronised: Bool = true, shows wall: WallTime? = nil
    ) throws -> SessionHarness {
        var harness = SessionHarness(from: wall ?? before.now.wall + gap, isSynchronised: isSynchronised)
        harness.window = Self.sitting
        try harness.session.restore(before.session.checkpoint(at: before.now), at: harness.now)
        harness.allow(.motion)
        return harness
    }

    @Test func aShortGapThatBothClocksKnowIsBridged() throws {
        var harness = try next(worn(), after: .minutes(2))
        harness.run(for: .minutes(12))
        #expect(harness.events.map(\.kind) == [.sedentaryLong])
        #expect(
            (88...94).contains(try #require(harness.figure(.sedentaryMinutes))),
            "the gap counts as it does within a boot")
    }

    @Test(arguments: [Interval.minutes(11), .hours(9), .days(3)])
    func afterALongerOneNothingIsUninterrupted(gap: Interval) throws {
        var harness = try next(worn(), after: gap)
        harness.run(for: .minutes(30))
        #expect(harness.events.isEmpty)
        harness.run(for: .minutes(70))
        #expect(harness.events.map(\.kind) == [.sedentaryLong])
    }

    @Test(arguments: [noon + .minutes(81), noon - .days(3), WallTime(nanoseconds: 60_000_000_000), noon + .days(2000)])
    func aGapThatNoTrustedClockKnowsIsLong(wall: WallTime) throws {
        var harness = try next(worn(), after: .zero, isSynchronised: false, shows: wall)
        harness.run(for: .minutes(30))
        #expect(harness.events.isEmpty && harness.session.clock == nil)
    }

    @Test func whatAnEarlierBootLeftIsStoredWithItAndDatedByItsClock() throws {
        let before = worn()
        var harness = try next(before, after: .zero, isSynchronised: false, shows: noon - .days(3))
        harness.run(for: .minutes(30))
        #expect(harness.store.days.isEmpty)
        harness.now = Instant(boot: harness.now.boot, wall: day.end + .minutes(5), isSynchronised: true)
        harness.run(for: .hours(3))
        let closed = try #require(harness.closedDays.first { $0.day == day })
        #expect((103...110).contains(closed.figures.first?.value ?? 0), "80 minutes before, 25 to 30 after")
        #expect(harness.notes.contains(.timeTrusted(.kernel)))
    }

    @Test func aWallClockThatNobodyVouchesForChangesNothing() {
        var harness = SessionHarness(from: noon)
        harness.window = Self.sitting
        harness.allow(.motion)
        harness.run(for: .minutes(30))
        harness.now = Instant(boot: harness.now.boot, wall: noon + .days(3000))
        harness.run(for: .minutes(30))
        harness.now = Instant(boot: harness.now.boot, wall: noon + .hours(1), isSynchronised: true)
        harness.run(for: .minutes(5))
        #expect(harness.closedDays.isEmpty && (60...66).contains(harness.figure(.sedentaryMinutes) ?? 0))
        #expect(!harness.notes.contains { if case .clockStepped = $0 { true } else { false } })
    }

    @Test func aTrustedClockThatStepsIsToldAndFollowed() {
        var harness = SessionHarness(from: noon)
        harness.window = Self.sitting
        harness.allow(.motion)
        harness.run(for: .minutes(30))
        harness.now = Instant(boot: harness.now.boot, wall: noon + .days(1), isSynchronised: true)
        harness.run(for: .minutes(6))
        #expect(harness.notes.contains(.clockStepped(by: .days(1) - .minutes(30), .kernel)))
        #expect(harness.closedDays.isEmpty, "all of it is of the other day")
    }

    @Test func theWearersWordCountsAndTheKernelsCountsMore() {
        var harness = SessionHarness(from: noon, isSynchronised: false)
        harness.allow(.motion)
        #expect(harness.session.clock == nil)
        let word = TrustedClock(began: noon - .minutes(5), source: .wearer, since: harness.now.boot)
        harness.deliver(.clockKnown(word))
        #expect(harness.session.clock == word && harness.notes.contains(.timeTrusted(.wearer)))
        harness.now = Instant(boot: harness.now.boot, wall: noon + .minutes(5), isSynchronised: true)
        harness.deliver(.clockKnown(word))
        #expect(harness.session.clock?.source == .kernel)
    }

    /// The part of the daybook as the version before wrote it: steps of two days, and minutes that were held.
    @Test func theStateOfTheVersionBeforeIsReadWhole() throws {
        var parts = Parts()
        parts.put(Parts.Kind(1, version: 1)) { packer in
            packer.put([1, Figure.steps.id, 1])
            packer.put(day.daysSinceEpoch)
            packer.put(Int64(4_000))
            packer.put([1, Figure.sedentaryMinutes.id, 1])
            packer.put(day.daysSinceEpoch)
            packer.put(Interval.minutes(7).nanoseconds)
        }
        var harness = SessionHarness(from: noon)
        harness.window = Self.sitting
        try harness.session.restore(parts.bytes, at: harness.now)
        harness.walk(from: .minutes(1), steps: 100)
        harness.allow(.motion, .steps)
        harness.run(for: .minutes(30))
        #expect(harness.figure(.steps) == 4_100)
        harness.run(for: .hours(14))
        #expect(harness.closedDays.first?.figures.first { $0.figure == .steps } == .init(.steps, 4_100))
    }
}
