import Domains
import Devices
import Core
import Sensing
import Signal
import Testing

private let day = UTCDay(daysSinceEpoch: 20_103)
private let noon = day.start + .hours(12)

@Suite struct SamplingTests {
    @Test func nothingIsOpenedWhileEverythingIsOffAndADayWakesOnce() {
        var harness = SessionHarness(from: noon)
        harness.allow()
        harness.run(for: .days(20))
        #expect(harness.commands.isEmpty)
        #expect(harness.wakeUps == 20, "what is stored ends on time")
    }

    @Test func aWindowIsTakenEveryMinuteAndEveryFiveWhenStill() {
        var harness = SessionHarness(from: noon)
        harness.allow(.motion)
        harness.run(for: .minutes(30))
        let starts = harness.times(of: .startWindow).map { ($0.wall - noon).inSeconds }
        #expect(Array(starts.prefix(11)) == [0, 60, 120, 180, 240, 300, 360, 420, 480, 540, 840])
        #expect(harness.wakeUps == 2 * starts.count - 1, "two wake-ups a window, the first one starts at once")
    }

    @Test func movementAndTheInterruptLeadBackToAttentive() {
        var harness = SessionHarness(from: noon)
        harness.allow(.motion)
        harness.run(for: .minutes(11))
        #expect(harness.session.pace == .relaxed)
        #expect(harness.session.agenda(at: harness.now).watchesMotion)
        let before = harness.times(of: .startWindow).count
        harness.deliver(.moved)
        #expect(harness.session.pace == .attentive)
        #expect(harness.times(of: .startWindow).count == before + 1)
        #expect(!harness.session.agenda(at: harness.now).watchesMotion)
    }

    @Test func noWindowIsWaitedForUntilTheFIFOOverflows() {
        var harness = SessionHarness(from: noon)
        var reads = 0
        harness.window = { _ in
            reads += 1
            return reads == 1 ? .windowIncomplete(missing: 100) : .window(SessionHarness.still)
        }
        harness.allow(.motion)
        harness.run(for: .seconds(90))
        let start = harness.times(of: .startWindow)[1].boot
        let read = harness.times(of: .readWindow)[2].boot
        #expect((read - start).inMilliseconds < 6400, "the FIFO of a fast chip holds 6.5 s")
    }
}

@Suite struct FaultTests {
    @Test func aSensorThatIsNotThereIsTriedFiveTimesAndThenHourly() {
        var harness = SessionHarness(from: noon)
        harness.sensorFault = { _ in .gone }
        harness.allow(.motion)
        harness.run(for: .hours(3))
        let attempts = harness.times(of: .open(.imu)).map { ($0.wall - noon).inSeconds }
        #expect(attempts == [0, 60, 180, 420, 900, 4500, 8100])
        #expect(
            harness.notes == [
                .failed(.imu, reason: "gone", retryIn: .seconds(60)), .sensorQuiet(reason: "gone", retryIn: .hours(1)),
            ])
    }

    @Test func aSensorThatFallsSilentIsOpenedAgainAfterThreeIntervals() {
        var harness = SessionHarness(from: noon)
        var isSilent = false
        harness.window = { _ in isSilent ? .windowLost(.nak) : .window(SessionHarness.walking) }
        harness.allow(.motion)
        harness.run(for: .minutes(5))
        isSilent = true
        harness.run(for: .minutes(3))
        #expect(harness.times(of: .close(.imu)).count == 1)
        isSilent = false
        harness.run(for: .minutes(3))
        #expect(harness.notes.last == .recovered(.imu))
    }
}

@Suite struct FoldingTests {
    @Test func ninetyMinutesOfSittingAreReportedOnceWithTheirThreshold() {
        var harness = SessionHarness(from: noon)
        harness.window = { now in
            .window((now.wall - noon).inMinutes / 8 % 2 == 0 ? SessionHarness.still : SessionHarness.leaning)
        }
        harness.allow(.motion)
        harness.run(for: .hours(4))
        #expect(harness.events.map(\.kind) == [.sedentaryLong])
        #expect(harness.events.map(\.value) == [90])
        let after = harness.events.map { (harness.now.wall(at: $0.at) - noon).inMinutes }
        #expect((90...95).contains(after.first ?? 0))
        #expect((235...240).contains(harness.figure(.sedentaryMinutes) ?? 0))
    }

