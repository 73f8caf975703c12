import Consent
import DutyCycle
import Ports

/// A fault of a device, with its reason and outlook.
public struct DeviceFault: Equatable, Sendable {
    public enum Outlook: Equatable, Sendable {
        /// It may work again by itself: busy, stuck, confused.
        case passing
        /// No chip answers. If that goes on, the device counts as unplugged.
        case silent
        /// It stays so until a person acts.
        case lasting(Obstacle)
    }

    public let outlook: Outlook
    /// One line: the place, the fault and the remedy.
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
    public init(_ error: BusError, ofLineAt place: String) {
        self.init(error.outlook, reason: "\(place): \(error.lineAdvice)")
    }

    /// The folder for the phone's reports at `place`.
    init(_ error: InboxError, ofInboxAt place: String) {
        switch error {
        case .absent: self.init(.lasting(.absent), reason: "\(place): there is no such directory")
        case .denied:
            self.init(.lasting(.refused), reason: "\(place): permission denied for reading and removing reports")
        case .failed(let errno): self.init(.passing, reason: "\(place): the kernel gave errno \(errno)")
        }
    }

    /// gpsd, reached at `place`.
    init(_ error: PositionError, ofPositionsAt place: String) {
        switch error {
        case .absent: self.init(.lasting(.absent), reason: "\(place): nothing listens there")
        case .denied: self.init(.lasting(.refused), reason: "\(place): permission denied")
        case .noNetwork: self.init(.lasting(.absent), reason: "\(place): this program has no network")
        case .notGPSD(let words): self.init(.lasting(.absent), reason: "\(place): no gpsd, for it says \(words)")
        case .closed: self.init(.passing, reason: "\(place): hung up, as where gpsd does not run")
        case .overlong: self.init(.passing, reason: "\(place): sent a line longer than any of gpsd's")
        case .silent: self.init(.passing, reason: "\(place): says nothing")
        case .failed(let errno): self.init(.passing, reason: "\(place): the kernel gave errno \(errno)")
        }
    }

    /// The obstacle that the domain now has, given the failures so far; nil while the device is tried again.
    func obstacle(after health: SensorHealth) -> Obstacle? {
        switch (outlook, health) {
        case (.lasting(let obstacle), _): obstacle
        case (.silent, .quiet): .absent
        case (.silent, _), (.passing, _): nil
        }
    }

    /// This fault and one that it led to. A next fault with the same outlook adds nothing.
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
        case .wrongIdentity, .refused: .lasting(.absent)
        // The next look at its identity would find it right, and the domain would come and go.
        case .wrongScale, .configurationRefused, .overrun, .noWindow: .passing
        }
    }
}
