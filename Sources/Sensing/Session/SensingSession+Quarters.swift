import Domains
import Store
import Core

/// Dating and storing the collected data, and waking up.
extension SensingSession {
    /// Takes the earlier knowledge of this boot's clock, and the present clocks. Call it before the first event.
    public mutating func begin(_ known: TrustedClock?, at now: Instant) {
        clock = TrustedClock.judge(now, rules.time, known: known)
        daybook.follow(clock, at: now.boot)
        isNews = clock != known
    }

    /// Follows the clocks; an untrusted clock dates nothing.
    mutating func followClock(_ known: TrustedClock?, at now: Instant) -> [SensingAction] {
        guard let judged = TrustedClock.judge(now, rules.time, known: known), judged != clock else { return [] }
        let before = clock
        clock = judged
        daybook.follow(judged, at: now.boot)
        isNews = true
        guard let before else { return [.note(.timeTrusted(judged.source))] }
        return before.differs(from: judged)
            ? [.note(.clockStepped(by: judged.began - before.began, judged.source))] : []
    }

    /// Stores the final quarters: every two hours, and when a day has ended or the clock has changed.
    mutating func settleQuarters(at now: Instant) -> [SensingAction] {
        let told = conclude(at: now)
        let collected = collectedThrough(now)
        let settled = min(collected, openSince(at: now) ?? collected)
        let day = daybook.holdsOfEarlierBoots ? nil : clock?.time(at: settled).day
        let waitsSince = daybook.settledSince(before: collected)
        // Quarters of an earlier boot may complete a day that is over, and so may a report of yesterday.
        let isDue =
            isNews || (day != nil && day != settledDay) || daybook.hasSettledOfEarlierBoots
            || waitsSince.map(isOfSettledDay) ?? false
        guard isDue || waitsSince.map({ now.boot - $0 >= rules.storeInterval }) ?? false else { return told }
        // The first commit of a new boot must not delay that of the first window.
        let isFirst = lastCommit == nil && daybook.isEmpty && earlierBoots.isEmpty
        unsaved = max(unsaved, isFirst ? .boot : .urgent)
        isNews = false
        settledDay = day ?? settledDay
        let stored = Collected(
            quarters: daybook.takeSettled(before: collected),
            boots: earlierBoots + [reading(at: now)],
            settled: isDue && day != nil ? clock?.time(at: settled) : nil)
        earlierBoots = []
        return told + [.store(stored)]
    }

    /// Whether a quarter with this end belongs to a day that was already settled.
    private func isOfSettledDay(_ end: BootTime) -> Bool {
        guard let clock, let settledDay else { return false }
        return clock.time(at: end - Interval(nanoseconds: 1)).day < settledDay
    }

    /// The time since which amounts are held, or the last moment of yesterday if later inputs may still change it.
    private func openSince(at now: Instant) -> BootTime? {
        guard let clock, signals.contains(.undecided) else { return daybook.heldSince }
        let today = clock.time(at: now.boot).day
        let midnight = clock.boot(at: today.start)
        guard now.boot - midnight < rules.longestOpen, concludedDay.map({ $0 < today }) ?? true else {
            return daybook.heldSince
        }
        let yesterday = midnight - Interval(nanoseconds: 1)
        return min(yesterday, daybook.heldSince ?? yesterday)
    }

    /// Has each day judged before it is closed: once none of its amounts are held or undecided, or two hours after
    /// midnight, so that a day due at 03:00 UTC is always closed by then. An earlier boot is judged two hours after this
    /// one began, if no window decided it.
    private mutating func conclude(at now: Instant) -> [SensingAction] {
        guard let clock else { return [] }
        let end: BootTime
        if daybook.holdsOfEarlierBoots {
            end = BootTime(nanoseconds: 0)
            guard now.boot - end >= rules.longestOpen else { return [] }
        } else {
            let today = clock.time(at: now.boot).day
            guard concludedDay.map({ $0 < today }) ?? true else { return [] }
            end = clock.boot(at: today.start)
            let open = min(openSince(at: now) ?? now.boot, collectedThrough(now))
            guard open >= end || now.boot - end >= rules.longestOpen else { return [] }
            concludedDay = today
        }
        let told = tell(.concluding(end, wearer.wear), .everything, at: now)
        daybook.countAll(before: end)
        return told
    }