    @Test func aDayIsSplitExactlyAtMidnight() {
        var harness = SessionHarness(from: day.end - .minutes(30))
        harness.walk(from: .minutes(29) + .seconds(57), steps: 12)
        harness.window = { _ in .window(SessionHarness.walking) }
        harness.allow(.motion, .steps)
        harness.run(for: .minutes(5) + .minutes(30))
        #expect(harness.closedDays.map(\.day) == [day])
        let closed = harness.closedDays.first?.figures.first { $0.figure == .steps }?.value
        #expect(closed == 6, "six steps in the last three seconds of the day")
        #expect(harness.figure(.steps) == 6)
    }

    @Test func aStillSpellAcrossMidnightKeepsTheDayOpenUntilItIsDecided() {
        var harness = SessionHarness(from: day.end - .minutes(20))
        harness.window = { now in
            let shifts = max(0, (now.wall - day.end - .minutes(15)).inMinutes + 4) / 4
            return .window(shifts % 2 == 0 ? SessionHarness.still : SessionHarness.leaning)
        }
        harness.allow(.motion)
        harness.run(until: day.end + .minutes(10))
        #expect(harness.closedDays.isEmpty)
        harness.run(until: day.end + .minutes(40))
        #expect(harness.closedDays.map(\.figures) == [[.init(.sedentaryMinutes, 20)]])
    }

    @Test func pulsesThatWaitedThroughAPauseStayOnTheirDay() {
        var harness = SessionHarness(from: day.end - .minutes(1))
        harness.walk(from: .seconds(30), steps: 20)
        harness.allow(.steps)
        harness.run(for: .seconds(45))
        harness.now = harness.now + .hours(5)
        harness.run(for: .minutes(5))
        #expect(harness.closedDays.map(\.day) == [day])
        #expect(harness.closedDays.first?.figures.first == .init(.steps, 20))
    }

    @Test func sittingBeforeMidnightStaysOnItsDayWhenTheSensorBreaksOff() {
        var harness = SessionHarness(from: day.end - .minutes(30))
        harness.allow(.motion)
        harness.run(for: .minutes(20))
        harness.window = { _ in .windowLost(.nak) }
        harness.sensorFault = { $0.wall < day.end + .hours(4) ? .gone : nil }
        harness.run(until: day.end + .hours(4))
        harness.window = { _ in .window(SessionHarness.walking) }
        harness.run(for: .hours(2))
        #expect(harness.closedDays.map(\.figures) == [[.init(.sedentaryMinutes, 19)]])
        #expect(harness.figure(.sedentaryMinutes) == 0)
    }

    @Test func aPauseInSamplingOverTenMinutesIsNotCounted() {
        var harness = SessionHarness(from: noon)
        harness.allow(.motion)
        harness.run(for: .minutes(5))
        harness.now = harness.now + .minutes(30)
        harness.deliver(.woke)
        harness.run(for: .minutes(1))
        let minutes = harness.figure(.sedentaryMinutes) ?? -1
        #expect((4...7).contains(minutes))
    }
}

@Suite struct PulseTests {
    @Test func pulsesAreDrainedWithTheWindowsWhereTheBufferAllowsIt() {
        var harness = SessionHarness(from: noon)
        harness.window = { _ in .window(SessionHarness.walking) }
        harness.walk(from: .zero, steps: 1_200)
        harness.allow(.motion, .steps)
        harness.run(for: .minutes(11))
        #expect(harness.figure(.steps) == 1_200)
        #expect(harness.wakeUps <= 2 * 11)
    }

