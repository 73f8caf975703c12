import Sensing
import Domains
import Glibc
import Core
import SimulatedBus
import Simulation
import Testing

/// A wake alarm takes a lighter moment of the sleeper, within `[alarm] wake-window`.
@Suite struct WakeWindowTests {
    /// Lies still and breathes, and lifts the arm for four seconds now and then.
    private final class Sleeper: AccelerationSource {
        let stirs: [Interval]

        init(_ stirs: [Interval]) { self.stirs = stirs }

        func acceleration(at time: BootTime) -> Acceleration {
            let elapsed = time - BootTime(nanoseconds: 0)
            let breath = 0.002 * Float(sin(2 * .pi * 0.25 * Double(elapsed.nanoseconds) * 1e-9))
            guard let stir = stirs.last(where: { $0 <= elapsed }), elapsed - stir < .seconds(4) else {
                return Acceleration(x: breath, y: 0, z: 1)
            }
            let angle = sinf(.pi * Float((elapsed - stir).inMilliseconds) / 4000)
            return Acceleration(x: breath, y: sinf(angle), z: cosf(angle))
        }
    }

    private static let window = Interval.minutes(30)

    /// A wake alarm four hours after noon.
    private func run(_ source: any AccelerationSource, _ domains: [Domain] = [.alarm, .sleep]) throws -> AlarmRun {
        let run = try AlarmRun(domains: domains, source: source) { $0.alarm.wakeWindow = Self.window }
        try run.set(.wake, in: .hours(4))
        return run
    }

    private func outcome(_ run: AlarmRun) throws -> AlarmEntry.Outcome? {
        try run.store.ledger.book(AlarmBook.self).alarms[0].outcome
    }

    @Test func aSleeperWhoStirsWithinItIsWokenThen() throws {
        let stir = Interval.hours(3) + .minutes(47)
        let run = try run(Sleeper([.hours(1), .hours(2), stir]))
        run.live(for: stir)
        #expect(run.edges.isEmpty, "it stirred before the window only")
        run.live(for: .seconds(45))
        #expect(try run.lines(.alarmPlayed).count == 1 && outcome(run) == .playedEarly)
        #expect(try #require(run.edges.first).at >= BootTime(nanoseconds: stir.nanoseconds))
        run.live(for: .hours(2))
        #expect(run.lines(.alarmPlayed).count == 1 && run.lines(.alarmMissed).isEmpty, "not at its time as well")
    }

    static let quiet: [[Interval]] = [[], [.hours(1)], [.hours(3) + .minutes(28)], [.hours(4) + .minutes(5)]]

    @Test(arguments: quiet) func whoDoesNotStirWithinItIsWokenAtTheTime(stirs: [Interval]) throws {
        let run = try run(Sleeper(stirs))
        run.live(for: .hours(4) - .milliseconds(1))
        #expect(run.edges.isEmpty)
        run.live(for: .seconds(1))
        #expect(try run.lines(.alarmPlayed).count == 1 && outcome(run) == .played)
    }

    @Test func withoutASensorThatIsReadItPlaysAtItsTime() throws {
        let run = try run(Sleeper([.hours(3) + .minutes(47)]), [.alarm])
        run.live(for: .hours(4) + .seconds(1))
        #expect(try run.lines(.alarmPlayed).count == 1 && outcome(run) == .played)
        #expect(run.devices.busOpenings == 0, "the alarm opens no sensor")
    }

    @Test func otherKindsKeepTheirTime() throws {
        let run = try AlarmRun(domains: [.alarm, .sleep], source: Sleeper([.hours(3) + .minutes(47)])) {
            $0.alarm.wakeWindow = Self.window
        }
        try run.set(.custom, in: .hours(4))
        run.live(for: .hours(4) - .milliseconds(1))
        #expect(run.edges.isEmpty)
    }

    static let seeds: [UInt64] = [1, 2, 3]

    /// Nights as they are made up from recorded ones, each with a wake alarm of its own time.
    @Test(arguments: seeds) func inANightItIsNeverEarlierThanTheWindowAndNeverLate(seed: UInt64) throws {
        let plan = NightPlan(seed: seed)
        let noon = BootTime(nanoseconds: 0)
        let run = try AlarmRun(domains: [.alarm, .sleep], source: SimulatedNight(plan, noon: noon)) {
            $0.alarm.wakeWindow = Self.window
        }
        // On a whole minute, within the night.
        let due = Interval.minutes((plan.up - .minutes(60)).inMinutes)
        try run.set(.wake, in: due)
        run.live(for: due + .minutes(2))
        #expect(run.lines(.alarmPlayed).count == 1)
        let played = try #require(run.edges.first).at - noon
        #expect(played >= due - Self.window && played <= due + .milliseconds(200))
        guard try outcome(run) == .playedEarly else { return }
        let wearer = SimulatedNight(plan, noon: noon)
        let before = (0..<1200).map { wearer.acceleration(at: noon + played - .seconds(60) + .milliseconds(50 * $0)) }
        #expect(before.contains { ($0 - before[0]).magnitude > 0.05 }, "something moved before it")
    }
}
