import Domains
import Sensing
import Devices
import System
import Core

/// Plays patterns on a line, one after another, by a timer of the loop. However it ends, it leaves the line off.
final class PatternPlayer {
    /// The cause of a pattern.
    enum Cause: Equatable {
        case alarm(AlarmEntry.ID)
        /// The outbox record that the nudge answers.
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

    /// - Parameter line: switched off. The player switches it off and closes it in the end.
    func take(_ line: any OutputLine) throws(LoopError) {
        release()
        timer = try loop.timer { [weak self] in self?.step() }
        self.line = line
    }

    /// Stops everything that plays or waits, without calling `onEnd`, and releases the line.
    func release() {
        stop { _ in true }
        line?.close()
        (line, timer) = (nil, nil)
    }

    /// Plays the pattern once the earlier ones are over.
    func play(_ pattern: AlarmPattern, for cause: Cause) {
        waiting.append((cause, pattern))
        if waiting.count == 1 { step() }
    }

    /// Stops some of the patterns that play or wait, at once and without calling `onEnd` for them.
    func stop(where isStopped: (Cause) -> Bool) {
        let wasFirst = waiting.first.map { isStopped($0.cause) } ?? false
        waiting.removeAll { isStopped($0.cause) }
        guard wasFirst else { return }
        began = nil
        timer?.disarm()
        do throws(BusError) { try line?.set(false) } catch { fail(error) }
        if isPlaying { step() }
    }

    /// Sets the line to the pattern's present state. Times count from its start, so late wake-ups do not add up.
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
