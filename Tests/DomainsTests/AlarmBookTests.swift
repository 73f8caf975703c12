import Core
import Testing

@testable import Domains

/// What is played when, and what became of it.
@Suite struct AlarmBookTests {
    private let boot = BootID(high: 1, low: 1)
    private var book = AlarmBook()
    /// A Monday.
    private let midnight = UTCDay(daysSinceEpoch: 20_465).start

    private func moment(_ time: WallTime, trusted: Bool = true, boot other: BootID? = nil) throws -> AlarmMoment {
        let boot = BootTime(nanoseconds: (time - midnight).nanoseconds)
        let now = Instant(boot: boot, wall: time)
        let clock = trusted ? TrustedClock(began: midnight, source: .kernel, since: boot) : nil
        return try #require(AlarmMoment(now, clock, boot: other ?? self.boot))
    }

    private func circumstances(window: Interval = .zero, stirredAt: WallTime? = nil) -> AlarmBook.Circumstances {
        AlarmBook.Circumstances(
            zone: .utc, since: midnight - .days(30), wakeWindow: window,
            stirredAt: stirredAt.map { BootTime(nanoseconds: ($0 - midnight).nanoseconds) })
    }

    private mutating func act(
        _ time: Interval, trusted: Bool = true, boot: BootID? = nil, window: Interval = .zero,
        stirredAt: Interval? = nil
    ) throws -> [AlarmBook.Act] {
        book.act(
            at: try moment(midnight + time, trusted: trusted, boot: boot),
            circumstances(window: window, stirredAt: stirredAt.map { midnight + $0 }))
    }

    private mutating func resume(
        _ time: Interval, since: Interval = .zero, boot: BootID? = nil
    ) throws -> [AlarmBook.Act] {
        book.resume(
            at: try moment(midnight + time, boot: boot), AlarmBook.Circumstances(zone: .utc, since: midnight + since))
    }

    /// An alarm at 07:00, made at midnight.
    private mutating func wake(followUps: Int = 0) throws -> AlarmEntry.ID {
        let plan = AlarmPlan(kind: .wake, minute: 420, followUps: followUps)
        let id = book.add(plan, at: midnight)
        return try #require(id)
    }

