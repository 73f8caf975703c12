import Consent
import Domains
import DutyCycle
import Ports
import Quantities

/// The states of the pulse line, and the meaning of its pulses.
extension SensingSession {
    mutating func lineOpened(_ kernelBuffer: Int, at now: Instant) -> [SensingAction] {
        guard line == .opening else { return [] }
        drainInterval = rules.drainInterval(kernelBuffer: kernelBuffer)
        line = .idle(lastDrain: now.boot)
        let told = tell(.opened, lineDomains.intersection(allowed), at: now)
        // A line that failed before has recovered when it can be read, not merely held.
        return told + (lineHealth == .working ? [] : [.drainPulses])
    }

    /// The line is released until it is tried again, or until its domain is ordered anew.
    mutating func lineFailed(_ fault: DeviceFault, at now: Instant) -> [SensingAction] {
        guard line != .off else { return [] }
        switch setback(by: fault, of: \.lineHealth, SensingNote.lineFailed, at: now) {
        case .lost(let obstacle): return releaseLine() + lose(lineDomains, to: obstacle, fault.reason)
        case .retry(let time, let notes):
            line = .down(retryAt: time)
            return [.closeLine] + notes
        }
    }

    /// Handles the first edge after a pause: lets more of them arrive before the buffer is emptied.
    mutating func pulsesWaiting(at now: Instant) -> [SensingAction] {
        guard case .idle(let lastDrain) = line else { return [] }
        line = .draining(lastDrain: lastDrain, nextAt: now.boot + (listens ? rules.listening : drainInterval))
        return []
    }

    mutating func take(_ batch: PulseBatch, at now: Instant) -> [SensingAction] {
        guard line.isOpen else { return [] }
        let paceBefore = dutyCycle.pace
        for pulse in batch.pulses { dutyCycle.add(pulse: pulse) }
        if let last = batch.pulses.last {
            lastPulse = last
            unsaved = max(unsaved, .pulses)
        }
        let told = tell(.pulses(batch.pulses, areWindowsTaken: sensor.isSampling), at: now)
        line =
            batch.pulses.isEmpty || listens
            ? .idle(lastDrain: now.boot) : .draining(lastDrain: now.boot, nextAt: now.boot + drainInterval)

        var actions: [SensingAction] = told + (lineHealth == .working ? [] : [.note(.lineRecovered)])
        lineHealth = .working
        if let note = loss.note(of: batch.lost, at: now.boot) { actions.append(.note(note)) }
        let wakesUp = paceBefore == .relaxed && dutyCycle.pace == .attentive
        let asksForWindow = wakesUp || signals.contains(.windowNow)
        if asksForWindow, !batch.pulses.isEmpty { actions += lookNow() }
        return actions
    }

    /// The line is free for another process. The next time begins afresh.
    mutating func releaseLine() -> [SensingAction] {
        line = .off
        lineHealth = .working
        return [.closeLine]
    }

    /// Opens a line that was down, or empties the kernel's buffer: before it can run over, and before a window, a
    /// commit or the end of a day needs its edges.
    mutating func lineDue(at now: Instant) -> [SensingAction] {
        if case .down(let retryAt) = line, retryAt <= now.boot {
            line = .opening
            return [.openLine]
        }
        let isDue = isWindowDue(at: now) || [lineWake, commitWake].contains { $0.map { $0 <= now.boot } ?? false }
        return isDue || mustDrainToClose(at: now) ? drainIfOpen : []
    }

    var drainIfOpen: [SensingAction] { line.isOpen ? [.drainPulses] : [] }

    /// The time at which the line needs service. A buffer that lasts until the next window is emptied with that window.
    var lineWake: BootTime? {
        switch line {
        case .off, .opening, .idle: nil
        case .draining(_, let nextAt): windowsKeepUp ? nil : nextAt
        case .down(let retryAt): retryAt
        }
    }

    /// Whether to look for a rhythm while it lasts, so that a window can tell whether it is a walk. A kernel's buffer
    /// that does not last so long is emptied sooner anyway.
    private var listens: Bool {
        sensor.isSampling && signals.contains(.pulsesInDoubt) && drainInterval >= rules.listening
    }

    /// Whether edges may have waited for a window that does not come in time any more: nobody watched for the first of them, so
    /// none knows how old it is.
    func mayHoldUnwatchedPulses(at now: Instant) -> Bool {
        guard case .idle(let lastDrain) = line else { return false }
        return !windowsKeepUp && lastDrain < now.boot
    }

    /// Whether the next window comes soon enough for the edges in the kernel's buffer.
    var windowsKeepUp: Bool {
        guard drainInterval >= rules.dutyCycle.attentiveInterval else { return false }
        switch sensor {
        case .filling: return true
        case .resting: return !signals.contains(.pulsesInDoubt) && dutyCycle.pace == .attentive
        case .slow, .off, .opening, .down: return false
        }
    }
}

/// The edges that the kernel's buffer lost and that are not reported yet. A line that picks up noise loses edges all
/// the time, so losses are reported at most every ten minutes.
struct PulseLoss {
    /// Nil when some may be lost and the count is unknown.
    private var untold: Int? = 0
    private var lastTold: BootTime?

    private static let rest = Interval.minutes(10)

    /// Takes the loss of a drain, and returns the note that is due now, if any.
    mutating func note(of lost: Int?, at now: BootTime) -> SensingNote? {
        untold = if let untold, let lost { untold + lost } else { nil }
        if let lastTold, now - lastTold < Self.rest { return nil }
        guard untold != 0 else { return nil }
        defer { untold = 0 }
        lastTold = now
        return .pulsesLost(untold)
    }
}
