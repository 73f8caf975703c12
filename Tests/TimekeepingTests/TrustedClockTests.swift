import Core
import Testing

private let day = UTCDay(daysSinceEpoch: 20_103)
private let second = Interval.seconds(1)

/// Whom to believe about the time.
@Suite struct TrustedClockTests {
    private func now(_ wall: WallTime, up: Interval = .hours(1), isSynchronised: Bool = false) -> Instant {
        Instant(boot: BootTime(nanoseconds: up.nanoseconds), wall: wall, isSynchronised: isSynchronised)
    }

    private var hardware: TimeRule {
        var rule = TimeRule()
        rule.trustsHardwareClock = true
        return rule
    }

    @Test func nobodyIsBelievedButWhoSaysSo() {
        #expect(TrustedClock.judge(now(day.start), TimeRule(), known: nil) == nil)
        let kernel = TrustedClock.judge(now(day.start, isSynchronised: true), TimeRule(), known: nil)
        #expect(kernel?.source == .kernel && kernel?.time(at: BootTime(nanoseconds: 0)).wall == day.start - .hours(1))
        #expect(TrustedClock.judge(now(day.start), hardware, known: nil)?.source == .hardwareClock)
    }

    @Test func aTimeThatCannotBeIsNotBelieved() {
        let old = WallTime(secondsSinceEpoch: 946_684_800)
        #expect(TrustedClock.judge(now(old, isSynchronised: true), TimeRule(), known: nil) == nil)
        #expect(TrustedClock.judge(now(old), hardware, known: nil) == nil)
        #expect(TrustedClock.confirm(now(old)) == nil && TrustedClock.confirm(now(day.start))?.source == .wearer)
    }

    @Test func aWeekNumberOfTheSatellitesThatRolledOverIsBelievedFromNobody() {
        let up = BootTime(nanoseconds: 0)
        for weeks: Int64 in [-1024, 1024] {
            let wall = day.start + .days(7 * weeks)
            #expect(TrustedClock.judge(now(wall, isSynchronised: true), TimeRule(), known: nil) == nil)
            #expect(TrustedClock.judge(now(wall), hardware, known: nil) == nil)
            #expect(TrustedClock.confirm(now(wall)) == nil)
            #expect(TrustedClock.heard(wall, at: up, known: nil) == nil)
        }
        #expect(TrustedClock.heard(day.start + .days(7 * 1000), at: up, known: nil) != nil)
    }

    @Test func whatWasKnownHoldsToTheEndOfTheBootWhateverTheWallClockShows() throws {
        let known = try #require(TrustedClock.judge(now(day.start, isSynchronised: true), TimeRule(), known: nil))
        for wall in [day.start + .days(3000), WallTime(nanoseconds: 0), day.start] {
            #expect(TrustedClock.judge(now(wall, up: .hours(9)), TimeRule(), known: known) == known)
            #expect(TrustedClock.judge(now(wall, up: .hours(9)), hardware, known: known) == known)
        }
    }

