import Consent
import DutyCycle
import Quantities

/// The consequence of a device's failure, for those devices that are either open or not.
enum DeviceSetback {
    /// Its domains go quiet until it is back.
    case lost(Obstacle)
    /// It is opened again at this time. The first failure in a row is worth a note.
    case retry(at: BootTime, [SensingAction])
}

extension SensingSession {
    mutating func setback(
        by fault: DeviceFault, of health: WritableKeyPath<SensingSession, SensorHealth>,
        _ note: (_ reason: String, _ retryIn: Interval) -> SensingNote, at now: Instant
    ) -> DeviceSetback {
        let wasWorking = self[keyPath: health] == .working
        self[keyPath: health] = self[keyPath: health].failed(rule: rules.dutyCycle)
        if let obstacle = fault.obstacle(after: self[keyPath: health]) { return .lost(obstacle) }
        let wait = self[keyPath: health].wait
        return .retry(at: now.boot + wait, wasWorking ? [.note(note(fault.reason, wait))] : [])
    }
}
