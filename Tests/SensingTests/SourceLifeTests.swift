import Domains
import Devices
import Core
import Testing

/// The table of transitions of `SourceLife`.
@Suite struct SourceLifeTests {
    private static let start = BootTime(nanoseconds: 0)
    private static let passing = DeviceFault(.passing, reason: "busy")
    private static let silent = DeviceFault(.silent, reason: "nak")
    private static let refused = DeviceFault(.lasting(.refused), reason: "no")
    private static let rule = DoublingWait(first: .minutes(1), longest: .hours(1), patience: 3)

    struct Row: Sendable {
        let before: [SourceLife.Event]
        let event: SourceLife.Event
        let steps: [SourceLife.Step]
        let phase: SourceLife.Phase
    }

    private static let firstFailure = SourceLife.Step.failed(reason: "busy", retryIn: .minutes(1))
    private static let opened: [SourceLife.Event] = [.wanted(true), .opened]
    private static let down: [SourceLife.Event] = opened + [.failed(passing)]

    static let table: [Row] = [
        Row(before: [], event: .wanted(false), steps: [], phase: .off),
        Row(before: [], event: .wanted(true), steps: [.open], phase: .opening),
        Row(before: [], event: .opened, steps: [], phase: .off),
        Row(before: [], event: .failed(passing), steps: [], phase: .off),
        Row(before: [], event: .ended, steps: [], phase: .off),
        Row(before: [.wanted(true)], event: .wanted(true), steps: [], phase: .opening),
        Row(before: [.wanted(true)], event: .wanted(false), steps: [.close], phase: .off),
        Row(before: [.wanted(true)], event: .opened, steps: [], phase: .open),
        Row(before: [.wanted(true)], event: .failed(passing), steps: [.close, firstFailure], phase: .down),
        Row(
            before: [.wanted(true)], event: .failed(silent),
            steps: [.close, .failed(reason: "nak", retryIn: .minutes(1))], phase: .down),
        Row(
            before: [.wanted(true)], event: .failed(refused), steps: [.close, .lost(.refused, reason: "no")],
            phase: .lost),
        Row(before: opened, event: .wanted(true), steps: [], phase: .open),
        Row(before: opened, event: .wanted(false), steps: [.close], phase: .off),
        Row(before: opened, event: .worked, steps: [], phase: .open),
        Row(before: opened, event: .failed(passing), steps: [.close, firstFailure], phase: .down),
        Row(before: opened, event: .ended, steps: [.close], phase: .off),
        Row(before: down, event: .wanted(true), steps: [], phase: .down),
        Row(before: down, event: .wanted(false), steps: [], phase: .down),
        Row(before: down, event: .ended, steps: [], phase: .off),
        Row(before: down, event: .failed(passing), steps: [], phase: .down),
        Row(before: [.wanted(true), .failed(refused)], event: .wanted(true), steps: [], phase: .lost),
        Row(before: [.wanted(true), .failed(refused)], event: .wanted(false), steps: [], phase: .off),
    ]

    @Test(arguments: table) func eachEventLeadsFromEachPhaseToTheNext(row: Row) {
        var life = SourceLife(Self.rule)
        for event in row.before { _ = life.handle(event, at: Self.start) }
        #expect(life.handle(row.event, at: Self.start) == row.steps && life.phase == row.phase)
    }

    /// Fails at each attempt with `fault`, and returns what was told.
    private func attempts(_ count: Int, _ fault: DeviceFault) -> (life: SourceLife, told: [SourceLife.Step]) {
        var life = SourceLife(Self.rule)
        var now = Self.start
        var told: [SourceLife.Step] = []
        for _ in 0..<count {
            told += life.handle(.wanted(true), at: now) + life.handle(.failed(fault), at: now)
            now = life.wakeAt ?? now
        }
        return (life, told.filter { $0 != .open && $0 != .close })
    }

    @Test func itIsTriedAgainAfterWaitsThatGrowAndToldTwice() {
        let (life, told) = attempts(5, Self.passing)
        #expect(told == [Self.firstFailure, .gaveUp(reason: "busy", retryIn: .hours(1))])
        #expect(life.wakeAt == Self.start + .minutes(3) + .hours(3))
    }

    @Test func aSilentOneIsLostWhenItIsGivenUp() {
        let (life, told) = attempts(3, Self.silent)
        #expect(told.last == .lost(.absent, reason: "nak") && life.phase == .lost && life.wakeAt == nil)
    }

    @Test func failuresCountUntilItWorksAndNotMerelyOpens() {
        var (life, _) = attempts(2, Self.passing)
        let due = life.wakeAt ?? Self.start
        #expect(life.handle(.wanted(true), at: due) == [.open])
        #expect(life.handle(.opened, at: due) == [] && life.retry.failures == 2)
        #expect(life.handle(.worked, at: due) == [.recovered] && life.retry.failures == 0)
    }

    @Test func oneThatIsUnwantedForAWhileWaitsForTheRetryAllTheSame() {
        var (life, _) = attempts(2, Self.passing)
        #expect(life.handle(.wanted(false), at: Self.start + .minutes(2)) == [] && life.phase == .down)
        #expect(life.handle(.wanted(true), at: Self.start + .minutes(2)) == [])
        #expect(life.handle(.wanted(false), at: Self.start + .minutes(3)) == [] && life.phase == .off)
        #expect(life.handle(.wanted(true), at: Self.start + .minutes(3)) == [.open] && life.retry.failures == 2)
    }

    @Test func consentThatEndedForgetsFailures() {
        var (life, _) = attempts(2, Self.passing)
        _ = life.handle(.ended, at: Self.start)
        #expect(life == SourceLife(Self.rule))
    }
}
