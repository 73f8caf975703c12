import Core
import RightClock
import Testing

struct BackoffTests {
    let backoff = Backoff(DeliveryRule())
    let noon = WallTime(secondsSinceEpoch: 1_736_942_400)

    @Test(arguments: [(0, 30), (1, 30), (2, 60), (3, 120), (7, 1920), (8, 3600), (9, 3600), (1_000_000, 3600)])
    func theCeilingDoublesUpToTheLongest(failures: Int, seconds: Int64) {
        #expect(backoff.ceiling(afterFailures: failures) == .seconds(seconds))
    }

    @Test func aWaitIsNeverLongerThanTheCeiling() {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = seed
        for failures in 1...20 {
            for _ in 0..<100 {
                random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                let wait = backoff.wait(afterFailures: failures, retryAfter: nil, random: random)
                #expect(wait >= .zero && wait <= backoff.ceiling(afterFailures: failures), "seed \(seed)")
            }
        }
    }

    @Test func theJitterReachesBothEnds() {
        #expect(backoff.wait(afterFailures: 5, retryAfter: nil, random: 0) == .zero)
        let last = UInt64(backoff.ceiling(afterFailures: 5).nanoseconds)
        #expect(backoff.wait(afterFailures: 5, retryAfter: nil, random: last) == backoff.ceiling(afterFailures: 5))
    }

    @Test(arguments: [(5, 5), (30, 30), (600, 600), (7200, 7200), (86_400, 86_400), (9_000_000_000, 86_400)])
    func retryAfterIsAFloorUpToADay(asked: Int64, wait: Int64) {
        #expect(backoff.wait(afterFailures: 1, retryAfter: .seconds(asked), random: 0) == .seconds(wait))
    }

    @Test(arguments: [
        (1, "2025-01-15T12:00:07Z"), (9, "2025-01-15T12:00:07Z"),
        (10, "2025-01-16T00:00:07Z"), (11, "2025-01-16T00:00:07Z"),
    ])
    func theTenthFailedAttemptOfADayWaitsForTheNextDay(attempts: Int, next: String) {
        let time = backoff.nextAttempt(after: .seconds(7), from: right(noon), attemptsToday: attempts)
        #expect(time.description == next)
    }

    @Test(arguments: [UInt64.min, 1, 1_800_000_000_000, UInt64.max])
    func theSlowEndIsTheLaterHalfOfTheLongestWait(random: UInt64) {
        for wait in [
            backoff.slowWait(random: random), backoff.wait(at: .slow, afterFailures: 1, random: random),
            backoff.wait(for: .wrongAddress, afterFailures: 1, retryAfter: nil, random: random),
        ] {
            #expect(wait >= .seconds(1800) && wait <= .seconds(3600))
        }
        #expect(backoff.slowWait(retryAfter: .hours(5), random: random) == .hours(5))
        #expect(backoff.wait(for: .busy, afterFailures: 1, retryAfter: nil, random: random) <= .seconds(30))
    }

    @Test(arguments: [(0, nil), (2, nil), (3, 30), (4, 60), (5, 120), (40, 3600)] as [(Int, Int64?)])
    func threeRunsWithoutAnEndBackOff(runs: Int, seconds: Int64?) {
        let next = backoff.nextRun(afterSilentRuns: runs, lastBegan: noon)
        #expect(next == seconds.map { noon + .seconds($0) })
    }

    @Test(arguments: [(-1, false), (0, false), (1, true), (86_400, true), (2 * 86_400, true), (3 * 86_400, false)])
    func aTimeToWaitForHoldsUnlessNoWaitReachesIt(seconds: Int64, holds: Bool) {
        #expect(backoff.holds(noon + .seconds(seconds), at: right(noon)) == holds)
    }
}
