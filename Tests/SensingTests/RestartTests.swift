import Domains
import Core
import Sensing
import Testing

private let noon = UTCDay(daysSinceEpoch: 20_103).start + .hours(12)

@Suite struct RestartTests {
    @Test func whatTheWearerForbidsIsGoneFromTheStoreAtOnce() {
        var harness = SessionHarness(from: noon)
        harness.walk(from: .minutes(1), steps: 100)
        harness.allow(.steps)
        harness.run(for: .minutes(5) + .seconds(3))
        harness.allow()
        #expect(harness.times(of: .commit).last == harness.now)
    }

    @Test func whatWasForbiddenMeanwhileIsNotTakenUp() throws {
        var before = SessionHarness(from: noon)
        before.walk(from: .minutes(1), steps: 100)
        before.allow(.motion, .steps)
        before.run(for: .minutes(5))

        var harness = SessionHarness(from: before.now.wall)
        try harness.session.restore(before.session.checkpoint(at: before.now), at: harness.now)
        harness.allow(.motion)
        #expect(harness.figure(.steps) == nil)
        #expect(harness.figure(.rawPulses) == nil)
        #expect(harness.figure(.sedentaryMinutes) != nil)
        #expect(harness.times(of: .commit).count == 1)
    }

    @Test func theLastPulseOutlivesARestartUntilItsDomainIsOff() throws {
        var before = SessionHarness(from: noon)
        before.walk(from: .minutes(1), steps: 100)
        before.allow(.motion, .steps)
        before.run(for: .minutes(5))
        let pulse = try #require(before.session.lastPulse)
        var after = SensingSession(boot: before.session.boots.last?.id ?? .unknown)
        try after.restore(before.session.checkpoint(at: before.now), at: before.now)
        #expect(after.lastPulse == pulse)
        before.allow(.motion)
        #expect(before.session.lastPulse == nil)
    }

    /// A day closed then would belong to no known entry of the trail, and the store would drop it.
    @Test func beforeTheFirstOrderNothingIsClosedWrittenOrWaitedFor() throws {
        var before = SessionHarness(from: noon)
        before.walk(from: .minutes(1), steps: 100)
        before.allow(.steps)
        before.run(for: .minutes(5))

        var harness = SessionHarness(from: noon + .days(1))
        try harness.session.restore(before.session.checkpoint(at: before.now), at: harness.now)
        #expect(harness.session.agenda(at: harness.now).wakeAt == nil)
        harness.deliver(.woke)
        #expect(harness.asked.isEmpty)
        harness.allow(.steps)
        #expect(harness.closedDays.map(\.day) == [UTCDay(containing: noon)])
    }

    /// An evening before the power was cut, of which the last minutes wait for a window.
    private func evening() -> SessionHarness {
        var harness = SessionHarness(from: noon + .hours(9))
        harness.window = { now in
            .window((now.wall - noon).inMinutes % 2 == 0 ? SessionHarness.still : SessionHarness.leaning)
        }
        harness.walk(from: .minutes(32), steps: 100)
        harness.allow(.motion, .steps)
        harness.run(for: .minutes(37))
        return harness
    }

    @Test func aDayIsOpenUntilItIsDecidedWhatAnEarlierBootLeft() throws {
        let before = evening()
        var harness = SessionHarness(from: noon + .hours(18))
        harness.window = before.window
        try harness.session.restore(before.session.checkpoint(at: before.now), at: harness.now)
        harness.allow(.motion, .steps)
        #expect(harness.closedDays.isEmpty)
        harness.run(for: .minutes(1))
        #expect(harness.closedDays.map(\.day) == [UTCDay(containing: noon)])
        let figures = harness.closedDays.first?.figures ?? []
        #expect(figures.first { $0.figure == .steps }?.value == 100)
        #expect(figures.first { $0.figure == .sedentaryMinutes }?.value.number == before.figure(.sedentaryMinutes))
    }

    @Test func aDayDoesNotWaitForEverForWhatAnEarlierBootLeft() throws {
        let before = evening()
        var harness = SessionHarness(from: noon + .hours(18))
        harness.sensorFault = { _ in .gone }
        try harness.session.restore(before.session.checkpoint(at: before.now), at: harness.now)
        harness.allow(.motion, .steps)
        harness.run(for: .minutes(30))
        #expect(harness.closedDays.isEmpty)
        harness.run(for: .hours(2))
        #expect(harness.closedDays.map(\.day) == [UTCDay(containing: noon)])
    }

    @Test func anyOtherBytesAreRefusedAndChangeNothing() throws {
        var harness = SessionHarness(from: noon)
        harness.walk(from: .minutes(1), steps: 100)
        harness.allow(.motion, .steps)
        harness.run(for: .minutes(5))
        let checkpoint = harness.session.checkpoint(at: harness.now)
        var ends: Set<Int> = []
        for part in try Parts(checkpoint).all { ends.insert((ends.max() ?? 0) + 7 + part.content.count) }
        for length in 0..<checkpoint.count where !ends.contains(length) {
            #expect(throws: Unpacker.Malformed.self) {
                try harness.session.restore(Array(checkpoint.prefix(length)), at: harness.now)
            }
        }
        #expect(throws: Unpacker.Malformed.self) { try harness.session.restore(checkpoint + [0], at: harness.now) }
        #expect(harness.figure(.steps) == 100)
    }

    @Test func partsOfANewerProgramOutliveThisOne() throws {
        var before = SessionHarness(from: noon)
        before.walk(from: .minutes(1), steps: 100)
        before.allow(.steps)
        before.run(for: .minutes(5))
        let unknown = Parts.Kind(0x7777, version: 4)
        var stored = try Parts(before.session.checkpoint(at: before.now))
        stored.put(unknown, [1, 2, 3])

        var harness = SessionHarness(from: before.now.wall)
        try harness.session.restore(stored.bytes, at: harness.now)
        harness.allow(.steps)
        harness.run(for: .minutes(5))
        let kept = try Parts(harness.session.checkpoint(at: harness.now))
        #expect(try kept[unknown].map { Array($0.content) } == [1, 2, 3])
        #expect(kept[unknown.tag]?.version == 4)
        #expect(harness.figure(.steps) == 100)

        let forgotten = SensingSession.forgetting(
            DomainSet(.steps), from: kept.bytes, toggles: .everything, at: harness.now)
        #expect(try forgotten.map { try Parts($0)[unknown] } != nil)
    }

    @Test func aPartOfALaterVersionIsNotTakenUpAndNamed() throws {
        var harness = SessionHarness(from: noon)
        let checkpoint = harness.session.checkpoint(at: harness.now)
        #expect(SensingSession.newerPart(of: checkpoint) == nil)
        for part in try Parts(checkpoint).all {
            var newer = try Parts(checkpoint)
            newer.put(Parts.Kind(part.tag, version: part.version + 1), Array(part.content))
            let found = try #require(SensingSession.newerPart(of: newer.bytes))
            #expect(found == Parts.Newer(tag: part.tag, found: part.version + 1, known: part.version))
            #expect(throws: Unpacker.Malformed.self) { try harness.session.restore(newer.bytes, at: harness.now) }
        }
    }
}
