import Glibc
import System
import Devices
import Core
import Simulation
import Testing

/// The duties of every implementation of `EventLoop`.
@Suite struct EventLoopConformance {
    enum Kind: CaseIterable {
        case real, virtual

        func make() throws -> any EventLoop {
            switch self {
            case .real: try EpollLoop()
            case .virtual: VirtualLoop(clock: VirtualClock(bootingAt: WallTime(secondsSinceEpoch: 0)), seed: 1)
            }
        }
    }

    @Test(arguments: Kind.allCases) func timersFireInTheirOrderOnceAndNotEarly(kind: Kind) throws {
        let loop = try kind.make()
        let start = loop.now.boot
        var fired: [(String, BootTime)] = []
        let later = try loop.timer {
            fired.append(("later", loop.now.boot))
            loop.stop(7)
        }
        let sooner = try loop.timer { fired.append(("sooner", loop.now.boot)) }
        later.arm(at: start + .milliseconds(4), slack: .zero)
        sooner.arm(at: start + .milliseconds(2), slack: .zero)
        #expect(try loop.run() == 7)
        #expect(fired.map(\.0) == ["sooner", "later"])
        #expect(zip(fired, [2, 4] as [Int64]).allSatisfy { $0.1 >= start + .milliseconds($1) })
    }

    @Test(arguments: Kind.allCases) func aTimerIsArmedAgainByItsOwnHandlerAndATimeThatHasPassedMeansAtOnce(
        kind: Kind
    ) throws {
        let loop = try kind.make()
        var count = 0
        var timer: (any EventTimer)?
        timer = try loop.timer {
            count += 1
            if count < 5 { timer?.arm(at: BootTime(nanoseconds: -1), slack: .zero) } else { loop.stop() }
        }
        timer?.arm(at: loop.now.boot, slack: .zero)
        #expect(try loop.run() == 0)
        #expect(count == 5)
        timer = nil
    }

    @Test(arguments: Kind.allCases) func theLastArmingCounts(kind: Kind) throws {
        let loop = try kind.make()
        var fired: [String] = []
        let moved = try loop.timer { fired.append("moved") }
        let disarmed = try loop.timer { fired.append("disarmed") }
        var dropped: (any EventTimer)? = try loop.timer { fired.append("dropped") }
        let last = try loop.timer { loop.stop() }
        moved.arm(at: loop.now.boot, slack: .zero)
        moved.arm(at: loop.now.boot + .hours(1), slack: .zero)
        for timer in [disarmed, dropped] { timer?.arm(at: loop.now.boot, slack: .zero) }
        last.arm(at: loop.now.boot + .milliseconds(1), slack: .zero)
        disarmed.disarm()
        dropped = nil
        _ = try loop.run()
        withExtendedLifetime((moved, disarmed, last)) {}
        #expect(fired.isEmpty)
    }

    @Test(arguments: Kind.allCases) func aHandlerMayDropItsOwnSource(kind: Kind) throws {
        let loop = try kind.make()
        var timer: (any EventTimer)?
        timer = try loop.timer {
            timer = nil
            loop.stop(3)
        }
        timer?.arm(at: loop.now.boot, slack: .zero)
        #expect(try loop.run() == 3)
    }

    @Test(arguments: Kind.allCases) func aSignalIsWatchedOnceAtATime(kind: Kind) throws {
        let loop = try kind.make()
        var first: (any EventSource)? = try loop.onSignal(SIGUSR2) {}
        #expect(throws: LoopError.alreadyWatched) { try loop.onSignal(SIGUSR2) {} }
        withExtendedLifetime(first) {}
        first = nil
        #expect(throws: Never.self) { try loop.onSignal(SIGUSR2) {} }
    }

    @Test(arguments: Kind.allCases) func aLoopThatHasEndedTakesNothingMore(kind: Kind) throws {
        let loop = try kind.make()
        let timer = try loop.timer {}
        loop.stop(4)
        #expect(try loop.run() == 4)
        timer.arm(at: loop.now.boot, slack: .zero)
        #expect(throws: LoopError.ended) { try loop.timer {} }
    }
}
