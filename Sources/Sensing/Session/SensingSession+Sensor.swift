import Domains
import Core
import Devices
import Signal

/// The windows of the IMU, and the time between them.
extension SensingSession {
    /// The longest `fillTime`: the slowest chip needs less, and the FIFO of the fastest holds more.
    private static let longestFill = Window.duration + .milliseconds(500)

    /// Whether no domain needs the sensor.
    var isSensorOff: Bool { source(.imu).life.phase == .off }

    /// Whether a chip with a step counter is to run it: a domain of the step sensor is served by the IMU instead.
    var wantsStepCounter: Bool { !collectors.domains(on: .stepSensor).isDisjoint(with: served(by: .imu)) }

    /// The domains to which a lost window matters: those of the IMU, and those of the light beside it.
    var windowDomains: DomainSet { sensorDomains.union(source(.oximeter).domains) }

    /// Notes that another process had the sensor until now: the windows say nothing about the time between them.
    mutating func breakOff() { wearer.breakOff() }

    /// Starts or reads a window, drains the slow FIFO, or asks the chip for motion, whichever is due.
    mutating func sensorDue(at now: Instant) -> [SensingAction] {
        switch sensor {
        case .resting(let nextWindow) where nextWindow <= now.boot:
            return [.startWindow]
        case .resting(let nextWindow) where askAt.map { $0 <= now.boot } ?? false:
            rest(until: nextWindow, at: now)
            return [.askForMotion]
        case .filling(_, let drainAt, _) where drainAt <= now.boot:
            return isWindowDue(at: now) ? countIfPossible + [.readWindow] : [.readWindow]
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
        return countIfPossible + measure(at: now)
    }

    private var countIfPossible: [SensingAction] { countsSteps ? [.countSteps] : [] }

    /// A reading at the start of a window, or at its end.
    mutating func stepsCounted(_ count: UInt16, at now: Instant) -> [SensingAction] {
        guard sensor.isSampling else { return [] }
        return tell(.stepCount(count, endsWindow: isWindowDue(at: now)), at: now)
    }

    /// Waits until the window that began at `start` is complete, and drains the FIFO before it can overflow: at equal
    /// intervals, so that each wake-up has the same tolerance.
    private mutating func fill(from start: BootTime, at now: Instant, until completeAt: BootTime, waiting: Int = 0) {
        let longest = sampling.longestFill
        let length = completeAt - now.boot
        let drains = max((length.nanoseconds + longest.nanoseconds - 1) / longest.nanoseconds, 1)
        let latest = longest - sampling.period * Int64(waiting)
        sensor = .filling(
            started: start, drainAt: now.boot + min(length / drains, latest), completeAt: completeAt)
    }

    /// The time that a chip with an exact oscillator needs for a window, plus half a sample.
    static func fillTime(of sampling: Sampling) -> Interval {
        Window.duration + sampling.startUp + .milliseconds(20)
    }

    /// Either one of several drains of a window; or the chip's oscillator is slow (an MPU-6050's by up to 5 %,
    /// PS-MPU-6000A-00 rev 3.4, "Internal clock source"): waits for the rest, and from now on that much longer.
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

    /// One lost window is tolerated; several intervals without any are a fault of the sensor, and a missing bus is a
    /// loss at once. Pulses due with the window are drained. During a walk the next window starts at once.
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
        return tell(.interrupted, windowDomains, at: now) + [.note(.windowLost(reason: fault.reason))]
            + sensorDue(at: now) + drainIfOpen + readGauges
    }

    mutating func windowTaken(_ window: Window, waiting: Int, at now: Instant) -> [SensingAction] {
        guard sensor.isSampling else { return [] }
        let started = windowStart(at: now)
        let recovered = take(.worked, of: .imu, at: now)
        sensorQuietSince = nil

        let judged = wearer.judge(
            window, followsRest: !allowed.isDisjoint(with: restDomains), isWalking: signals.contains(.walking), at: now)
        observe(served(by: .imu).union(servedByLight), since: judged.start, at: now)
        let told = tell(.window(judged), at: now)
        unsaved = max(unsaved, .stillness)
        let signals = signals
        let goesOn = signals.contains(.everySample)
        let isStationary = wearer.verdict.activity == .stationary
        // The windows of a spot check, which a wearer at rest would not have had, do not change the pace.
        if lightDue == nil || !isStationary || goesOn {
            let isInDoubt = wearer.isInDoubt || signals.contains(.anotherWindow)
            stationaryInARow = isStationary ? stationaryInARow + 1 : 0
            dutyCycle.judged(isStill: isAtRest && !goesOn, isInDoubt: isInDoubt)
            dutyCycle.looked(foundWalk: goesOn)
        }
        if goesOn || wantsLight {
            // Samples in the FIFO bring the next read forward, so that late wake-ups and a fast oscillator do not add
            // up.
            let completeAt = now.boot + fillTime - sampling.period * Int64(waiting)
            fill(from: now.boot, at: now, until: completeAt, waiting: waiting)
        } else if stationaryInARow >= rules.stationaryWindows, wantsSamples {
            sampleSlowly(until: next(after: started, at: now), at: now)
        } else {
            rest(until: next(after: started, at: now), at: now)
        }
        return restAfterWindow + readGauges + readLight(at: now) + recovered + told + darken()
    }

