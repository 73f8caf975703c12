import Domains
import Sensing
import Devices
import System
import Core

/// Plays patterns on a line, one after another, by a timer of the loop. It leaves the line off in whatever way it ends.
final class PatternPlayer {
    /// What a pattern is played for.
    enum Cause: Equatable {
        case alarm(AlarmEntry.ID)
        /// By the record that it answers.
        case nudge(Int64)
    }

    private let loop: any EventLoop
    private var line: (any OutputLine)?
    private var timer: (any EventTimer)?
    private var waiting: [(cause: Cause, pattern: AlarmPattern)] = []
    private var began: BootTime?

    /// Called when a pattern is over, or could not be played because of an error of the line.
    var onEnd: (Cause, BusError?) -> Void = { _, _ in }

    init(_ loop: any EventLoop) { self.loop = loop }

    var hasLine: Bool { line != nil }
    var isPlaying: Bool { !waiting.isEmpty }

    /// - Parameter line: off. The player switches it off and releases it in the end.
    func take(_ line: any OutputLine) throws(LoopError) {
        release()
        timer = try loop.timer { [weak self] in self?.step() }
        self.line = line
    }

    /// Ends what is played and what waits, without a word, and releases the line.
    func release() {
        stop { _ in true }
        line?.close()
        (line, timer) = (nil, nil)
    }

    /// Plays the pattern once those before it are over.
    func play(_ pattern: AlarmPattern, for cause: Cause) {
        waiting.append((cause, pattern))
        if waiting.count == 1 { step() }
    }

    /// Ends some of what is played and waits, at once and without a word.
    func stop(where isStopped: (Cause) -> Bool) {
        let wasFirst = waiting.first.map { isStopped($0.cause) } ?? false
        waiting.removeAll { isStopped($0.cause) }
        guard wasFirst else { return }
        began = nil
        timer?.disarm()
        do throws(BusError) { try line?.set(false) } catch { fail(error) }
        if isPlaying { step() }
    }

    /// Sets the line as the pattern has it now. Times count from the beginning, so that late wake-ups do not add up.
    private func step() {
        while let (cause, pattern) = waiting.first {
            let start = began ?? loop.now.boot
            began = start
            let (isOn, until) = pattern.state(after: loop.now.boot - start)
            do throws(BusError) {
                guard let line else { throw .absent }
                try line.set(isOn)
            } catch {
                return fail(error)
            }
            if let until {
                timer?.arm(at: start + until, slack: .milliseconds(1))
                return
            }
            waiting.removeFirst()
            began = nil
            onEnd(cause, nil)
        }
    }

    private func fail(_ error: BusError) {
        let all = waiting
        waiting = []
        began = nil
        timer?.disarm()
        for (cause, _) in all { onEnd(cause, error) }
    }
}
