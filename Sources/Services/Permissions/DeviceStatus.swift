import Consent
import Ports

/// What a domain's hardware or service says.
public enum DeviceStatus: Equatable, Sendable {
    /// It answers, or as far as its node can tell it would.
    case ready
    /// It cannot be used until somebody does something about it. The reason is one line: where and what.
    case blocked(Obstacle, reason: String)
    /// Busy, stuck or too slow: tried again later, and nobody is asked. The reason is one line: where and what.
    case failing(reason: String)
}

extension DeviceStatus {
    /// Why a device cannot be used, if so.
    public var reason: String? {
        switch self {
        case .ready: nil
        case .blocked(_, let reason), .failing(let reason): reason
        }
    }

    /// What an error of a bus or a line means for the domain that needs it.
    ///
    /// - Parameter unsuitable: what to say of something at `place` that is no device of the right kind.
    public init(_ error: BusError, at place: String, unsuitable: String) {
        let reason = "\(place): \(error.words.device ?? unsuitable)"
        self =
            switch error {
            case .denied: .blocked(.refused, reason: reason)
            case .absent, .unsupported, .noAcknowledge: .blocked(.absent, reason: reason)
            case .busy, .stuck, .failed: .failing(reason: reason)
            }
    }
}