    private var restAfterWindow: [SensingAction] {
        switch sensor {
        case .resting: [.restSensor]
        case .slow: [.sampleSlowly]
        case .filling, .closed: []
        }
    }

    /// Whether the wearer stays at rest. While samples are taken between windows, a sleeper who turns does not end the
    /// relaxed pace.
    private var isAtRest: Bool {
        let isFelt = dutyCycle.pace == .relaxed && wantsSamples
        return wearer.isStill || isFelt && wearer.verdict.activity == .stationary
    }

    // MARK: Between windows

    private mutating func sampleSlowly(until nextWindow: BootTime, at now: Instant) {
        askAt = nil
        sensor = .slow(nextWindow: nextWindow, drainAt: now.boot + slowSampling.startUp + slowDrain)
    }

    /// The time between two drains of the slow FIFO: as long as it lasts but, while movement is watched for, no longer
    /// than the interval at which a resting chip would be polled.
    private var slowDrain: Interval {
        watchesForMovement ? min(slowSampling.longestFill, dutyCycle.asking) : slowSampling.longestFill
    }

    /// Takes the samples of the slow FIFO. Movement brings the next window forward: to a minute after the last one or,
    /// if steps are counted from acceleration, as close as after an interrupt.
    mutating func samplesTaken(_ samples: [Acceleration], waiting: Int, at now: Instant) -> [SensingAction] {
        guard case .slow(let nextWindow, _) = sensor else { return [] }
        let waited = slowSampling.period * Int64(waiting)
        sensor = .slow(nextWindow: nextWindow, drainAt: now.boot + slowDrain - waited)
        guard !samples.isEmpty else { return noSamples(at: now) }
        emptyDrains = 0
        let told = tell(.samples(samples, every: slowSampling.period, until: now.boot - waited), at: now)
        unsaved = max(unsaved, .stillness)
        guard nextWindow > now.boot, let first = rules.firstMovement(in: samples) else { return told }
        // If steps are counted from acceleration, it may be a walk.
        wearer.moved(at: now.boot - waited - slowSampling.period * Int64(samples.count - 1 - first))
        if watchesForMovement { dutyCycle.askedToLook() }
        let pause = watchesForMovement ? dutyCycle.pause : rules.dutyCycle.attentiveInterval
        let soonest = max((wearer.lastWindow ?? now.boot) + pause, now.boot)
        guard soonest > now.boot else { return told + [.startWindow] }
        sensor = .slow(nextWindow: min(nextWindow, soonest), drainAt: now.boot + slowDrain - waited)
        return told
    }

    /// Gives up a FIFO that stays empty, as in a chip that does not fill it at its slow rate, until the sensor is
    /// opened again.
    private mutating func noSamples(at now: Instant) -> [SensingAction] {
        emptyDrains += 1
        guard emptyDrains == rules.emptyDrains else { return [] }
        let reason = "the FIFO stays empty between windows, so sleep is measured in windows alone"
        return [.note(.windowLost(reason: reason))]
    }

    private var wantsSamples: Bool {
        signals.contains(.posture) && emptyDrains < rules.emptyDrains
    }

    /// Starts a window before its time; the samples in the slow FIFO are taken first.
    func lookNow() -> [SensingAction] {
        switch sensor {
        case .resting: [.startWindow]
        case .slow: [.readSamples, .startWindow]
        case .filling, .closed: []
        }
    }

    /// Whether the interrupt is useful: while the next window is far away, or too late for the steps of a walk.
    var heedsInterrupt: Bool { dutyCycle.pace == .relaxed || watchesForMovement }

    /// Handles the interrupt.
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

    /// Rests the sensor. A sensor that cannot signal the start of a walk is polled.
    private mutating func rest(until nextWindow: BootTime, at now: Instant) {
        sensor = .resting(nextWindow: nextWindow)
        askAt = watchesForMovement && !hasInterrupt ? now.boot + dutyCycle.asking : nil
    }

    /// Forgets the state of a closed sensor: the next opening begins afresh.
    mutating func forgetSensor() {
        sensorQuietSince = nil
        dutyCycle = DutyCycle(rule: rules.dutyCycle)
    }

    /// Whether the current window is to be read completely now.
    func isWindowDue(at now: Instant) -> Bool {
        guard case .filling(_, _, let completeAt) = sensor else { return false }
        return completeAt <= now.boot
    }

    private func windowStart(at now: Instant) -> BootTime {
        guard case .filling(let started, _, _) = sensor else { return now.boot }
        return started
    }

    /// One interval after this window began, or now if that is past; missed windows are not made up for.
    private func next(after started: BootTime, at now: Instant) -> BootTime {
        // Without samples between windows, sleep is measured in windows, and five minutes are too far apart.
        let isFollowed = signals.contains(.posture) && !wantsSamples
        let interval = isFollowed ? min(dutyCycle.nextInterval, rules.longestLookAway) : dutyCycle.nextInterval
        return max(started + interval, now.boot)
    }
}
