import Consent
import DutyCycle
import Motion
import Quantities

/// The life of the IMU: opened, resting, filling, down.
extension SensingSession {
    /// The most that `fillTime` grows: the slowest chip needs less, and the FIFO of the fastest holds more.
    private static let longestFill = Window.duration + .milliseconds(500)

    /// Takes, reads or opens what has come due.
    mutating func sensorDue(at now: Instant) -> [SensingAction] {
        switch sensor {
        case .resting(let nextWindow) where nextWindow <= now.boot:
            return [.startWindow]
        case .filling(_, let readAt) where readAt <= now.boot:
            return [.readWindow]
        case .down(let retryAt) where retryAt <= now.boot:
            sensor = .opening
            return [.openSensor]
        default:
            return []
        }
    }

    mutating func sensorOpened(at now: Instant) -> [SensingAction] {
        guard sensor == .opening else { return [] }
        sensor = .resting(nextWindow: now.boot)
        daybook.observe(.motion, at: now.wall)
        return (health == .working ? [.note(.sensorFound)] : []) + [.startWindow]
    }

    /// The sensor is closed until it is tried again, or until its domain is ordered anew.
    mutating func sensorFailed(_ fault: DeviceFault, at now: Instant) -> [SensingAction] {
        guard sensor != .off else { return [] }
        let before = health
        health = health.failed(rule: rules.dutyCycle)
        if let obstacle = fault.obstacle(after: health) { return loseSensor(to: obstacle, fault.reason) }
        sensor = .down(retryAt: now.boot + health.wait)
        switch (before, health) {
        case (.working, .failing(_, let wait)):
            return [.closeSensor, .note(.sensorFailed(reason: fault.reason, retryIn: wait))]
        case (.working, .quiet(let wait)), (.failing, .quiet(let wait)):
            return [.closeSensor, .note(.sensorQuiet(reason: fault.reason, retryIn: wait))]
        default:
            return [.closeSensor]  // One line for the fault and one for giving up, not one for each attempt.
        }
    }

    private mutating func loseSensor(to obstacle: Obstacle, _ reason: String) -> [SensingAction] {
        lost.set(.motion, to: true)
        return releaseSensor() + [.lose(DeviceLoss(domain: .motion, obstacle: obstacle, reason: reason))]
    }

    mutating func windowStarted(at now: Instant) -> [SensingAction] {
        guard sensor.isSampling else { return [] }
        sensor = .filling(started: now.boot, readAt: now.boot + fillTime)
        return []
    }

    /// The chip's oscillator runs slower than nominal (up to 5 %, PS-MPU-6000A-00 rev 3.4, "Internal clock source"): wait for
    /// the rest, and wait that much longer from now on.
    mutating func windowIncomplete(_ missing: Int, at now: Instant) -> [SensingAction] {
        guard case .filling(let started, _) = sensor else { return [] }
        let wait = Interval.milliseconds(Int64(missing) * 40 + 10)
        guard now.boot + wait - started < Window.duration * 2 else {
            return [.abandonWindow(reason: "the sensor's FIFO fills too slowly: \(missing) samples are missing")]
        }
        fillTime = min(fillTime + wait, Self.longestFill)
        sensor = .filling(started: started, readAt: now.boot + wait)
        return []
    }

    /// One lost window is a pity; several intervals without any are a fault of the sensor, and a bus that is gone is a
    /// loss at once. The pulses would have been taken with the window.
    mutating func windowLost(_ fault: DeviceFault, at now: Instant) -> [SensingAction] {
        guard sensor.isSampling else { return [] }
        if case .lasting(let obstacle) = fault.outlook { return loseSensor(to: obstacle, fault.reason) }
        let started = windowStart(at: now)
        let silence = now.boot - (wearer.lastWindow ?? sensorQuietSince ?? started)
        if sensorQuietSince == nil { sensorQuietSince = started }
        guard silence < dutyCycle.interval * rules.dutyCycle.silentIntervals else {
            return sensorFailed(fault, at: now) + drainIfOpen
        }
        sensor = .resting(nextWindow: next(after: started, at: now))
        return [.note(.windowLost(reason: fault.reason))] + drainIfOpen
    }

    mutating func windowTaken(_ window: Window, at now: Instant) -> [SensingAction] {
        guard sensor.isSampling else { return [] }
        let started = windowStart(at: now)
        let wasWorking = health == .working
        health = .working
        sensorQuietSince = nil
        daybook.observe(.motion, at: now.wall)

        let finding = wearer.judge(window, at: now, into: &daybook)
        dutyCycle.judged(isStill: finding.isStill)
        unsaved = max(unsaved, finding.stretchBecameLong ? .urgent : .stillness)
        sensor = .resting(nextWindow: next(after: started, at: now))
        return (wasWorking ? [] : [.note(.sensorRecovered)]) + finding.actions(rules: rules.sedentary, at: now)
    }

    /// The interrupt is of use only while the next window is far away.
    mutating func moved(at now: Instant) -> [SensingAction] {
        guard case .resting = sensor, dutyCycle.pace == .relaxed else { return [] }
        dutyCycle.moved()
        wearer.moved(at: now.boot)
        return [.startWindow]
    }

    /// The sensor sleeps, and the bus is free. The next time begins afresh.
    mutating func releaseSensor() -> [SensingAction] {
        sensor = .off
        health = .working
        sensorQuietSince = nil
        dutyCycle = DutyCycle(rule: rules.dutyCycle)
        return [.closeSensor]
    }

    private func windowStart(at now: Instant) -> BootTime {
        guard case .filling(let started, _) = sensor else { return now.boot }
        return started
    }

    /// One interval after this window began; after a delay at once, and windows that were missed are not made up for.
    private func next(after started: BootTime, at now: Instant) -> BootTime {
        max(started + dutyCycle.interval, now.boot)
    }
}
