import Consent
import Quantities

/// Something that the server is told of at once (SPEC §6): what happened, when, and the threshold crossed.
public struct NudgeEvent: Equatable, Sendable {
    /// Raw values are stored; never reuse one.
    public enum Kind: UInt8, CaseIterable, Sendable {
        case sedentaryLong = 1
        case socialThresholdExceeded = 2
        case geofenceEntered = 3
        case geofenceExited = 4
        case visit = 5

        public var domain: Domain {
            switch self {
            case .sedentaryLong: .motion
            case .socialThresholdExceeded: .screenTime
            case .geofenceEntered, .geofenceExited, .visit: .location
            }
        }
    }

    public let kind: Kind
    public let at: WallTime
    /// The threshold that was crossed, in minutes; zero for kinds without one.
    public let thresholdMinutes: Int32

    public init(kind: Kind, at: WallTime, thresholdMinutes: Int32) {
        self.kind = kind
        self.at = at
        self.thresholdMinutes = thresholdMinutes
    }
}

#if !hasFeature(Embedded)
extension NudgeEvent.Kind: CustomStringConvertible {
    /// `eventType` in the request (SPEC §6).
    public var description: String {
        switch self {
        case .sedentaryLong: "sedentary_long"
        case .socialThresholdExceeded: "sns_threshold_exceeded"
        case .geofenceEntered: "geofence_entered"
        case .geofenceExited: "geofence_exited"
        case .visit: "visit"
        }
    }
}
#endif
