import Core
import Devices

/// The pulse line, and the meaning of its pulses.
extension SensingSession {
    /// The draining of the kernel's buffer of an open line.
    struct LineDrain: Equatable {
        var last: BootTime
        /// The time to drain the buffer before it can overflow; nil while no pulse is known to wait in it.
        var nextAt: BootTime?
    }

    mutating func lineOpened(_ kernelBuffer: Int, at now: Instant) -> [SensingAction] {
        opened(.pulses, at: now) { session in
            session.drainInterval = session.rules.drainInterval(kernelBuffer: kernelBuffer)
            session.drain = LineDrain(last: now.boot)
            // A line that failed before has recovered once it can be read, not when it is merely held.
            return session.source(.pulses).life.retry.failures == 0 ? [] : [.drainPulses]
        }
    }

    /// Handles the first edge after a pause: waits for more edges before the buffer is drained.
    mutating func pulsesWaiting(at now: Instant) -> [SensingAction] {
        guard drain?.nextAt == nil else { return [] }
        let wait = listens ? rules.listening : drainInterval
        drain?.nextAt = now.boot + wait
        return []
    }

    mutating func take(_ batch: PulseBatch, at now: Instant) -> [SensingAction] {
        guard let last = drain?.last else { return [] }
        observe(served(by: .pulses), since: last, at: now)
        let paceBefore = dutyCycle.pace
        for pulse in batch.pulses { dutyCycle.add(pulse: pulse) }
        if let last = batch.pulses.last {
            lastPulse = last
            unsaved = max(unsaved, .pulses)
        }
        let told = tell(.pulses(batch.pulses, areWindowsTaken: sensor.isSampling), at: now)
        let isIdle = batch.pulses.isEmpty || listens
        drain = LineDrain(last: now.boot, nextAt: isIdle ? nil : now.boot + drainInterval)

        var actions = told + take(.worked, of: .pulses, at: now)
        if let note = loss.note(of: batch.lost, at: now.boot) { actions.append(.note(note)) }
        let wakesUp = paceBefore == .relaxed && dutyCycle.pace == .attentive
        let asksForWindow = wakesUp || signals.contains(.windowNow)
        if asksForWindow, !batch.pulses.isEmpty { actions += lookNow() }
        return actions
    }

    /// Drains the kernel's buffer before it can overflow, or before a window, commit or day's end needs its edges.
    mutating func lineDue(at now: Instant) -> [SensingAction] {
        let isDue = isWindowDue(at: now) || [lineWake, commitWake].contains { $0.map { $0 <= now.boot } ?? false }
        return isDue || mustDrainToClose(at: now) ? drainIfOpen : []
    }

    var drainIfOpen: [SensingAction] { drain == nil ? [] : [.drainPulses] }

    /// The time to drain the buffer. A buffer that lasts until the next window is drained with that window.
    var lineWake: BootTime? { windowsKeepUp ? nil : drain?.nextAt }

    /// Whether to look for a rhythm while it lasts, so that a window can show whether it is a walk. A kernel buffer
    /// that does not last so long is drained earlier anyway.
    private var listens: Bool {
        sensor.isSampling && signals.contains(.pulsesInDoubt) && drainInterval >= rules.listening
    }

    /// Whether edges may have waited for a window that no longer comes in time. Nothing watched for the first edge, so
    /// its age is unknown.
    func mayHoldUnwatchedPulses(at now: Instant) -> Bool {
        guard let drain, drain.nextAt == nil else { return false }
        return !windowsKeepUp && drain.last < now.boot
    }

    /// Whether the next window comes soon enough for the edges in the kernel's buffer.
    var windowsKeepUp: Bool {
        guard drainInterval >= rules.dutyCycle.attentiveInterval else { return false }
        switch sensor {
        case .filling: return true
        case .resting: return !signals.contains(.pulsesInDoubt) && dutyCycle.pace == .attentive
        case .slow, .closed: return false
        }
    }
}

/// The edges that the kernel dropped and that are not reported yet. A noisy line drops edges constantly, so losses are
/// reported at most every ten minutes.
struct PulseLoss {
    /// Nil if some edges may be lost and the count is unknown.
    private var untold: Int? = 0
    private var lastTold: BootTime?

    private static let rest = Interval.minutes(10)

    /// Adds the loss of a drain, and returns the note that is due now, if any.
    mutating func note(of lost: Int?, at now: BootTime) -> SensingNote? {
        untold = if let untold, let lost { untold + lost } else { nil }
        if let lastTold, now - lastTold < Self.rest { return nil }
        guard untold != 0 else { return nil }
        defer { untold = 0 }
        lastTold = now
        return .pulsesLost(untold)
    }
}
