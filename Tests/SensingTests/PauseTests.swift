import Domains
import Core
import Signal
import SimulatedBus
import Testing

/// Time that was undecided when sampling paused, as when the board is suspended.
@Suite struct PauseTests {
    /// Tilted, so that it takes two hours to know.
    @Test(arguments: [60, 100, 115] as [Int64]) func aTableBeforeAPauseIsNoSitter(minutes: Int64) {
        var harness = SessionHarness(from: WallTime(secondsSinceEpoch: 1_736_942_400))
        harness.allow(.motion)
        harness.window = { .window(Self.table(at: $0)) }
        harness.run(for: .minutes(minutes))
        harness.now = harness.now + .minutes(15)
        harness.deliver(.woke)
        harness.run(for: .hours(5))
        #expect(harness.events.isEmpty)
        #expect((harness.figure(.sedentaryMinutes) ?? 0) < 10)
    }

    @Test func aSitterBeforeAPauseIsOne() {
        var harness = SessionHarness(from: WallTime(secondsSinceEpoch: 1_736_942_400))
        harness.allow(.motion)
        harness.window = { now in
            let shifts = (now.boot - BootTime(nanoseconds: 0)).inMinutes / 7
            return .window(shifts % 2 == 0 ? SessionHarness.still : SessionHarness.leaning)
        }
        harness.run(for: .minutes(60))
        harness.now = harness.now + .minutes(15)
        harness.deliver(.woke)
        harness.run(for: .minutes(1))
        #expect((harness.figure(.sedentaryMinutes) ?? 0) >= 50)
    }

    /// The noise of a chip, and nothing else.
    private static func table(at now: Instant) -> Window {
        var generator = SeededGenerator(seed: UInt64(now.boot.nanoseconds))
        func noise() -> Float { .random(in: -0.0022...0.0022, using: &generator) }
        let samples = (0..<Window.length).map { _ in
            Acceleration(x: 0.5 + noise(), y: 0.4 + noise(), z: 0.77 + noise())
        }
        return Window(samples).unsafelyUnwrapped
    }
}
