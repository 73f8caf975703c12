import Consent
import Domains
import Quantities
import Sensing
import SimulatedBus
import Testing

@testable import Simulation

/// Whole days without a step line, through registers, driver, session and folding.
@Suite struct StepDayTests {
    private let firstDay = SimulatedLifeTests.firstDay

    /// A life in which steps were counted in acceleration, until three hours after its end.
    private struct Counted {
        let life: WearerLife
        let store = MemoryStore()
        let run: ServiceRun

        init(_ life: WearerLife, hasMotionLine: Bool = true, oscillatorError: Double = 0) {
            self.life = life
            let devices = SimulatedDevices(
                life: life, clock: VirtualClock(bootingAt: life.start), hasMotionLine: hasMotionLine,
                hasPulseLine: false, oscillatorError: oscillatorError)
            let service = SensingService(
                rules: SensingRules(), devices: devices, store: store, note: { _ in }, signal: {})
            service.allow(CollectionOrder(domains: ServiceBench.both), at: devices.clock.now)
            run = ServiceRun(service: service, devices: devices, seed: 5)
            run.run(until: life.end + .hours(3))
        }

        func figure(_ type: Figure, on day: UTCDay) -> Int? {
            store.days.first { $0.day == day }?.figures.first { $0.figure == type }.map { Int($0.value) }
        }
    }

    private static func context(_ life: WearerLife, _ truth: DayTruth, _ steps: Int) -> String {
        "\(steps) of \(truth.steps) steps, \(truth.day), seed \(life.seed)"
    }

    @Test func withTheInterruptHardlyAStepIsMissed() throws {
        for life in [WearerLife.typicalDay(firstDay), WearerLife(firstDay: firstDay, days: 2, seed: 2)] {
            let counted = Counted(life)
            for truth in life.truth {
                let steps = try #require(counted.figure(.steps, on: truth.day))
                #expect(steps * 100 >= truth.steps * 96, "\(Self.context(life, truth, steps))")
                #expect(steps * 100 <= truth.steps * 101, "\(Self.context(life, truth, steps))")
            }
        }
    }

    @Test func sittingIsMeasuredAsWithAStepLine() throws {
        let life = WearerLife.typicalDay(firstDay)
        let counted = Counted(life)
        let truth = try #require(life.truth.first)
        let minutes = try #require(counted.figure(.sedentaryMinutes, on: truth.day))
        #expect(abs(minutes - Int(truth.sedentaryMinutes)) <= 10)
        #expect(counted.store.events.count == truth.longSittings.count)
        #expect(counted.figure(.rawPulses, on: truth.day) == nil)
    }

    @Test func aDayCostsLittleMoreThanItsWalks() throws {
        let life = WearerLife.typicalDay(firstDay)
        let cost = try #require(Counted(life).run.costs.first)
        #expect(cost.wakeUps <= 4500)
        #expect(cost.sensorShare <= 0.16)
        #expect(cost.busTime < .seconds(60))
    }

    /// The chip is asked every 10 s, or every 30 s, and what was walked before is not known.
    @Test func withoutTheInterruptTheBeginningOfAWalkIsMissed() throws {
        let life = WearerLife.typicalDay(firstDay)
        let truth = try #require(life.truth.first)
        let counted = Counted(life, hasMotionLine: false)
        let steps = try #require(counted.figure(.steps, on: truth.day))
        #expect((90...100).contains(steps * 100 / truth.steps), "\(Self.context(life, truth, steps))")
        #expect(counted.run.costs[0].wakeUps < 9000)
    }
}
