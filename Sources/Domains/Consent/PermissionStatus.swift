/// Whether a domain may be collected, or the reason why not (SPEC §2).
public enum PermissionStatus: UInt8, CaseIterable, Sendable {
    /// Not checked since the start of this process.
    case unknown
    /// The wearer has never been asked.
    case notDetermined
    /// The wearer agreed and the hardware answers.
    case authorized
    /// The wearer agreed to less than the whole permission, and the domain is within it.
    case limited
    /// The wearer said no, or the kernel refuses the device.
    case denied
    /// The administrator's config forbids the domain.
    case restricted
    /// The hardware or service is missing, or this version does not collect the domain.
    case unsupported

    /// Whether data of the domain may be collected and sent.
    public var allowsCollection: Bool { self == .authorized || self == .limited }
}

extension PermissionStatus: CustomStringConvertible {
    /// The name as in the specification.
    public var description: String {
        switch self {
        case .unknown: "unknown"
        case .notDetermined: "notDetermined"
        case .authorized: "authorized"
        case .limited: "limited"
        case .denied: "denied"
        case .restricted: "restricted"
        case .unsupported: "unsupported"
        }
    }
}
