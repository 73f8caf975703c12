import Core
import Testing

@testable import Simulation

@Suite struct SimulatedStepSensorTests {
    private let life = WearerLife.typicalDay(SimulatedLifeTests.firstDay)

    @Test func nearlyEveryStepGivesAnEdgeWithinMilliseconds() {
        let edges = StepSensor.edges(of: life)
        var next = 0
        var missed = 0
        for step in life.steps {
            while next < edges.count, edges[next] < step { next += 1 }
            let isHit = next < edges.count && edges[next] - step <= .milliseconds(6)
            missed += isHit ? 0 : 1
        }
        #expect((1...(life.steps.count * 3 / 1000)).contains(missed))
    }

    @Test func edgesComeInOrderAndSomeBounce() {
        let edges = StepSensor.edges(of: life)
        let bounces = zip(edges, edges.dropFirst()).filter { $1 - $0 < .milliseconds(50) }.count
        #expect(zip(edges, edges.dropFirst()).allSatisfy { $0 <= $1 })
        #expect((life.steps.count / 50...life.steps.count / 20).contains(bounces))
    }

    @Test func pulsesAreEdgesWithoutBounces() {
        let pulses = StepSensor.pulses(of: life)
        #expect(zip(pulses, pulses.dropFirst()).allSatisfy { $1 - $0 >= .milliseconds(50) })
        #expect(Set(pulses).isSubset(of: Set(StepSensor.edges(of: life))))
    }

    @Test func strayPulsesComeWhereNobodyWalks() {
        let pulses = StepSensor.pulses(of: life)
        func count(_ kind: Episode.Kind) -> Int {
            life.episodes.filter { $0.kind == kind }.reduce(0) { sum, episode in
                sum + pulses.filter { episode.start + .seconds(1) < $0 && $0 < episode.end }.count
            }
        }
        #expect(count(.driving) > count(.sitting))
        #expect(count(.sitting) > 0)
        #expect(count(.sleeping) == 0)
        #expect(count(.off) == 0)
    }
}
