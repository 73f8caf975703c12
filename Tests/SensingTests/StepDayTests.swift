import Domains
import Core
import Sensing
import SimulatedBus
import Testing

@testable import Simulation

/// Whole days without a step line, through registers, driver, session and folding.
@Suite struct StepDayTests {
    private let firstDay = SimulatedLifeTests.firstDay

    private static func context(_ life: WearerLife, _ truth: DayTruth, _ steps: Int64) -> String {
        "\(steps) of \(truth.steps) steps, \(truth.day), seed \(life.seed)"
    }

    @Test func withTheInterruptHardlyAStepIsMissed() throws {
        for life in [WearerLife.typicalDay(firstDay), WearerLife(firstDay: firstDay, days: 2, seed: 2)] {
            let counted = SensedLife(life, hasPulseLine: false)
            for truth in life.truth {
                let steps = try #require(counted.figure(.steps, on: truth.day))
                #expect(steps * 100 >= Int64(truth.steps) * 96, "\(Self.context(life, truth, steps))")
                #expect(steps * 100 <= Int64(truth.steps) * 101, "\(Self.context(life, truth, steps))")
            }
        }
    }

    @Test func sittingIsMeasuredAsWithAStepLine() throws {
        let life = WearerLife.typicalDay(firstDay)
        let counted = SensedLife(life, hasPulseLine: false)
        let truth = try #require(life.truth.first)
        let minutes = try #require(counted.figure(.sedentaryMinutes, on: truth.day))
        #expect(abs(minutes - truth.sedentaryMinutes) <= 10)
        #expect(counted.store.events.count == truth.longSittings.count)
        #expect(counted.figure(.rawPulses, on: truth.day) == nil)
    }

    @Test func aDayCostsLittleMoreThanItsWalks() throws {
        let life = WearerLife.typicalDay(firstDay)
        let cost = try #require(SensedLife(life, hasPulseLine: false).run.costs.first)
        #expect(cost.wakeUps <= 4500)
        #expect(cost.sensorShare <= 0.16)
        #expect(cost.busTime < .seconds(60))
    }

    /// The chip is asked every 10 s, or every 30 s, and what was walked before is not known.
    @Test func withoutTheInterruptTheBeginningOfAWalkIsMissed() throws {
        let life = WearerLife.typicalDay(firstDay)
        let truth = try #require(life.truth.first)
        let counted = SensedLife(life, hasMotionLine: false, hasPulseLine: false)
        let steps = try #require(counted.figure(.steps, on: truth.day))
        #expect((90...100).contains(steps * 100 / Int64(truth.steps)), "\(Self.context(life, truth, steps))")
        #expect(counted.run.costs[0].wakeUps < 9000)
    }
}
