import Domains
import System
import Devices

/// The status of a domain's hardware or service.
public enum DeviceStatus: Equatable, Sendable {
    /// It answers, or its node shows that it could.
    case ready
    /// It cannot be used until a person acts. The reason is one line: the place and the fault.
    case blocked(Obstacle, reason: String)
    /// Busy, stuck or too slow: retried later, without a person. The reason is one line: the place and the fault.
    case failing(reason: String)
}

extension DeviceStatus {
    /// The reason why the device cannot be used; nil if it can.
    public var reason: String? {
        switch self {
        case .ready: nil
        case .blocked(_, let reason), .failing(let reason): reason
        }
    }

    /// The status for a fault during the search for a device: one that does not answer counts as absent.
    public init(_ fault: DeviceFault) {
        let obstacle = fault.obstacle(isGivenUp: true)
        self = obstacle.map { .blocked($0, reason: fault.reason) } ?? .failing(reason: fault.reason)
    }

    /// The status for an error of the bus or the line that the domain needs. `unsuitable` is the text for a node at
    /// `place` that is not a device of the right kind.
    public init(_ error: BusError, at place: String, unsuitable: String) {
        self.init(DeviceFault(error.outlook, reason: "\(place): \(error.words.device ?? unsuitable)"))
    }

    /// The status for the errno of a check of a file, a directory or a socket. `absent` is the text if it does not
    /// exist; `refused`, after "permission denied", names the purpose.
    init(errno code: Int32, at place: String, absent: String, refused: String) {
        switch FileError(errno: code, path: place) {
        case .absent: self = .blocked(.absent, reason: "\(place): \(absent)")
        case .denied: self = .blocked(.refused, reason: "\(place): permission denied \(refused)")
        case .readOnly:
            self = .blocked(.refused, reason: "\(place): read-only here; systemd opens it with ReadWritePaths=")
        case let error: self = .failing(reason: "\(place): \(error.reason)")
        }
    }
}
