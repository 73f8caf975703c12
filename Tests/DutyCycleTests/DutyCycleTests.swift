import Core
import Testing

@Suite struct DutyCycleTests {
    private func relaxed() -> DutyCycle {
        var cycle = DutyCycle()
        for _ in 0..<10 { cycle.judged(isStill: true) }
        return cycle
    }

    @Test func tenStillWindowsInARowLeadToRelaxed() {
        var cycle = DutyCycle()
        for _ in 0..<9 { cycle.judged(isStill: true) }
        #expect(cycle.pace == .attentive)
        #expect(cycle.interval == .seconds(60))
        cycle.judged(isStill: true)
        #expect(cycle.pace == .relaxed)
        #expect(cycle.interval == .seconds(300))
    }

    @Test func aMovingWindowInBetweenStartsTheCountAgain() {
        var cycle = DutyCycle()
        for _ in 0..<9 { cycle.judged(isStill: true) }
        cycle.judged(isStill: false)
        for _ in 0..<9 { cycle.judged(isStill: true) }
        #expect(cycle.pace == .attentive)
    }

    @Test func movementLeadsBackToAttentive() {
        var byWindow = relaxed()
        byWindow.judged(isStill: false)
        #expect(byWindow.pace == .attentive)
        var byInterrupt = relaxed()
        byInterrupt.moved()
        #expect(byInterrupt.pace == .attentive)
        byInterrupt.judged(isStill: true)
        #expect(byInterrupt.pace == .attentive, "ten more still windows are needed")
    }

    @Test func doubtBringsTheNextWindowSoonThreeTimesInARow() {
        var cycle = DutyCycle()
        var intervals: [Interval] = []
        for _ in 0..<8 {
            cycle.judged(isStill: false, isInDoubt: true)
            intervals.append(cycle.nextInterval)
        }
        let soon = DutyCycleRule().doubtfulInterval
        #expect(intervals == [soon, soon, soon, .seconds(60), soon, soon, soon, .seconds(60)])
    }

    @Test func aWindowWithoutDoubtEndsTheRunOfDoubts() {
        var cycle = DutyCycle()
        cycle.judged(isStill: false, isInDoubt: true)
        cycle.judged(isStill: false, isInDoubt: true)
        cycle.judged(isStill: false)
        #expect(cycle.nextInterval == .seconds(60))
        for _ in 0..<3 {
            cycle.judged(isStill: false, isInDoubt: true)
            #expect(cycle.nextInterval == DutyCycleRule().doubtfulInterval)
        }
    }

    @Test func doubtNeitherEndsTheRelaxedPaceNorOutlastsAShorterInterval() {
        var cycle = relaxed()
        cycle.judged(isStill: true, isInDoubt: true)
        #expect(cycle.pace == .relaxed)
        #expect(cycle.nextInterval == DutyCycleRule().doubtfulInterval)
        #expect(cycle.interval == .seconds(300), "what the sensor's silence is measured by")
        var rule = DutyCycleRule()
        rule.attentiveInterval = .seconds(5)
        var quick = DutyCycle(rule: rule)
        quick.judged(isStill: false, isInDoubt: true)
        #expect(quick.nextInterval == .seconds(5))
    }

    @Test func thePauseDoublesWithEachLookThatWasAskedForInVain() {
        var cycle = DutyCycle()
        var pauses: [Int64] = []
        for _ in 0..<4 {
            pauses.append(cycle.pause.inSeconds)
            cycle.askedToLook()
            cycle.looked(foundWalk: false)
        }
        #expect(pauses == [10, 20, 40, 40])
        cycle.looked(foundWalk: false)
        #expect(cycle.pause == .seconds(10), "nobody asked for that one")
        cycle.askedToLook()
        cycle.looked(foundWalk: true)
        #expect(cycle.pause == .seconds(10))
    }

    @Test func whatMovesAfterRestIsLookedAtAtOnce() {
        var cycle = DutyCycle()
        cycle.judged(isStill: true)
        cycle.looked(foundWalk: false)
        #expect(cycle.pause == .zero)
        for _ in 0..<3 {
            cycle.askedToLook()
            cycle.judged(isStill: true)
            cycle.looked(foundWalk: false)
            #expect(cycle.pause == .seconds(10), "a wearer who moves and rests in turn")
        }
        cycle.askedToLook()
        cycle.judged(isStill: false)
        cycle.looked(foundWalk: false)
        #expect(cycle.pause == .seconds(20))
    }

    @Test(arguments: [(20, 1_500, true), (19, 1_500, false), (40, 1_600, false)])
    func twentyPulsesWithinThirtySecondsLeadBackToAttentive(count: Int, spacing: Int64, wakes: Bool) {
        var cycle = relaxed()
        for index in 0..<Int64(count) {
            cycle.add(pulse: BootTime(nanoseconds: index * spacing * 1_000_000))
        }
        #expect((cycle.pace == .attentive) == wakes)
    }
}

@Suite struct RetryRuleTests {
    private func waits(_ count: Int, rule: DutyCycleRule) -> [Int64] {
        (1...count).map { rule.retries.wait(afterFailures: $0).inSeconds }
    }

    @Test func theWaitDoublesAndTheFifthFailureIsGivenUpForAnHour() {
        #expect(waits(6, rule: DutyCycleRule()) == [60, 120, 240, 480, 3600, 3600])
    }

    @Test func theWaitNeverExceedsTheLongest() {
        var rule = DutyCycleRule()
        rule.longestRetry = .seconds(100)
        rule.failuresBeforeQuiet = 9
        #expect(waits(3, rule: rule) == [60, 100, 100])
    }

    @Test func oneFailureIsEnoughWhereTheRuleSaysSo() {
        var rule = DutyCycleRule()
        rule.failuresBeforeQuiet = 1
        #expect(waits(1, rule: rule) == [3600])
    }
}