    @Test func aSmallBufferIsEmptiedBeforeItRunsOver() {
        var harness = SessionHarness(from: noon)
        harness.kernelBuffer = 16
        harness.window = { _ in .window(SessionHarness.walking) }
        harness.walk(from: .seconds(7), steps: 1_200)
        harness.allow(.motion, .steps)
        harness.run(for: .minutes(11))
        #expect(harness.figure(.steps) == 1_200)
        #expect(!harness.notes.contains { if case .pulsesLost = $0 { true } else { false } })
        #expect(harness.wakeUps < 300, "not one for each pulse")
    }

    /// Also where nobody can tell how many.
    @Test func lostEdgesAreNotedAtOnceAndThenOnceInTenMinutes() {
        for (lost, later) in [(3, 12), (nil, nil)] as [(Int?, Int?)] {
            var harness = SessionHarness(from: noon)
            harness.allow(.steps)
            for minute in 0..<12 {
                harness.deliver(.pulses(PulseBatch(lost: minute < 5 ? lost : lost.map { _ in 0 })))
                harness.now = harness.now + .minutes(1)
            }
            #expect(harness.notes == [.pulsesLost(lost), .pulsesLost(later)])
        }
    }

    @Test func pulsesAreWrittenDownWithinAMinuteAndNotMoreOften() {
        var harness = SessionHarness(from: noon)
        harness.window = { _ in .window(SessionHarness.walking) }
        harness.walk(from: .zero, steps: 7_200)
        harness.allow(.motion, .steps)
        harness.run(for: .hours(1))
        // The first tells of the boot.
        let commits = harness.times(of: .commit).map(\.boot).dropFirst()
        let gaps = zip(commits, commits.dropFirst()).map { ($1 - $0).inMilliseconds }
        #expect(gaps.allSatisfy { $0 >= 60_000 })
        #expect(gaps.dropFirst().allSatisfy { $0 <= 61_000 })
    }

    @Test func noPulseWaitsLongerThanAMinuteToBeWrittenDown() {
        var harness = SessionHarness(from: noon)
        harness.allow(.motion, .steps)
        harness.run(for: .minutes(11))
        #expect(harness.session.pace == .relaxed)
        // Irregular and too few to lead back to attentive: windows, drains and commits come each at their own times.
        let start = harness.now.boot
        harness.pulses = (1...200).map { (number: Int64) -> BootTime in
            start + .seconds(number * 13 + number * number % 11)
        }
        let expected = harness.pulses
        harness.run(for: .hours(1))
        let waits = expected.map { harness.wait(of: $0).inMilliseconds }
        #expect(waits.allSatisfy { $0 <= 60_000 }, "up to \(waits.max() ?? 0) ms")
        let commits = harness.times(of: .commit).map(\.boot).dropFirst()
        #expect(zip(commits, commits.dropFirst()).allSatisfy { $1 - $0 >= .seconds(60) })
    }

    /// They cannot be started any more, or nobody wants them.
    @Test(arguments: [true, false]) func windowsThatEndDoNotKeepPulsesWaiting(isOff: Bool) {
        var harness = SessionHarness(from: noon)
        harness.window = { _ in .window(SessionHarness.walking) }
        harness.allow(.motion, .steps)
        harness.run(for: .seconds(65))
        harness.walk(from: .seconds(1), steps: 60)
        let expected = harness.pulses
        harness.canStartWindows = isOff
        harness.run(for: .seconds(50))
        if isOff { harness.allow(.steps) }
        harness.run(for: .minutes(5))
        let waits = expected.map { harness.wait(of: $0).inMilliseconds }
        #expect(waits.allSatisfy { $0 <= 60_000 }, "up to \(waits.max() ?? 0) ms")
    }

    @Test func stillnessIsWrittenDownEveryTenMinutesOnly() {
        var harness = SessionHarness(from: noon)
        harness.allow(.motion, .steps)
        harness.run(for: .hours(2))
        #expect((10...13).contains(harness.times(of: .commit).count))
    }
}
