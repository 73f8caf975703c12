import Domains

/// The answer of the wearer, or for a bench device of the administrator, to the question about a permission.
public enum Answer: Equatable, Sendable {
    case notAsked
    /// The scope is not empty and lies within the permission.
    case agreed(Scope)
    case declined

    private static let declinedCode: UInt64 = 1 << 63

    /// The stored form: zero, the scope's bits, or the highest bit.
    public var code: UInt64 {
        switch self {
        case .notAsked: 0
        case .agreed(let scope): scope.rawValue
        case .declined: Self.declinedCode
        }
    }

    /// Nil for a code that is no answer to the question about `permission`.
    public init?(code: UInt64, to permission: Permission) {
        switch code {
        case 0: self = .notAsked
        case Self.declinedCode: self = .declined
        default:
            let scope = Scope(rawValue: code)
            guard scope.isSubset(of: permission.wholeScope) else { return nil }
            self = .agreed(scope)
        }
    }

    /// Agreement to all that the permission can mean.
    public static func agreedWholly(to permission: Permission) -> Answer { .agreed(permission.wholeScope) }
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
