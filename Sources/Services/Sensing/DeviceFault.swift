import Consent
import DutyCycle
import Ports

/// Why a device could not be used, and what is to be expected of it.
public struct DeviceFault: Equatable, Sendable {
    public enum Outlook: Equatable, Sendable {
        /// It may work again by itself: busy, stuck, confused.
        case passing
        /// Nobody answers. If that goes on, the device was unplugged.
        case silent
        /// It stays so until somebody does something about it.
        case lasting(Obstacle)
    }

    public let outlook: Outlook
    /// One line: where, what and what to do.
    public let reason: String

    public init(_ outlook: Outlook, reason: String) {
        self.outlook = outlook
        self.reason = reason
    }

    /// A sensor on the bus at `place`.
    init(_ error: SensorError, at place: String) {
        self.init(error.outlook, reason: "\(place): \(error)")
    }

    /// The GPIO line at `place`.
    init(_ error: BusError, ofLineAt place: String) {
        self.init(error.outlook, reason: "\(place): \(error.lineAdvice)")
    }

    /// What stands in the domain's way for good, now that the device has failed so often; nil while it is tried again.
    func obstacle(after health: SensorHealth) -> Obstacle? {
        switch (outlook, health) {
        case (.lasting(let obstacle), _): obstacle
        case (.silent, .quiet): .absent
        case (.silent, _), (.passing, _): nil
        }
    }

    /// This fault and one that came of it. More of the same is no news.
    func followed(by next: DeviceFault) -> DeviceFault {
        next.outlook == outlook ? self : DeviceFault(next.outlook, reason: "\(reason); then \(next.reason)")
    }
}

extension BusError {
    fileprivate var outlook: DeviceFault.Outlook {
        switch self {
        case .denied: .lasting(.refused)
        case .absent, .unsupported: .lasting(.absent)
        case .noAcknowledge: .silent
        case .busy, .stuck, .failed: .passing
        }
    }
}

extension SensorError {
    fileprivate var outlook: DeviceFault.Outlook {
        switch self {
        case .bus(let error, _), .unreachable(let error, _): error.outlook
        case .wrongIdentity: .lasting(.absent)
        case .configurationRefused, .overrun, .noWindow: .passing
        }
    }
}
