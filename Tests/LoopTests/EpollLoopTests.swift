import Glibc
import Devices
import Core
import TestFiles
import Testing

@testable import System

/// A record of events, in order.
private final class Diary {
    var lines: [String] = []
}

/// A change of a device node.
enum NodeChange: CaseIterable {
    case newMode, removed, removedWhileOpen, moved

    func happen(to path: String) throws {
        let result =
            switch self {
            case .newMode: chmod(path, 0)
            case .removed, .removedWhileOpen: unlink(path)
            case .moved: rename(path, path + ".moved")
            }
        try #require(result == 0)
    }
}

@Suite struct EpollLoopTests {
    let loop: EpollLoop
    private let diary = Diary()

    init() throws { loop = try EpollLoop() }

    @Test func aTimerThatMayWakeTheMachineFiresWithAndWithoutThatRight() throws {
        let due = loop.now.boot + .milliseconds(2)
        let timer = try loop.wakingTimer { [loop] in loop.stop(7) }
        timer.arm(at: due, slack: .zero)
        #expect(try loop.run() == 7 && loop.now.boot >= due)
    }

    @Test func whileNobodySetsTheClockItsWatchIsQuiet() throws {
        let watch = try loop.onClockSet { [diary] in diary.lines.append("set") }
        let timer = try loop.timer { [loop] in loop.stop() }
        timer.arm(at: loop.now.boot + .milliseconds(20), slack: .zero)
        _ = try withExtendedLifetime(watch) { try loop.run() }
        #expect(diary.lines.isEmpty)
    }

    @Test func timersThatAreDueTogetherShareAWakeUp() throws {
        var count = 0
        let timers = try (0..<5).map { _ in
            try loop.timer {
                count += 1
                if count == 5 { loop.stop() }
            }
        }
        for (index, timer) in timers.enumerated() {
            timer.arm(at: BootTime(nanoseconds: Int64(index) * 1000), slack: .zero)
        }
        _ = try loop.run()
        withExtendedLifetime(timers) {}
        #expect(loop.wakeUps == 1)
    }

    /// The second could wait for two hours, and the first cannot: both fire when the first is due. The third is not due yet.
    @Test func aTimerWithSlackWaitsForAnotherAndSharesItsWakeUp() throws {
        let start = loop.now.boot
        let patient = try loop.timer { diary.lines.append("patient") }
        let late = try loop.timer { diary.lines.append("late") }
        let punctual = try loop.timer {
            diary.lines.append("punctual")
            loop.stop()
        }
        patient.arm(at: start, slack: .hours(2))
        late.arm(at: start + .hours(1), slack: .zero)
        punctual.arm(at: start + .milliseconds(5), slack: .zero)
        _ = try loop.run()
        withExtendedLifetime((patient, late, punctual)) {}
        #expect(diary.lines == ["patient", "punctual"])
        #expect(loop.wakeUps == 1)
    }

    /// A timer alone uses all of its slack: in that time another may come to share the wake-up with.
    @Test func aTimerWithSlackAloneFiresAtItsEnd() throws {
        let latest = loop.now.boot + .milliseconds(5)
        let timer = try loop.timer { [loop] in loop.stop() }
        timer.arm(at: loop.now.boot, slack: latest - loop.now.boot)
        _ = try loop.run()
        withExtendedLifetime(timer) {}
        #expect(loop.now.boot + .milliseconds(1) >= latest)
    }

    /// The number of the descriptor is that of another file by the time its event would be served.
    @Test func anEventOfAWatchThatWasDroppedGoesToNobodyElse() throws {
        let pipes = try (0..<3).map { _ in try pipeEnds() }
        defer { for ends in pipes { for end in ends { close(end) } } }
        var watches: [Int: any EventSource] = [:]
        for index in 0..<2 {
            watches[index] = try loop.watch(pipes[index][0]) { [diary, loop] in
                diary.lines.append("readable")
                let other = 1 - index
                watches[other] = nil
                // The quiet third pipe takes the number of the one that was dropped.
                dup2(pipes[2][0], pipes[other][0])
                watches[2] = try? loop.watch(pipes[other][0]) { diary.lines.append("stale") }
                var byte: UInt8 = 0
                read(pipes[index][0], &byte, 1)
            }
            #expect(write(pipes[index][1], "a", 1) == 1)
        }
        let timer = try loop.timer { [loop] in loop.stop() }
        timer.arm(at: loop.now.boot + .milliseconds(2), slack: .zero)
        _ = try loop.run()
        withExtendedLifetime(timer) {}
        watches = [:]
        #expect(diary.lines == ["readable"])
    }

