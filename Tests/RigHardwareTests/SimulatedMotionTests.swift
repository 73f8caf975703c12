import Core
import Signal
import Testing

@testable import rig_hardware

/// The classifier recognises each kind of simulated motion.
@Suite struct SimulatedMotionTests {
    /// The verdict after so many windows, ten seconds apart, from `start` on.
    private func verdict(on kind: SimulatedMotion.Kind, from start: Interval, windows: Int = 6) throws -> Activity {
        let motion = SimulatedMotion(kind)
        var judge = ActivityJudge()
        for index in 0..<windows {
            let begin = BootTime(nanoseconds: 0) + start + .seconds(10 * Int64(index))
            let samples = (0..<Window.length).map { motion.acceleration(at: begin + .milliseconds(40 * Int64($0))) }
            _ = judge.judge(ActivityFeatures(try #require(Window(samples))), after: index == 0 ? nil : .seconds(10))
        }
        return judge.verdict.activity
    }

    @Test(
        arguments: [
            (.still, .stationary), (.table, .stationary), (.walking, .walking), (.running, .running),
            (.driving, .automotive),
        ] as [(SimulatedMotion.Kind, Activity)], [Int64(0), 1234, 98_765, 1_000_000])
    func eachMotionIsTakenForWhatItIs(expected: (kind: SimulatedMotion.Kind, activity: Activity), start: Int64) throws {
        #expect(try verdict(on: expected.kind, from: .seconds(start)) == expected.activity)
    }

    @Test func aDayGoesThroughTheMotions() throws {
        let motion = SimulatedMotion(.day)
        func feels(_ minute: Int64, like kind: SimulatedMotion.Kind) -> Bool {
            let time = BootTime(nanoseconds: 0) + .minutes(minute) + .seconds(7)
            return motion.acceleration(at: time) == SimulatedMotion(kind).acceleration(at: time)
                && motion.temperature(at: time) == SimulatedMotion(kind).temperature(at: time)
        }
        #expect(feels(4, like: .walking) && feels(5, like: .still) && feels(39, like: .still))
        #expect(feels(40, like: .driving) && feels(54, like: .driving) && feels(59, like: .table))
        #expect(feels(60, like: .walking))
    }

    @Test(arguments: SimulatedMotion.Kind.allCases)
    func gravityIsAlwaysThere(kind: SimulatedMotion.Kind) {
        let motion = SimulatedMotion(kind)
        let felt = (0..<2500).map { motion.acceleration(at: BootTime(nanoseconds: $0 * 40_000_000)) }
        let mean = felt.reduce(.zero) { $0 + $1 } * (1 / Float(felt.count))
        #expect(abs(mean.magnitude - 1) < 0.02)
    }
}