    /// The time before which everything was collected: by windows, by gauges, and from the kernel's buffer of pulses.
    private func collectedThrough(_ now: Instant) -> BootTime {
        var collected = now.boot
        if sensor.isSampling, let lastWindow = wearer.lastWindow { collected = min(collected, lastWindow) }
        if let lastDrain = drain?.last { collected = min(collected, lastDrain - rules.runTime) }
        for gauge in gauges { if let startedAt = gauge.startedAt { collected = min(collected, startedAt) } }
        return max(collected, now.boot - rules.longestOpen)
    }

    mutating func commitIfDue(at now: Instant) -> [SensingAction] {
        let wait: Interval
        switch unsaved {
        case .nothing: return []
        case .boot:
            unsaved = .nothing
            return [.commit]
        case .stillness: wait = rules.quietCommitInterval
        case .pulses: wait = rules.commitInterval
        case .urgent: wait = .zero
        }
        if let lastCommit, now.boot - lastCommit < wait { return [] }
        lastCommit = now.boot
        unsaved = .nothing
        return [.commit]
    }

    /// Retries after the commit interval, even if only slowly changing data waits.
    mutating func commitFailed() -> [SensingAction] {
        unsaved = max(unsaved, .pulses)
        return []
    }

    /// The causes to wait for.
    public func agenda(at now: Instant) -> SensingAgenda {
        let times = [
            sensorWake, lineWake, inboxWake, gaugeWake, lightDue, commitWake, closingWake(at: now),
            collectorWake(at: now),
        ]
        return SensingAgenda(
            wakeAt: (times + sources.map(\.life.wakeAt)).compactMap { $0 }.min(), watchesPulses: watchesPulses,
            watchesMotion: watchesMotion,
            slack: lightDue == nil ? sampling.slack : min(sampling.slack, rules.lightSlack))
    }

    /// Whether a day, with every run of pulses that began in it, has ended since the kernel's buffer was last drained.
    func mustDrainToClose(at now: Instant) -> Bool {
        guard let clock, let lastDrain = drain?.last else { return false }
        let complete = clock.boot(at: clock.time(at: now.boot).day.start) + rules.runTime
        return lastDrain < complete && now.boot >= complete
    }

    /// The time to close a day without a window: soon after its end, and again when undecided time is given up. Stored
    /// days are closed even while nothing is collected. Nil if windows come anyway, or no clock is trusted.
    private func closingWake(at now: Instant) -> BootTime? {
        guard order != nil, !sensor.isSampling, let clock else { return nil }
        let today = clock.time(at: now.boot).day
        guard let settledDay, settledDay < today else { return clock.boot(at: today.end + rules.runTime) }
        return max(clock.boot(at: today.start + rules.longestOpen), now.boot + .minutes(1))
    }

    private var sensorWake: BootTime? {
        switch sensor {
        case .closed: nil
        case .resting(let nextWindow): askAt.map { min($0, nextWindow) } ?? nextWindow
        case .filling(_, let drainAt, _): drainAt
        case .slow(let nextWindow, let drainAt): min(nextWindow, drainAt)
        }
    }

    /// The time to store pulses, or data that the store refused, without a window. While no domain is collected,
    /// nothing more can be lost, and the store is tried rarely. During a walk windows come often enough.
    var commitWake: BootTime? {
        guard !signals.contains(.everySample), unsaved >= .pulses, let lastCommit else { return nil }
        return lastCommit + (allowed.isEmpty ? rules.dutyCycle.longestRetry : rules.commitInterval)
    }

    private var watchesPulses: Bool {
        drain.map { $0.nextAt == nil } ?? false && !windowsKeepUp
    }

    private var watchesMotion: Bool {
        guard case .resting = sensor else { return false }
        return heedsInterrupt
    }
}
