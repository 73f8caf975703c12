import Domains
import Core
import Devices
import Signal

/// The windows of the IMU: resting, filling.
extension SensingSession {
    /// The most that `fillTime` grows: the slowest chip needs less, and the FIFO of the fastest holds more.
    private static let longestFill = Window.duration + .milliseconds(500)

    /// Whether no domain needs the sensor.
    var isSensorOff: Bool { source(.imu).life.phase == .off }

    /// Somebody else has had the sensor up to now: what was between the windows is not taken for what is seen in them.
    mutating func breakOff() { wearer.breakOff() }

    /// Starts or reads a window, or asks the chip for motion, whichever is due.
    mutating func sensorDue(at now: Instant) -> [SensingAction] {
        switch sensor {
        case .resting(let nextWindow) where nextWindow <= now.boot:
            return [.startWindow]
        case .resting(let nextWindow) where askAt.map { $0 <= now.boot } ?? false:
            rest(until: nextWindow, at: now)
            return [.askForMotion]
        case .filling(_, let drainAt, _) where drainAt <= now.boot:
            return [.readWindow]
        case .slow(let nextWindow, let drainAt) where min(nextWindow, drainAt) <= now.boot:
            return nextWindow <= now.boot ? lookNow() : [.readSamples]
        default:
            return []
        }
    }

    mutating func sensorOpened(
        _ hasInterrupt: Bool, _ sampling: Sampling, _ slow: Sampling, at now: Instant
    ) -> [SensingAction] {
        opened(.imu, at: now) { session in
            session.hasInterrupt = hasInterrupt
            session.slowSampling = slow
            session.emptyDrains = 0
            if sampling != session.sampling {
                session.sampling = sampling
                session.fillTime = Self.fillTime(of: sampling)
            }
            session.setUpTime = sampling.setUp
            session.rest(until: now.boot, at: now)
            let isNew = session.source(.imu).life.retry.failures == 0
            return (isNew ? [.note(.sensorFound)] : []) + [.startWindow]
        }
    }

    mutating func windowStarted(at now: Instant) -> [SensingAction] {
        guard sensor.isSampling else { return [] }
        fill(from: now.boot, at: now, until: now.boot + fillTime + setUpTime)
        setUpTime = .zero
        return []
    }

    /// Waits for the window that began at `start` to be whole, and drains the FIFO before it can run over: at equal
    /// intervals, so that each wake-up may come as late as the others.
    private mutating func fill(from start: BootTime, at now: Instant, until completeAt: BootTime, waiting: Int = 0) {
        let longest = sampling.longestFill
        let length = completeAt - now.boot
        let drains = max((length.nanoseconds + longest.nanoseconds - 1) / longest.nanoseconds, 1)
        let latest = longest - sampling.period * Int64(waiting)
        sensor = .filling(
            started: start, drainAt: now.boot + min(length / drains, latest), completeAt: completeAt)
    }

    /// The time that a chip with an exact oscillator needs for a window, and half a sample more.
    static func fillTime(of sampling: Sampling) -> Interval {
        Window.duration + sampling.startUp + .milliseconds(20)
    }

    /// One of several drains of a window; or the chip's oscillator runs slower than nominal (an MPU-6050's up to 5 %,
    /// PS-MPU-6000A-00 rev 3.4, "Internal clock source"): wait for the rest, and wait that much longer from now on.
    mutating func windowIncomplete(_ missing: Int, at now: Instant) -> [SensingAction] {
        guard case .filling(let started, _, let completeAt) = sensor else { return [] }
        guard completeAt <= now.boot else {
            fill(from: started, at: now, until: completeAt)
            return []
        }
        let wait = Interval.milliseconds(Int64(missing) * 40 + 10)
        guard now.boot + wait - started < Window.duration * 2 else {
            return [.abandonWindow(reason: "the sensor's FIFO fills too slowly: \(missing) samples are missing")]
        }
        fillTime = min(fillTime + wait, Self.longestFill)
        fill(from: started, at: now, until: now.boot + wait)
        return []
    }

