import Domains

/// A fault of a source, with its reason and outlook.
public struct DeviceFault: Equatable, Sendable {
    public enum Outlook: Equatable, Sendable {
        /// Transient: busy, stuck, confused.
        case passing
        /// No chip answers. If this persists, the device counts as unplugged.
        case silent
        /// Permanent until a person acts.
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

    /// Combines this fault with one that it caused. A next fault with the same outlook is dropped.
    public func followed(by next: DeviceFault) -> DeviceFault {
        next.outlook == outlook ? self : DeviceFault(next.outlook, reason: "\(reason); then \(next.reason)")
    }
}

/// An error of a source. The conformances are the only mapping to faults.
public protocol SourceError: Error {
    /// The fault of the source at `place`.
    func fault(at place: String) -> DeviceFault
}

/// Errors of a GPIO line.
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
        case .bus(let error, _), .unreachable(let error, _, _): error.outlook
        case .wrongIdentity, .refused: .lasting(.absent)
        // The next identity check would succeed, and the domain would come and go.
        case .wrongScale, .configurationRefused, .overrun, .noWindow: .passing
        }
    }
}

/// Errors of the directory for the phone's reports.
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

/// Errors of gpsd.
extension PositionError: SourceError {
    public func fault(at place: String) -> DeviceFault {
        switch self {
        case .absent: DeviceFault(.lasting(.absent), reason: "\(place): no process listens")
        case .denied: DeviceFault(.lasting(.refused), reason: "\(place): the kernel refuses the connection")
        case .noNetwork: DeviceFault(.lasting(.absent), reason: "\(place): this program has no network")
        case .notGPSD(let words): DeviceFault(.lasting(.absent), reason: "\(place): not gpsd: it says \"\(words)\"")
        case .closed: DeviceFault(.passing, reason: "\(place): hung up; gpsd may not be running")
        case .overlong: DeviceFault(.passing, reason: "\(place): sent a line longer than any of gpsd's")
        case .silent: DeviceFault(.passing, reason: "\(place): sends no data")
        case .failed(let errno): DeviceFault(.passing, reason: "\(place): the kernel gave errno \(errno)")
        }
    }
}
