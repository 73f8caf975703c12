import Bus
import Consent
import Daybook
import Ledger
import Motion
import Quantities
import Sensors

/// Runs a `SensingSession` on devices and a store: carries out what it asks for and reports back.
///
/// Whoever owns the service owns the clock and the waiting: it calls `handle` when the agenda says so. Nothing
/// that a device or the store does ends the service; it goes on with what works.
public final class SensingService {
    /// Why the process is awake.
    public enum WakeCause: Hashable, Sendable {
        case timer
        /// The watched pulse line has an edge.
        case pulses
        /// The IMU's interrupt line has an edge.
        case motion
    }

    public private(set) var session: SensingSession
    /// The pulse line while it is open, for its file descriptor.
    public private(set) var pulseLine: (any PulseLine)?
    private var sensor: MPU6050?
    private let devices: any SensingDevices
    private let store: any SensingStore
    private let note: (SensingNote) -> Void
    private let ring: () -> Void
    /// Days and events that no commit has written yet.
    private var unsaved = Batch(checkpoint: [])
    private var storeIsFailing = false

    /// - Parameters:
    ///   - note: Takes what is worth a line in the log.
    ///   - ring: Rings for the sender; called after an event was written down.
    public init(
        rules: SensingRules, devices: any SensingDevices, store: any SensingStore,
        note: @escaping (SensingNote) -> Void, ring: @escaping () -> Void
    ) {
        session = SensingSession(rules: rules)
        self.devices = devices
        self.store = store
        self.note = note
        self.ring = ring
    }

    public func agenda(at now: Instant) -> SensingAgenda { session.agenda(at: now) }

    /// Takes up the state of an earlier run; a checkpoint that cannot be read is noted and left behind.
    public func restore(_ checkpoint: [UInt8], at now: Instant) {
        do {
            try session.restore(checkpoint, at: now)
        } catch {
            note(.checkpointUnreadable)
        }
    }

    /// Opens what the wearer allows and closes what not; at start and after every change.
    public func allow(_ toggles: Toggles, at now: Instant) { deliver(.allowed(toggles), at: now) }

    public func handle(_ cause: WakeCause, at now: Instant) {
        switch cause {
        case .timer: deliver(.woke, at: now)
        case .pulses: deliver(.pulsesWaiting, at: now)
        case .motion: deliver(.moved, at: now)
        }
    }

    /// Takes the last pulses, writes everything down and closes the devices. The consent of the wearer stands.
    public func stop(at now: Instant) {
        closeDown(at: now)
        if storeIsFailing { note(.stoppedUnsaved) }
    }

    private func closeDown(at now: Instant) {
        if pulseLine != nil, let answer = perform(.drainPulses, at: now) { deliver(answer, at: now) }
        _ = perform(.commit, at: now)
        _ = perform(.closeSensor, at: now)
        _ = perform(.closeLine, at: now)
    }

    /// Stops, and lets `successor` take up the state and whatever no commit has written yet. It has no devices open so far.
    public func handOver(to successor: SensingService, at now: Instant) {
        closeDown(at: now)
        successor.restore(session.checkpoint(at: now), at: now)
        successor.unsaved = unsaved
        successor.storeIsFailing = storeIsFailing
    }

    private func deliver(_ event: SensingEvent, at now: Instant) {
        var events = [event]
        while !events.isEmpty {
            for action in session.handle(events.removeFirst(), at: now) {
                if let answer = perform(action, at: now) { events.append(answer) }
            }
        }
    }

    private func perform(_ action: SensingAction, at now: Instant) -> SensingEvent? {
        switch action {
        case .openSensor: return openSensor()
        case .closeSensor: closeSensor()
        case .startWindow: return startWindow()
        case .readWindow: return readWindow()
        case .openLine: return openLine()
        case .closeLine: closeLine()
        case .drainPulses: return drainPulses(at: now)
        case .close(let day): unsaved.closedDays.append(day)
        case .raise(let event): unsaved.events.append(event)
        case .commit: return commit(at: now)
        case .note(let text): note(text)
        }
        return nil
    }
}

// MARK: - The IMU

extension SensingService {
    private func openSensor() -> SensingEvent {
        do {
            sensor = try devices.openSensor()
            return .sensorOpened
        } catch {
            return .sensorFailed(reason: "\(devices.sensorPlace): \(error)")
        }
    }

    private func closeSensor() {
        do {
            try sensor?.sleep()
        } catch {
            note(.sensorStaysAwake(reason: "\(error)"))
        }
        sensor = nil
        devices.closeSensor()
    }

    private func startWindow() -> SensingEvent {
        guard let sensor else { return .windowLost(reason: "the sensor is closed") }
        do {
            try sensor.startWindow()
            return .windowStarted
        } catch {
            return .windowLost(reason: "\(error)")
        }
    }

    private func readWindow() -> SensingEvent {
        guard let sensor else { return .windowLost(reason: "the sensor is closed") }
        do throws(SensorError) {
            let samples = try sensor.readWindow(Window.length)
            try sensor.rest(wakeOnMotion: devices.hasMotionLine)
            guard let window = Window(samples) else { return .windowLost(reason: "\(samples.count) samples came") }
            return .window(window)
        } catch .notReady(let missing) {
            return .windowIncomplete(missing: missing)
        } catch .overrun {
            return giveUpWindow(sensor, reason: "\(SensorError.overrun)")
        } catch {
            return .windowLost(reason: "\(error)")
        }
    }

    /// The chip has begun another window; nobody will read it.
    private func giveUpWindow(_ sensor: MPU6050, reason: String) -> SensingEvent {
        do {
            try sensor.rest(wakeOnMotion: devices.hasMotionLine)
            return .windowLost(reason: reason)
        } catch {
            return .windowLost(reason: "\(reason); then \(error)")
        }
    }
}

// MARK: - The pulse line

extension SensingService {
    private func openLine() -> SensingEvent {
        do {
            let line = try devices.openPulseLine()
            pulseLine = line
            return .lineOpened(kernelBuffer: line.kernelBuffer)
        } catch {
            return .lineFailed(reason: "\(devices.pulseLinePlace): \(error.lineAdvice)")
        }
    }

    private func closeLine() {
        pulseLine = nil
        devices.closePulseLine()
    }

    private func drainPulses(at now: Instant) -> SensingEvent {
        guard let pulseLine else { return .pulses(PulseBatch()) }
        do {
            return .pulses(try pulseLine.drain(at: now.boot))
        } catch {
            closeLine()
            return .lineFailed(reason: "\(devices.pulseLinePlace): \(error.lineAdvice)")
        }
    }
}

// MARK: - The store

extension SensingService {
    private func commit(at now: Instant) -> SensingEvent? {
        unsaved.checkpoint = session.checkpoint(at: now)
        do {
            try store.commit(unsaved)
            if storeIsFailing { note(.storeRecovered) }
            storeIsFailing = false
            let hasEvents = !unsaved.events.isEmpty
            unsaved = Batch(checkpoint: [])
            if hasEvents { ring() }
            return nil
        } catch {
            if !storeIsFailing { note(.storeFailed(reason: "\(error)")) }
            storeIsFailing = true  // Days and events wait in `unsaved` for the next commit.
            return .commitFailed
        }
    }
}
