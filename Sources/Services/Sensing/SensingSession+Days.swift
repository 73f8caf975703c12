import Domains
import Quantities

/// Closing days, writing down and waking up.
extension SensingSession {
    /// Closes every day that is settled.
    mutating func closeDays(at now: Instant) -> [SensingAction] {
        let today = UTCDay(containing: now.wall)
        daybook.redate(to: today)
        var actions: [SensingAction] = []
        while let day = daybook.earliestDay, day.end <= settledThrough(now) {
            actions += tell(.concluding(day, wearer.wear), .everything, at: now)
            guard let closed = daybook.closeDay(before: day.end) else { break }
            actions += [.close(closed), .note(.dayClosed(closed))]
            unsaved = .urgent
        }
        return actions
    }

    /// The time before which everything is known: windows, pulses and the state of still spells. Unknown state delays a
    /// day until two hours after midnight, so that a day that is due at 03:00 UTC is always closed by then.
    private func settledThrough(_ now: Instant) -> WallTime {
        var settled = now.wall
        if sensor.isSampling, let lastWindow = wearer.lastWindow { settled = min(settled, now.wall(at: lastWindow)) }
        if let lastDrain = line.lastDrain { settled = min(settled, now.wall(at: lastDrain)) }
        if let day = daybook.earliestHeldDay { settled = min(settled, day.start) }
        return max(settled, now.wall - rules.longestOpen)
    }

    mutating func commitIfDue(at now: Instant) -> [SensingAction] {
        let wait: Interval
        switch unsaved {
        case .nothing: return []
        case .stillness: wait = rules.quietCommitInterval
        case .pulses: wait = rules.commitInterval
        case .urgent: wait = .zero
        }
        if let lastCommit, now.boot - lastCommit < wait { return [] }
        lastCommit = now.boot
        unsaved = .nothing
        return [.commit]
    }

    /// Tries again as soon as pulses would be written, however quiet it is until then.
    mutating func commitFailed() -> [SensingAction] {
        unsaved = max(unsaved, .pulses)
        return []
    }

    /// The causes to wait for.
    public func agenda(at now: Instant) -> SensingAgenda {
        let times = [sensorWake, lineWake, commitWake, closingWake(at: now), collectorWake(at: now)].compactMap { $0 }
        return SensingAgenda(
            wakeAt: times.min(), watchesPulses: watchesPulses, watchesMotion: watchesMotion, slack: sampling.slack)
    }

    /// Whether a day has ended since pulses were last taken out of the kernel's buffer.
    func mustDrainToClose(at now: Instant) -> Bool {
        guard let day = daybook.earliestDay, let lastDrain = line.lastDrain else { return false }
        return day.end <= now.wall && now.wall(at: lastDrain) < day.end
    }

    /// The time to close a day without a window: soon after its end, and again when undecided time is given up. Nil
    /// when windows come anyway, or no day is open.
    private func closingWake(at now: Instant) -> BootTime? {
        guard order != nil, !sensor.isSampling, let day = daybook.earliestDay else { return nil }
        let soon = now.boot(at: day.end + .seconds(1))
        return soon > now.boot ? soon : max(now.boot(at: day.end + rules.longestOpen), now.boot + .minutes(1))
    }

    private var sensorWake: BootTime? {
        switch sensor {
        case .off, .opening: nil
        case .resting(let nextWindow): askAt.map { min($0, nextWindow) } ?? nextWindow
        case .filling(_, let drainAt, _): drainAt
        case .down(let retryAt): retryAt
        }
    }

    /// The time to write pulses, or data that the store refused, without a window. While no domain is collected,
    /// nothing more can be lost, and the store is seldom tried. During a walk windows come often enough.
    var commitWake: BootTime? {
        guard !signals.contains(.everySample), unsaved >= .pulses, let lastCommit else { return nil }
        return lastCommit + (allowed.isEmpty ? rules.dutyCycle.longestRetry : rules.commitInterval)
    }

    private var watchesPulses: Bool {
        guard case .idle = line else { return false }
        return !windowsKeepUp
    }

    private var watchesMotion: Bool {
        guard case .resting = sensor else { return false }
        return dutyCycle.pace == .relaxed || signals.contains(.movement)
    }
}