    /// One lost window is a pity; several intervals without any are a fault of the sensor, and a bus that is gone is a
    /// loss at once. The pulses would have been taken with the window. A walk that it interrupts is looked for at once.
    mutating func windowLost(_ fault: DeviceFault, at now: Instant) -> [SensingAction] {
        guard sensor.isSampling else { return [] }
        if case .lasting = fault.outlook { return failed(.imu, fault, at: now) }
        let started = windowStart(at: now)
        let silence = now.boot - (wearer.lastWindow ?? sensorQuietSince ?? started)
        if sensorQuietSince == nil { sensorQuietSince = started }
        guard silence < dutyCycle.interval * rules.dutyCycle.silentIntervals else {
            return failed(.imu, fault, at: now) + drainIfOpen
        }
        rest(until: signals.contains(.everySample) ? now.boot : next(after: started, at: now), at: now)
        return tell(.interrupted, sensorDomains, at: now) + [.note(.windowLost(reason: fault.reason))]
            + sensorDue(at: now) + drainIfOpen
    }

    mutating func windowTaken(_ window: Window, waiting: Int, at now: Instant) -> [SensingAction] {
        guard sensor.isSampling else { return [] }
        let started = windowStart(at: now)
        let recovered = take(.worked, of: .imu, at: now)
        sensorQuietSince = nil

        let judged = wearer.judge(
            window, followsRest: !allowed.isDisjoint(with: restDomains), isWalking: signals.contains(.walking), at: now)
        let told = tell(.window(judged), at: now)
        unsaved = max(unsaved, .stillness)
        let signals = signals
        let goesOn = signals.contains(.everySample)
        let isInDoubt = wearer.isInDoubt || signals.contains(.anotherWindow)
        stationaryInARow = wearer.verdict.activity == .stationary ? stationaryInARow + 1 : 0
        dutyCycle.judged(isStill: isAtRest && !goesOn, isInDoubt: isInDoubt)
        dutyCycle.looked(foundWalk: goesOn)
        if goesOn {
            // Samples in the FIFO bring the next read forward, so that late wake-ups and a quick oscillator do not add
            // up.
            let completeAt = now.boot + fillTime - sampling.period * Int64(waiting)
            fill(from: now.boot, at: now, until: completeAt, waiting: waiting)
        } else if stationaryInARow >= rules.stationaryWindows, wantsSamples {
            sampleSlowly(until: next(after: started, at: now), at: now)
        } else {
            rest(until: next(after: started, at: now), at: now)
        }
        return restAfterWindow + recovered + told
    }

    private var restAfterWindow: [SensingAction] {
        switch sensor {
        case .resting: [.restSensor]
        case .slow: [.sampleSlowly]
        case .filling, .closed: []
        }
    }

    /// Whether the wearer stays at rest. Who is felt between windows may stir without an end to the relaxed pace: a sleeper turns, and
    /// samples go on.
    private var isAtRest: Bool {
        let isFelt = dutyCycle.pace == .relaxed && wantsSamples
        return wearer.isStill || isFelt && wearer.verdict.activity == .stationary
    }

    // MARK: Between windows

    private mutating func sampleSlowly(until nextWindow: BootTime, at now: Instant) {
        askAt = nil
        sensor = .slow(nextWindow: nextWindow, drainAt: now.boot + slowSampling.startUp + slowDrain)
    }

    /// The time from one drain of the slow FIFO to the next: as long as it lasts, or as often as a resting chip would be asked whether it
    /// moves.
    private var slowDrain: Interval {
        watchesForMovement ? min(slowSampling.longestFill, dutyCycle.asking) : slowSampling.longestFill
    }

