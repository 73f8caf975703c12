import Core
import Testing

@testable import Simulation

/// A night of a fleet, in virtual time.
@Suite struct FleetTests {
    static let kinds: [FleetNames] = [.machineIDs, .hosts]
    static let failures: [FleetNight.Failure] = [.busy, .error, .unreachable]

    private func plan(_ change: (inout FleetNight.Plan) -> Void = { _ in }) -> FleetNight.Plan {
        var plan = FleetNight.Plan()
        plan.devices = 30_000
        change(&plan)
        return plan
    }

    @Test(arguments: kinds) func noMinuteHasAThirdMoreThanAnEvenOne(names: FleetNames) {
        let night = FleetNight(plan { $0.names = names })
        #expect(night.due.reduce(0, +) == 30_000 && night.arrivals.reduce(0, +) == 30_000)
        #expect(night.peak(night.due) < 1.3 && night.peak(night.arrivals) < 1.3)
        #expect(night.arrivals.count <= 61 && night.retries.isEmpty && night.delivered == 30_000)
    }

    @Test func copiesOfOneCardArriveTogether() {
        let night = FleetNight(plan { $0.names = .copies })
        #expect(night.mostInASecond == 30_000 && night.mostInASecondUndelayed == 30_000)
    }

    @Test(arguments: failures) func anOutageIsOverWithTheBackoff(failure: FleetNight.Failure) {
        let night = FleetNight(
            plan {
                $0.outage = .minutes(10)
                $0.failure = failure
            })
        #expect(night.delivered == 30_000)
        #expect(night.longestAfterOutage > .zero && night.longestAfterOutage <= night.boundAfterOutage)
        #expect(!night.retries.isEmpty && night.retries[..<15].allSatisfy { $0 == 0 })
    }

    @Test func aServerThatAsksForAWaitIsLeftInPeace() {
        let night = FleetNight(
            plan {
                $0.outage = .minutes(10)
                $0.retryAfter = .minutes(10)
            })
        #expect(night.peak(night.retries) < 2 && night.delivered == 30_000)
        #expect(night.longestAfterOutage <= night.boundAfterOutage)
    }

    @Test func theSameSeedIsTheSameNight() {
        let plan = plan {
            $0.devices = 500
            $0.outage = .minutes(5)
        }
        #expect(FleetNight(plan).retries == FleetNight(plan).retries)
    }

    @Test func tenAttemptsADayAreEnough() {
        var device = FleetDevice(FleetNames.hosts.name(of: 1, seed: 1), day: FleetNight.day, DeliveryRule())
        var now = device.firstRun
        while UTCDay(containing: now) == FleetNight.day.next {
            let outcome = DeliveryOutcome(.status(500, retryAfter: nil))
            guard let next = device.take(outcome, at: now, DeliveryRule(), random: 0) else { break }
            now = next
        }
        #expect(device.attempts == 10 && device.deliveredAt == nil)
    }

    @Test func theTimersAreThoseThatAreInstalled() throws {
        #expect(FleetTimer.calls == [.hours(3), .minutes(210)])
        let timer = FleetTimer(of: FleetNames.hosts.name(of: 7, seed: 1))
        #expect(timer.starts[1] - timer.starts[0] == .minutes(30))
        for (start, call) in zip(timer.starts, FleetTimer.calls) {
            #expect(start >= call && start <= call + .minutes(31))
        }
    }
}
