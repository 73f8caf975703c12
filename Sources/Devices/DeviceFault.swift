import Domains

/// A fault of a source, with its reason and outlook.
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

    /// The obstacle that the domain now has; nil while the source is tried again.
    public func obstacle(isGivenUp: Bool) -> Obstacle? {
        switch outlook {
        case .lasting(let obstacle): obstacle
        case .silent: isGivenUp ? .absent : nil
        case .passing: nil
        }
    }

    /// This fault and one that it led to. A next fault with the same outlook adds nothing.
    public func followed(by next: DeviceFault) -> DeviceFault {
        next.outlook == outlook ? self : DeviceFault(next.outlook, reason: "\(reason); then \(next.reason)")
    }
}

/// An error of a source. The conformances are the one table of faults.
public protocol SourceError: Error {
    /// The fault of the source at `place`.
    func fault(at place: String) -> DeviceFault
}

/// Of a GPIO line.
extension BusError: SourceError {
    public func fault(at place: String) -> DeviceFault { DeviceFault(outlook, reason: "\(place): \(lineAdvice)") }

    public var outlook: DeviceFault.Outlook {
        switch self {
        case .denied: .lasting(.refused)
        case .absent, .unsupported: .lasting(.absent)
        case .noAcknowledge: .silent
        case .busy, .stuck, .failed: .passing
        }
    }
}

extension SensorError: SourceError {
    public func fault(at place: String) -> DeviceFault { DeviceFault(outlook, reason: "\(place): \(self)") }

    private var outlook: DeviceFault.Outlook {
        switch self {
        case .bus(let error, _), .unreachable(let error, _): error.outlook
        case .wrongIdentity, .refused: .lasting(.absent)
        // The next look at its identity would find it right, and the domain would come and go.
        case .wrongScale, .configurationRefused, .overrun, .noWindow: .passing
        }
    }
}

/// Of the folder for the phone's reports.
extension InboxError: SourceError {
    public func fault(at place: String) -> DeviceFault {
        switch self {
        case .absent: DeviceFault(.lasting(.absent), reason: "\(place): there is no such directory")
        case .denied:
            DeviceFault(.lasting(.refused), reason: "\(place): permission denied for reading and removing reports")
        case .failed(let errno): DeviceFault(.passing, reason: "\(place): the kernel gave errno \(errno)")
        }
    }
}

/// Of gpsd.
extension PositionError: SourceError {
    public func fault(at place: String) -> DeviceFault {
        switch self {
        case .absent: DeviceFault(.lasting(.absent), reason: "\(place): nobody listens")
        case .denied: DeviceFault(.lasting(.refused), reason: "\(place): the kernel refuses the connection")
        case .noNetwork: DeviceFault(.lasting(.absent), reason: "\(place): this program has no network")
        case .notGPSD(let words): DeviceFault(.lasting(.absent), reason: "\(place): no gpsd, for it says \"\(words)\"")
        case .closed: DeviceFault(.passing, reason: "\(place): hung up, as where gpsd does not run")
        case .overlong: DeviceFault(.passing, reason: "\(place): sent a line longer than any of gpsd's")
        case .silent: DeviceFault(.passing, reason: "\(place): says nothing")
        case .failed(let errno): DeviceFault(.passing, reason: "\(place): the kernel gave errno \(errno)")
        }
    }
}