    /// Takes what the slow FIFO held. Movement brings the next window forward, no closer than a minute to the last one, or as close as the
    /// interrupt would bring it where steps are counted in acceleration.
    mutating func samplesTaken(_ samples: [Acceleration], waiting: Int, at now: Instant) -> [SensingAction] {
        guard case .slow(let nextWindow, _) = sensor else { return [] }
        let waited = slowSampling.period * Int64(waiting)
        sensor = .slow(nextWindow: nextWindow, drainAt: now.boot + slowDrain - waited)
        guard !samples.isEmpty else { return noSamples(at: now) }
        emptyDrains = 0
        let told = tell(.samples(samples, every: slowSampling.period, until: now.boot - waited), at: now)
        unsaved = max(unsaved, .stillness)
        guard nextWindow > now.boot, let first = rules.firstMovement(in: samples) else { return told }
        // Where steps are counted in acceleration it may be a walk.
        wearer.moved(at: now.boot - waited - slowSampling.period * Int64(samples.count - 1 - first))
        if watchesForMovement { dutyCycle.askedToLook() }
        let pause = watchesForMovement ? dutyCycle.pause : rules.dutyCycle.attentiveInterval
        let soonest = max((wearer.lastWindow ?? now.boot) + pause, now.boot)
        guard soonest > now.boot else { return told + [.startWindow] }
        sensor = .slow(nextWindow: min(nextWindow, soonest), drainAt: now.boot + slowDrain - waited)
        return told
    }

    /// A FIFO that stays empty, as in a chip that does not fill it at its slow rate, is not waited for again until the sensor is opened anew.
    private mutating func noSamples(at now: Instant) -> [SensingAction] {
        emptyDrains += 1
        guard emptyDrains == rules.emptyDrains else { return [] }
        let reason = "the FIFO stays empty between windows, so sleep is measured in windows alone"
        return [.note(.windowLost(reason: reason))]
    }

    private var wantsSamples: Bool {
        signals.contains(.posture) && emptyDrains < rules.emptyDrains
    }

    /// Starts a window in place of the next one; what the slow FIFO holds is taken first.
    func lookNow() -> [SensingAction] {
        switch sensor {
        case .resting: [.startWindow]
        case .slow: [.readSamples, .startWindow]
        case .filling, .closed: []
        }
    }

    /// Whether the interrupt is of use: while the next window is far away, or may come too late for the steps of a walk.
    var heedsInterrupt: Bool { dutyCycle.pace == .relaxed || watchesForMovement }

    /// The interrupt.
    mutating func moved(at now: Instant) -> [SensingAction] {
        guard case .resting(let nextWindow) = sensor else { return [] }
        guard heedsInterrupt else { return [] }
        wearer.moved(at: now.boot)
        guard dutyCycle.pace == .attentive else {
            dutyCycle.moved()
            return [.startWindow]
        }
        dutyCycle.askedToLook()
        let soonest = wearer.lastWindow.map { $0 + dutyCycle.pause } ?? now.boot
        sensor = .resting(nextWindow: min(nextWindow, max(soonest, now.boot)))
        askAt = nil
        return sensorDue(at: now)
    }

    /// Rests the sensor. A sensor that cannot signal the begin of a walk is asked at intervals.
    private mutating func rest(until nextWindow: BootTime, at now: Instant) {
        sensor = .resting(nextWindow: nextWindow)
        askAt = watchesForMovement && !hasInterrupt ? now.boot + dutyCycle.asking : nil
    }

    /// The sensor sleeps, and the bus is free. The next time begins afresh.
    mutating func forgetSensor() {
        sensorQuietSince = nil
        dutyCycle = DutyCycle(rule: rules.dutyCycle)
    }

    /// Whether the window under way is to be read whole now.
    func isWindowDue(at now: Instant) -> Bool {
        guard case .filling(_, _, let completeAt) = sensor else { return false }
        return completeAt <= now.boot
    }

    private func windowStart(at now: Instant) -> BootTime {
        guard case .filling(let started, _, _) = sensor else { return now.boot }
        return started
    }

    /// One interval after this window began; after a delay at once, and windows that were missed are not made up for.
    private func next(after started: BootTime, at now: Instant) -> BootTime {
        // Where the FIFO does not fill slowly, sleep is measured in windows, and five minutes are too far apart.
        let isFollowed = signals.contains(.posture) && !wantsSamples
        let interval = isFollowed ? min(dutyCycle.nextInterval, rules.longestLookAway) : dutyCycle.nextInterval
        return max(started + interval, now.boot)
    }
}
