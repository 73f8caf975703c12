/// An obstacle to collecting a domain, independent of the wearer's answer. Raw values are stored; never reuse one.
public enum Obstacle: UInt8, CaseIterable, Sendable {
    /// The administrator's config forbids the domain.
    case forbidden = 1
    /// The hardware or service is missing, or a different one (`ENOENT`, `ENODEV`, a wrong identity register).
    case absent = 2
    /// The kernel refuses the device (`EACCES`, `EPERM`).
    case refused = 3

    public var status: PermissionStatus {
        switch self {
        case .forbidden: .restricted
        case .absent: .unsupported
        case .refused: .denied
        }
    }

    /// The actor responsible for the obstacle.
    public var actor: ConsentActor { self == .forbidden ? .administrator : .kernel }
}

extension Obstacle: CustomStringConvertible {
    public var description: String {
        switch self {
        case .forbidden: "forbidden by the config"
        case .absent: "not there"
        case .refused: "refused by the kernel"
        }
    }
}

/// The actor of a change of consent. Raw values are stored; never reuse one.
public struct ConsentActor: RawRepresentable, Equatable, Sendable {
    public let rawValue: UInt8

    /// Any number: another version may know more actors.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    public static let wearer = ConsentActor(rawValue: 1)
    public static let administrator = ConsentActor(rawValue: 2)
    public static let kernel = ConsentActor(rawValue: 3)
}

extension ConsentActor: CustomStringConvertible {
    public var description: String {
        switch self {
        case .wearer: "wearer"
        case .administrator: "administrator"
        case .kernel: "kernel"
        default: "actor \(rawValue)"
        }
    }
}
