import Glibc
import Devices
import System
import Core
import Simulation
import Testing

/// The abilities that an event loop in virtual time adds.
@Suite struct VirtualLoopTests {
    private let clock = VirtualClock(bootingAt: UTCDay(daysSinceEpoch: 20_101).start)

    /// The reports of a loop to its observer, with the seconds since the start.
    private final class Diary: VirtualLoopObserver {
        var lines: [String] = []
        func wakes(at now: Instant) { lines.append("wakes \(seconds(now))") }
        func slept(at now: Instant) { lines.append("slept \(seconds(now))") }
        func halted(at now: Instant) { lines.append("halted \(seconds(now))") }
        private func seconds(_ now: Instant) -> Int64 { now.boot.nanoseconds / 1_000_000_000 }
    }

    @Test func aTimerIsLateWithinItsSlackAndAlwaysTheSame() throws {
        var fired: [BootTime] = []
        for parts in [1, 7] as [Int64] {
            let clock = VirtualClock(bootingAt: WallTime(secondsSinceEpoch: 0))
            let loop = VirtualLoop(clock: clock, seed: 5)
            let timer = try loop.timer { fired.append(loop.now.boot) }
            timer.arm(at: BootTime(nanoseconds: 0) + .seconds(60), slack: .seconds(10))
            for part in 1...parts { loop.run(until: WallTime(secondsSinceEpoch: 80 * part / parts)) }
        }
        #expect(fired.count == 2 && fired[0] == fired[1])
        #expect(fired[0] > BootTime(nanoseconds: 0) + .seconds(60), "a seed of which it is not")
        #expect(fired[0] <= BootTime(nanoseconds: 0) + .seconds(70))
    }

    @Test func aDescriptorWakesWhenItIsReadableUntilItIsRead() throws {
        let edge = clock.now.boot + .seconds(3)
        var unread = 2
        let loop = VirtualLoop(clock: clock, seed: 1) { descriptor, limit in
            descriptor == 9 && unread > 0 && edge < limit ? edge : nil
        }
        var woken: [String] = []
        let watch = try loop.watch(9) {
            unread -= 1
            woken.append("line \(loop.now.boot == edge)")
        }
        let timer = try loop.timer { woken.append("timer") }
        timer.arm(at: clock.now.boot + .seconds(5), slack: .zero)
        loop.run(until: clock.now.wall + .seconds(6))
        withExtendedLifetime(watch) {}
        #expect(woken == ["line true", "line true", "timer"])
    }

    @Test func aWatchThatIsDroppedWakesNobody() throws {
        let loop = VirtualLoop(clock: clock, seed: 1) { [clock] _, _ in clock.now.boot }
        var watch: (any EventSource)?
        var woken = 0
        watch = try loop.watch(9) {
            woken += 1
            watch = nil
        }
        loop.run(until: clock.now.wall + .seconds(5))
        #expect(woken == 1 && watch == nil)
    }

    @Test func itsObserverIsToldOfWakeUpsAndOfTheEndOfADay() throws {
        let loop = VirtualLoop(clock: clock, seed: 1)
        let diary = Diary()
        loop.observer = diary
        let timer = try loop.timer {}
        timer.arm(at: clock.now.boot + .seconds(7), slack: .zero)
        loop.run(until: clock.now.wall + .days(1) + .seconds(1))
        #expect(diary.lines == ["wakes 7", "slept 7", "halted 86400", "halted 86401"])
    }

    @Test func directoriesAreLookedAtOnceAMinuteAndWhenItIsSaid() throws {
        let loop = VirtualLoop(clock: clock, seed: 1)
        var looks = 0
        let watch = try loop.onChange(in: "/run/a") { looks += 1 }
        var minutes = 0
        loop.live(until: clock.now.wall + .minutes(3)) { _ in
            minutes += 1
            return true
        }
        #expect((looks, minutes) == (3, 3))
        loop.changed(in: "/run/a")
        loop.changed(in: "/run/b")
        #expect(looks == 4)
        withExtendedLifetime(watch) {}
    }

    @Test func aNodeIsToldOfByItsName() throws {
        let loop = VirtualLoop(clock: clock, seed: 1)
        var changes = 0
        let watch = try loop.onChange(ofNode: "bus") { changes += 1 }
        loop.changed(node: "line")
        #expect(changes == 0)
        loop.changed(node: "bus")
        #expect(changes == 1)
        withExtendedLifetime(watch) {}
    }

    @Test func theEndOfItsTimeIsAShutdown() throws {
        let loop = VirtualLoop(clock: clock, seed: 1)
        loop.end = clock.now.wall + .hours(1)
        let signal = try loop.onSignal(SIGTERM) { loop.stop(9) }
        #expect(try loop.run() == 9)
        #expect(clock.now.boot == BootTime(nanoseconds: 0) + .hours(1))
        withExtendedLifetime(signal) {}
    }

    @Test func oneWhoLooksCanEndItEarly() {
        let loop = VirtualLoop(clock: clock, seed: 1)
        loop.live(until: clock.now.wall + .hours(1)) { $0.boot < BootTime(nanoseconds: 0) + .minutes(2) }
        #expect(clock.now.boot == BootTime(nanoseconds: 0) + .minutes(2))
    }
}
