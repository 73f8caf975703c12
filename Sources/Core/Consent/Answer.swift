/// The answer of the wearer, or for a bench device of the administrator, to the question about a permission.
public enum Answer: Equatable, Sendable {
    case notAsked
    /// The scope is not empty and lies within the permission.
    case agreed(Scope)
    case declined

    /// The stored form: zero, the scope's bits, or the highest bit.
    public var code: UInt8 {
        switch self {
        case .notAsked: 0
        case .agreed(let scope): scope.rawValue
        case .declined: 0x80
        }
    }

    /// Nil for a code that is no answer to the question about `permission`.
    public init?(code: UInt8, to permission: Permission) {
        switch code {
        case 0: self = .notAsked
        case 0x80: self = .declined
        default:
            let scope = Scope(rawValue: code)
            guard scope.isSubset(of: .whole(permission)) else { return nil }
            self = .agreed(scope)
        }
    }

    /// Agreement to all that the permission can mean.
    public static func agreedWholly(to permission: Permission) -> Answer { .agreed(.whole(permission)) }
}

#if !hasFeature(Embedded)
extension Answer: CustomStringConvertible {
    public var description: String {
        switch self {
        case .notAsked: "never asked"
        case .agreed(let scope): "agreed to \(scope)"
        case .declined: "declined"
        }
    }
}
#endif
