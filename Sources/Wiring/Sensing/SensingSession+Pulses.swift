import Bus
import Consent
import DutyCycle
import Quantities

/// The life of the pulse line, and what its pulses mean.
extension SensingSession {
    mutating func lineOpened(_ kernelBuffer: Int, at now: Instant) -> [SensingAction] {
        guard line == .opening else { return [] }
        drainInterval = rules.drainInterval(kernelBuffer: kernelBuffer)
        line = .idle(lastDrain: now.boot)
        daybook.observe(.steps, at: now.wall)
        defer { lineIsHealthy = true }
        return lineIsHealthy ? [] : [.note(.lineRecovered)]
    }

    mutating func lineFailed(_ reason: String, at now: Instant) -> [SensingAction] {
        guard line != .off else { return [] }
        let wait = lineIsHealthy ? rules.dutyCycle.attentiveInterval : rules.dutyCycle.longestRetry
        line = .down(retryAt: now.boot + wait)
        defer { lineIsHealthy = false }
        return lineIsHealthy ? [.note(.lineFailed(reason: reason, retryIn: wait))] : []
    }

    /// The first edge after a pause woke us: let more of them come before the buffer is emptied.
    mutating func pulsesWaiting(at now: Instant) -> [SensingAction] {
        guard case .idle(let lastDrain) = line else { return [] }
        let wait = dutyCycle.pace == .relaxed ? min(drainInterval, rules.dutyCycle.pulseSpan) : drainInterval
        line = .draining(lastDrain: lastDrain, nextAt: now.boot + wait)
        return []
    }

    mutating func take(_ batch: PulseBatch, at now: Instant) -> [SensingAction] {
        guard line.isOpen else { return [] }
        daybook.observe(.steps, at: now.wall)
        let paceBefore = dutyCycle.pace
        for pulse in batch.pulses {
            dutyCycle.add(pulse: pulse)
            wearer.take(pulse, at: now, into: &daybook)
        }
        if !sensor.isSampling { wearer.settleSteps(contradicted: false, into: &daybook) }
        if !batch.pulses.isEmpty { unsaved = max(unsaved, .pulses) }
        line =
            batch.pulses.isEmpty
            ? .idle(lastDrain: now.boot) : .draining(lastDrain: now.boot, nextAt: now.boot + drainInterval)

        var actions: [SensingAction] = batch.lost > 0 ? [.note(.pulsesLost(batch.lost))] : []
        if paceBefore == .relaxed, dutyCycle.pace == .attentive, case .resting = sensor { actions.append(.startWindow) }
        return actions
    }

    /// The wearer turned steps off: the line is released, and what was counted and not yet closed is dropped.
    mutating func stopSteps() -> [SensingAction] {
        line = .off
        lineIsHealthy = true
        forgetSteps()
        return [.closeLine]
    }

    mutating func forgetSteps() {
        wearer.forgetSteps()
        if daybook.drop(.steps) { unsaved = .urgent }
    }

    /// Opens a line that was down, or empties the kernel's buffer: before it can run over, and before a window, a commit
    /// or the end of a day needs what waits in it.
    mutating func lineDue(at now: Instant) -> [SensingAction] {
        if case .down(let retryAt) = line, retryAt <= now.boot {
            line = .opening
            return [.openLine]
        }
        let isDue = [lineWake, sensor.readAt, commitWake].contains { $0.map { $0 <= now.boot } ?? false }
        return isDue || mustDrainToClose(at: now) ? drainIfOpen : []
    }

    var drainIfOpen: [SensingAction] { line.isOpen ? [.drainPulses] : [] }

    /// When the line needs something. A buffer that lasts until the next window is emptied with that window.
    var lineWake: BootTime? {
        switch line {
        case .off, .opening, .idle: nil
        case .draining(_, let nextAt): windowsKeepUp ? nil : nextAt
        case .down(let retryAt): retryAt
        }
    }

    /// Whether windows come often enough to empty the kernel's buffer along with them.
    var windowsKeepUp: Bool {
        sensor.isSampling && dutyCycle.pace == .attentive && drainInterval >= rules.dutyCycle.attentiveInterval
    }
}