    @Test func aNewerWordOfTheKernelCounts() throws {
        let known = try #require(TrustedClock.confirm(now(day.start)))
        let later = TrustedClock.judge(now(day.end, up: .hours(2), isSynchronised: true), TimeRule(), known: known)
        #expect(
            later?.source == .kernel
                && later?.time(at: BootTime(nanoseconds: Interval.hours(2).nanoseconds)).wall == day.end)
    }

    @Test func aHardwareClockIsFollowedAndOutranked() throws {
        let first = try #require(TrustedClock.judge(now(day.start), hardware, known: nil))
        let set = try #require(TrustedClock.judge(now(day.end), hardware, known: first))
        #expect(set.time(at: BootTime(nanoseconds: Interval.hours(1).nanoseconds)).wall == day.end)
        let kernel = try #require(TrustedClock.judge(now(day.start, isSynchronised: true), hardware, known: set))
        #expect(TrustedClock.judge(now(day.end), hardware, known: kernel) == kernel)
    }

    @Test(arguments: [0, 999, -999]) func readingTwoClocksIsNoStep(milliseconds: Int) throws {
        let known = try #require(TrustedClock.judge(now(day.start, isSynchronised: true), TimeRule(), known: nil))
        let wall = day.start + .milliseconds(Int64(milliseconds))
        #expect(TrustedClock.judge(now(wall, isSynchronised: true), TimeRule(), known: known) == known)
    }

    /// Each source first, and the other after it.
    @Test func aSecondSourceThatShowsTheSameToTheMinuteAgrees() throws {
        let kernel = now(day.start, isSynchronised: true)
        let vouched = try #require(TrustedClock.confirm(now(day.start + .seconds(59))))
        let synchronised = try #require(TrustedClock.judge(kernel, TimeRule(), known: nil))
        let satellites = try #require(TrustedClock.heard(day.start - .hours(1), at: kernel.boot, known: nil))
        for known in [vouched, satellites] {
            #expect(!known.isAgreed && TrustedClock.judge(kernel, TimeRule(), known: known)?.isAgreed == true)
        }
        let agreed = try #require(TrustedClock.heard(satellites.began, at: kernel.boot, known: synchronised))
        #expect(agreed.isAgreed && agreed.source == .kernel && agreed.since == synchronised.since)
        #expect(TrustedClock.heard(satellites.began, at: kernel.boot, known: agreed) == nil, "no news")
        #expect(TrustedClock.judge(kernel, TimeRule(), known: agreed) == agreed)
        let corrected = TrustedClock.judge(now(day.start + second, isSynchronised: true), TimeRule(), known: agreed)
        let leapt = TrustedClock.judge(now(day.start + .minutes(1), isSynchronised: true), TimeRule(), known: agreed)
        #expect(corrected?.isAgreed == true && leapt?.isAgreed == false)
        var packer = Packer()
        agreed.pack(into: &packer)
        var unpacker = Unpacker(packer.bytes)
        #expect(try TrustedClock(from: &unpacker) == agreed)
    }

    @Test func whatShowsAnotherMinuteOrRepeatsTheSystemDoesNotAgree() throws {
        let kernel = now(day.start, isSynchronised: true)
        let late = try #require(TrustedClock.confirm(now(day.start + .minutes(1))))
        let hardwareClock = try #require(TrustedClock.judge(now(day.start), hardware, known: nil))
        for known in [late, hardwareClock] {
            #expect(TrustedClock.judge(kernel, hardware, known: known)?.isAgreed == false)
        }
        let synchronised = try #require(TrustedClock.judge(kernel, TimeRule(), known: nil))
        #expect(TrustedClock.heard(synchronised.began + .minutes(1), at: kernel.boot, known: synchronised) == nil)
    }

    @Test func aStepOfASecondIsOne() throws {
        let known = try #require(TrustedClock.judge(now(day.start, isSynchronised: true), TimeRule(), known: nil))
        let stepped = TrustedClock.judge(now(day.start + second, isSynchronised: true), TimeRule(), known: known)
        #expect(stepped?.began == known.began + second && stepped?.differs(from: known) == true)
    }

    @Test func quartersOfATrustedClockAreThoseOfUTC() throws {
        let clock = TrustedClock(began: day.start + .minutes(7), source: .kernel, since: BootTime(nanoseconds: 0))
        let start = clock.quarterStart(at: BootTime(nanoseconds: Interval.minutes(1).nanoseconds))
        #expect(start == BootTime(nanoseconds: -Interval.minutes(7).nanoseconds))
        #expect(clock.quarterStart(at: clock.boot(at: day.end)) == clock.boot(at: day.end))
        #expect(
            clock.quarterStart(at: clock.boot(at: day.end - .milliseconds(1))) == clock.boot(at: day.end - .minutes(15))
        )
    }

    @Test func aClockOutlivesPacking() throws {
        let clock = TrustedClock(began: day.start, source: .wearer, since: BootTime(nanoseconds: 5))
        var packer = Packer()
        clock.pack(into: &packer)
        var unpacker = Unpacker(packer.bytes)
        #expect(try TrustedClock(from: &unpacker) == clock)
    }

    @Test func aBootIsKnownByTheKernelsOwnText() throws {
        #expect(BootID("0b6f8c52") == nil && BootID("zb6f8c52-91d3-4e7a-8a40-5f3d2c1b0a99") == nil)
        let boot = try #require(BootID("0b6f8c52-91d3-4e7a-8a40-5f3d2c1b0a99\n"))
        #expect(boot == BootID("0B6F8C5291D34E7A8A405F3D2C1B0A99") && boot.bytes.count == 16)
    }
}
