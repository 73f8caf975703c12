import Devices
import Core
import Signal

/// The IMU.
extension SensingService {
    var sensorPlace: String { devices.place(of: .imu) }

    /// A chip that was found but not set up is kept: it is awake, and closing puts it to sleep.
    func openSensor() -> SensingEvent {
        do {
            let found = try devices.openSensor()
            sensor = found
            isScaleRight = false
            found.countsSteps = session.wantsStepCounter
            try found.initialise()
            return .sensorOpened(
                hasInterrupt: devices.hasMotionLine, sampling: found.chip.sampling, slow: found.chip.slowSampling,
                countsSteps: found.countsSteps)
        } catch {
            // Another chip is not written to any more.
            if case .wrongIdentity = error { sensor = nil }
            return .failed(.imu, error.fault(at: sensorPlace))
        }
    }

    func closeSensor() {
        withOneRetry { sensor throws(SensorError) in try sensor.sleep() }
        sensor = nil
        devices.closeSensor()
    }

    /// Called after a command had the sensor; that time counts as nothing. A chip that no domain has open is put to
    /// sleep, because the command may have been killed.
    public func takeSensorBack() {
        session.breakOff()
        guard sensor == nil, session.isSensorOff else { return }
        _ = openSensor()
        closeSensor()
    }

    /// Whether the chip watches for motion at rest: only if its interrupt would be heeded, because watching takes four
    /// times the current of a sleeping MPU-6050, and more of others. If steps are counted from acceleration, a chip
    /// without an interrupt line is polled.
    private var wakeOnMotion: Bool {
        devices.hasMotionLine ? session.heedsInterrupt : session.watchesForMovement
    }

    func askForMotion() -> SensingEvent? {
        do {
            return try sensor?.hasMoved() == true ? .moved : nil
        } catch {
            return windowFailed(error)
        }
    }

    /// A chip that cannot be put to rest is set up again for the next window.
    func restSensor() {
        withOneRetry { [wakeOnMotion] sensor throws(SensorError) in try sensor.rest(wakeOnMotion: wakeOnMotion) }
    }

    private func withOneRetry(_ attempt: (any Accelerometer) throws(SensorError) -> Void) {
        guard let sensor else { return }
        do throws(SensorError) {
            try twice { () throws(SensorError) in try attempt(sensor) }
            sleepIsFailing = false
        } catch {
            if !sleepIsFailing { note(.sensorStaysAwake(reason: "\(sensorPlace): \(error)")) }
            sleepIsFailing = true
        }
    }

    func startWindow() -> SensingEvent {
        guard let sensor else { return .windowLost(Self.noSensor) }
        do {
            try sensor.start()
            assembler = WindowAssembler(period: sensor.chip.sampling.period)
            return .windowStarted
        } catch {
            return windowFailed(error)
        }
    }

    func readWindow() -> SensingEvent {
        guard let sensor else { return .windowLost(Self.noSensor) }
        do {
            let drained = try sensor.drain(assembler.wanted)
            assembler.add(drained.samples)
            guard let window = assembler.takeWindow(temperature: { temperature(of: sensor) }) else {
                return .windowIncomplete(missing: assembler.missing)
            }
            if let refusal = refuse(window, of: sensor.chip) { return refusal }
            hasNews = true
            return .window(window, waiting: drained.waiting)
        } catch {
            return windowFailed(error)
        }
    }

    /// A counter that cannot be read costs no samples: a fault of the bus shows at the next access.
    func countSteps() -> SensingEvent? {
        do {
            return try sensor?.stepCount().map { .stepsCounted($0) }
        } catch {
            return nil
        }
    }

    func sampleSlowly() -> SensingEvent? {
        guard let sensor else { return .windowLost(Self.noSensor) }
        do {
            try sensor.startSlowly()
            return nil
        } catch {
            return windowFailed(error)
        }
    }

    func readSamples() -> SensingEvent {
        guard let sensor else { return .windowLost(Self.noSensor) }
        do {
            let drained = try sensor.drain(.max)
            hasNews = hasNews || !drained.samples.isEmpty
            return .samples(drained.samples, waiting: drained.waiting)
        } catch {
            return windowFailed(error)
        }
    }

    /// The event in place of a window that shows a wrong scale, or no gravity on a scale not yet verified; or nil.
    private func refuse(_ window: Window, of chip: Chip) -> SensingEvent? {
        switch GravityCheck.judge(window) {
        case .right:
            isScaleRight = true
            return nil
        case .undecided where isScaleRight: return nil
        case .undecided:
            let reason = "\(sensorPlace): \(chip.name): gravity is not measured yet, so its scale is unverified"
            return giveUpWindow(DeviceFault(.passing, reason: reason))
        case .wrong(let gravity):
            return .failed(.imu, chip.complaint(aboutGravity: gravity).fault(at: sensorPlace))
        }
    }

    /// The temperature; nil if unknown. A failing thermometer costs no samples: the window has no temperature, and a
    /// fault of the bus shows at the next access.
    private func temperature(of sensor: any Accelerometer) -> Float? {
        guard devices.hasThermometer else { return nil }
        do {
            return try sensor.temperature()
        } catch {
            return nil
        }
    }

    private func windowFailed(_ error: SensorError) -> SensingEvent {
        let fault = error.fault(at: sensorPlace)
        // The chip was the right one when it was opened. Opening it again shows whether it was replaced.
        if case .wrongIdentity = error { return .windowLost(DeviceFault(.passing, reason: fault.reason)) }
        return giveUpWindow(fault)
    }

    /// Gives up the window, and puts the chip to rest if it is reachable, because its further samples are not read.
    func giveUpWindow(_ fault: DeviceFault) -> SensingEvent {
        var fault = fault
        do {
            try sensor?.rest(wakeOnMotion: wakeOnMotion)
        } catch {
            fault = fault.followed(by: error.fault(at: sensorPlace))
        }
        if case .lasting = fault.outlook { sensor = nil }  // Without its bus, the chip cannot be put to sleep.
        return .windowLost(fault)
    }

    private static let noSensor = DeviceFault(.passing, reason: "the sensor is closed")
}