    @Test mutating func anAlarmIsPlayedOnceAtItsTime() throws {
        let id = try wake()
        #expect(try act(.minutes(419)) == [])
        #expect(
            try book.next(at: moment(midnight + .hours(1)), circumstances())?.nanoseconds
                == Interval.hours(7).nanoseconds)
        #expect(try act(.hours(7)) == [.play(id, .wake, .played)])
        #expect(try act(.hours(7)) == [])
        book.ended(id, failed: false)
        #expect(try act(.hours(7) + .seconds(40)) == [] && !book.isRinging)
        #expect(try act(.hours(31)) == [.play(id, .wake, .played)])
    }

    @Test mutating func anAlarmThatWasMissedIsToldOnceAndNotPlayedLate() throws {
        let id = try wake()
        #expect(try act(.hours(8)) == [.missed(id, .wake, times: 1)])
        #expect(try act(.hours(9)) == [])
        #expect(try act(.days(3) + .hours(9)) == [.missed(id, .wake, times: 3)])
        #expect(book.alarms[0].missed == 4)
    }

    @Test mutating func aMissIsToldWhereTheNextOneIsInTime() throws {
        let id = try wake()
        #expect(try act(.days(2) + .hours(7)) == [.missed(id, .wake, times: 2), .play(id, .wake, .played)])
        #expect(book.alarms[0].missed == 0)
    }

    @Test mutating func aTimeBeforeTheAlarmWasMadeWasNotMissed() throws {
        _ = book.add(AlarmPlan(kind: .custom, minute: 420), at: midnight + .hours(12))
        #expect(try act(.hours(13)) == [])
    }

    @Test mutating func followUpsComeUntilTheyAreUsedUp() throws {
        let id = try wake(followUps: 2)
        var played: [Int64] = []
        for minute in 0..<60 {
            if try !act(.hours(7) + .minutes(Int64(minute))).isEmpty {
                played.append(Int64(minute))
                book.ended(id, failed: false)
            }
        }
        #expect(played == [0, 5, 10])
        #expect(!book.isRinging)
    }

    @Test mutating func aSnoozedAlarmIsPlayedAgainAndAStoppedOneIsNot() throws {
        let id = try wake(followUps: 3)
        _ = try act(.hours(7))
        #expect(
            book.snooze(for: .minutes(9), at: BootTime(nanoseconds: Interval.hours(7).nanoseconds), in: boot) == [id])
        #expect(try act(.hours(7) + .minutes(5)) == [])
        let snoozed = try moment(midnight + .hours(7) + .minutes(5))
        #expect(book.alarms[0].playsAgain(at: snoozed) == midnight + .hours(7) + .minutes(9))
        #expect(try act(.hours(7) + .minutes(9)) == [.play(id, .wake, .played)])
        #expect(book.alarms[0].playsAgain(at: snoozed) == nil, "it plays")
        #expect(book.stop(in: boot) == [id])
        #expect(try act(.hours(7) + .minutes(14)) == [] && book.stop(in: boot) == [])
    }

    @Test mutating func anUntrustedClockPlaysAndSaysSo() throws {
        let id = try wake()
        #expect(try act(.hours(7), trusted: false) == [.play(id, .wake, .playedByUntrustedClock)])
        #expect(try act(.hours(7) + .seconds(30)) == [], "the clock turned out to be right")
    }

    @Test mutating func anAlarmThatAWrongClockPlayedIsPlayedAtItsTimeToo() throws {
        let id = try wake()
        // It showed 07:00 at 03:00.
        let wrong = Instant(boot: BootTime(nanoseconds: Interval.hours(3).nanoseconds), wall: midnight + .hours(7))
        let moment = try #require(AlarmMoment(wrong, nil, boot: boot))
        #expect(book.act(at: moment, circumstances()) == [.play(id, .wake, .playedByUntrustedClock)])
        book.ended(id, failed: false)
        #expect(try act(.hours(7)) == [.play(id, .wake, .played)])
    }

    @Test mutating func anUntrustedClockMissesNothing() throws {
        _ = try wake()
        #expect(try act(.hours(9), trusted: false) == [])
    }

    @Test mutating func aClockThatIsSetBackPlaysNothingTwice() throws {
        let id = try wake()
        #expect(try act(.hours(7)) == [.play(id, .wake, .played)])
        book.ended(id, failed: false)
        #expect(try act(.hours(6)) == [] && act(.hours(7)) == [])
    }

    @Test mutating func aWakeAlarmTakesALighterMomentAndNeverALaterOne() throws {
        let id = try wake()
        let window = Interval.minutes(30)
        #expect(try act(.minutes(380), window: window, stirredAt: .minutes(380)) == [], "before its window")
        #expect(try act(.minutes(400), window: window, stirredAt: .minutes(380)) == [])
        #expect(
            try act(.minutes(405), window: window, stirredAt: .minutes(405)) == [.play(id, .wake, .playedEarly)])
        book.ended(id, failed: false)
        #expect(try act(.hours(7), window: window, stirredAt: .minutes(405)) == [])
        #expect(try act(.hours(31), window: window) == [.play(id, .wake, .played)])
    }

    @Test mutating func aKindThatIsOffIsSilentAndMissesNothing() throws {
        let id = try wake()
        book.turn(.wake, on: false, at: midnight + .hours(1))
        #expect(try act(.hours(7)) == [])
        book.turn(.wake, on: true, at: midnight + .hours(8))
        #expect(try act(.hours(9)) == [] && act(.hours(31)) == [.play(id, .wake, .played)])
    }

    @Test mutating func aKindThatGoesOffEndsWhatRingsOnceThatHasSettled() throws {
        let id = try wake(followUps: 2)
        let first = try act(.hours(7))
        #expect(first == [.play(id, .wake, .played)])
        var settling = circumstances()
        settling.settleTime = .milliseconds(220)
        let off = midnight + .hours(7) + .seconds(1)
        book.turn(.wake, on: false, at: off)
        let soon = try moment(off + .milliseconds(100))
        #expect(book.act(at: soon, settling) == [] && book.isPlaying(id))
        #expect(book.next(at: soon, settling) == soon.now + .milliseconds(120))
        book.turn(.wake, on: true, at: off + .milliseconds(200))
        _ = book.act(at: try moment(off + .seconds(1)), settling)
        #expect(book.isPlaying(id), "a flick ends nothing")
        book.turn(.wake, on: false, at: off + .seconds(2))
        _ = book.act(at: try moment(off + .seconds(2) + .milliseconds(220)), settling)
        #expect(!book.isRinging)
        let turned = book.takeTurns().map(\.isOn)
        #expect(turned == [true, false, true, false])
    }

    @Test mutating func aRestartInTheMiddlePlaysOnAndGoesOnWithItsFollowUps() throws {
        let id = try wake(followUps: 1)
        for (start, seconds) in [(Interval.hours(7), 119), (.hours(7) + .minutes(5), 120)] {
            #expect(try act(start) == [.play(id, .wake, .played)])
            for _ in 0..<2 { #expect(try resume(start + .seconds(5)) == [.play(id, .wake, .played)]) }
            #expect(try act(start + .seconds(6)) == [] && book.isPlaying(id))
            #expect(try resume(start + .seconds(Int64(seconds))) == [.play(id, .wake, .played)])
        }
        #expect(try resume(.hours(7) + .minutes(8)) == [.cutShort(id, .wake)] && !book.isRinging)
    }

    @Test mutating func aRestartPlaysNothingOnThatWasStoppedSnoozedOrTurnedOffMeanwhile() throws {
        let id = try wake()
        _ = try act(.hours(7))
        let ringing = book
        #expect(try resume(.hours(7) + .seconds(9), since: .hours(7) + .seconds(8)) == [.cutShort(id, .wake)])
        book = ringing
        book.turn(.wake, on: false, at: midnight + .hours(7))
        #expect(try resume(.hours(7) + .seconds(5)) == [])
        book = ringing
        _ = book.snooze(for: .minutes(9), at: BootTime(nanoseconds: Interval.hours(7).nanoseconds), in: boot)
        #expect(try resume(.hours(7) + .seconds(5)) == [])
        #expect(book.stop(in: boot) == [id])
        #expect(try resume(.hours(7) + .seconds(5)) == [])
    }

    @Test mutating func anotherBootLeavesWhatWasSnoozedBehindAndSaysSo() throws {
        let id = try wake()
        _ = try act(.hours(7))
        _ = book.snooze(for: .minutes(9), at: BootTime(nanoseconds: Interval.hours(7).nanoseconds), in: boot)
        let other = BootID(high: 2, low: 2)
        #expect(try resume(.hours(7) + .minutes(1), boot: other) == [.cutShort(id, .wake)])
        #expect(try act(.hours(7) + .minutes(9), boot: other) == [] && !book.isRinging)
    }

    /// Whatever happens, each day's alarm is played once or told to be missed.
    @Test(arguments: 0..<UInt64(100)) mutating func noSequenceOfRestartsAndStepsPlaysTwiceOrLosesSilently(
        seed: UInt64
    ) throws {
        var state = seed &* 0x9E37_79B9_7F4A_7C15
        func random(_ limit: UInt64) -> Int64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int64(state >> 33 % limit)
        }
        let id = try wake()
        var now = Interval.zero
        var (played, missed) = (0, 0)
        while now < .days(60) {
            now += random(10) == 0 ? .minutes(1 + random(3000)) : .seconds(1 + random(90))
            let boot = BootID(high: random(3), low: 1)
            if random(50) == 0 { _ = try resume(now, boot: boot) }
            book = try AlarmBook(book.bytes)
            for act in try act(now, boot: boot) {
                switch act {
                case .play: played += 1
                case .missed(_, _, let times): missed += times
                case .cutShort: break
                }
            }
            if random(3) == 0 { book.ended(id, failed: false) }
        }
        let due = Int((now - .hours(7)).nanoseconds / Interval.days(1).nanoseconds) + 1
        #expect(played + missed == due)
    }

    @Test func whatIsStoredIsReadAgainAndDamageIsRefused() throws {
        var book = AlarmBook()
        for kind in AlarmKind.allCases { _ = book.add(AlarmPlan(kind: kind, minute: 60, followUps: 2), at: midnight) }
        _ = book.act(at: try moment(midnight + .hours(1)), circumstances())
        let bytes = book.bytes
        #expect(try AlarmBook(bytes) == book)
        for length in 1..<bytes.count where (try? AlarmBook(Array(bytes.prefix(length)))) == book {
            Issue.record("a book that was cut at \(length) is whole")
        }
    }

    @Test func thereAreNoMoreAlarmsThanThereMayBe() {
        var book = AlarmBook()
        for _ in 0..<AlarmBook.mostAlarms {
            #expect(book.add(AlarmPlan(kind: .custom, minute: 1), at: midnight) != nil)
        }
        #expect(book.add(AlarmPlan(kind: .custom, minute: 1), at: midnight) == nil)
        #expect(book.remove(3) && !book.remove(3))
    }

    @Test func everyPatternEndsOffWithinAMinute() {
        let all = AlarmKind.allCases.map(\.pattern) + [.light, .strong, AlarmPattern([100_000, 5, 100_000])]
        for pattern in all {
            #expect(pattern.length <= AlarmPattern.longest)
            #expect(pattern.state(after: pattern.length).isOn == false)
            #expect(pattern.state(after: pattern.length).until == nil)
            #expect(pattern.state(after: .zero).isOn)
        }
    }
}