    private func pipeEnds() throws -> [Int32] {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        return ends
    }

    @Test func aReadableDescriptorCallsItsHandlerUntilItIsDrained() throws {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        #expect(write(ends[1], "abc", 3) == 3)
        let watch = try loop.watch(ends[0]) {
            var byte: UInt8 = 0
            read(ends[0], &byte, 1)
            diary.lines.append(String(UnicodeScalar(byte)))
            if diary.lines.count == 3 { loop.stop() }
        }
        _ = try loop.run()
        withExtendedLifetime(watch) {}
        #expect(diary.lines == ["a", "b", "c"])
    }

    @Test func aSignalArrivesAsAnEvent() throws {
        let signal = try loop.onSignal(SIGUSR1) { loop.stop(5) }
        raise(SIGUSR1)
        #expect(try loop.run() == 5)
        withExtendedLifetime(signal) {}
    }

    @Test(arguments: NodeChange.allCases)
    func aNodeThatChangesOrGoesIsNoticed(change: NodeChange) throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write("node", "")
        let descriptor = change == .removedWhileOpen ? open(path, O_RDONLY) : -1
        defer { close(descriptor) }
        let watch = try loop.onChange(ofNode: path) { loop.stop(6) }
        try change.happen(to: path)
        #expect(try loop.run() == 6)
        withExtendedLifetime(watch) {}
    }

    @Test func readingAndWritingANodeCallNobody() throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write("node", "before")
        let watch = try loop.onChange(ofNode: path) {
            diary.lines.append("changed")
            loop.stop()
        }
        #expect(try readFile(path, limit: 10).count == 6)
        let descriptor = open(path, O_WRONLY)
        #expect(write(descriptor, "after", 5) == 5)
        close(descriptor)
        let timer = try loop.timer {
            diary.lines.append("timer")
            chmod(path, 0o600)
        }
        timer.arm(at: loop.now.boot + .milliseconds(1), slack: .zero)
        _ = try loop.run()
        withExtendedLifetime(watch) {}
        #expect(diary.lines == ["timer", "changed"])
    }

    @Test func aWatchOfADirectoryMayGoWhileMoreOfItWaits() throws {
        let directory = try TemporaryDirectory()
        let node = try loop.onChange(ofNode: directory.path) { diary.lines.append("node") }
        var watch: (any EventSource)?
        watch = try loop.onChange(in: directory.path) {
            diary.lines.append("directory")
            watch = nil
        }
        for name in ["first", "second"] {
            let file = open("\(directory.path)/\(name)", O_WRONLY | O_CREAT, 0o600)
            #expect(close(file) == 0)
        }
        let timer = try loop.timer { loop.stop() }
        timer.arm(at: loop.now.boot + .milliseconds(1), slack: .zero)
        _ = try loop.run()
        withExtendedLifetime(node) {}
        #expect(watch == nil && diary.lines == ["directory"])
    }

    @Test func whatCannotBeWatchedIsSaid() throws {
        let directory = try TemporaryDirectory()
        #expect(throws: LoopError.absent) { try loop.watch(-1) {} }
        #expect(throws: LoopError.absent) { try loop.onChange(in: directory.path + "/absent") {} }
        #expect(throws: LoopError.absent) { try loop.onChange(ofNode: directory.path + "/absent") {} }
        let file = open(try directory.write("regular", ""), O_RDONLY)
        defer { close(file) }
        #expect(throws: LoopError.denied) { try loop.watch(file) {} }
    }

    @Test func droppingASourceLetsGoOfItsHandler() throws {
        weak var observed: Diary?
        do {
            let kept = Diary()
            observed = kept
            let timer = try loop.timer { kept.lines.append("") }
            timer.arm(at: loop.now.boot + .hours(1), slack: .zero)
        }
        #expect(observed == nil)
    }
}
