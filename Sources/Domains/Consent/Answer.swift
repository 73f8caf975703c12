/// The answer of the wearer, or for a bench device of the administrator, to the question about a permission.
public enum Answer: Equatable, Sendable {
    case notAsked
    /// The scope is not empty; `offered` is everything that could be agreed to at the time. A part of the permission
    /// that was not offered was neither agreed to nor declined, and is asked about again. Either may hold parts of
    /// another version.
    case agreed(Scope, offered: Scope)
    case declined

    private static let declinedCode: UInt64 = 1 << 63

    /// The stored form: zero, the scope's bits, or the highest bit.
    public var code: UInt64 {
        switch self {
        case .notAsked: 0
        case .agreed(let scope, _): scope.rawValue
        case .declined: Self.declinedCode
        }
    }

    /// The agreed scope; empty for other answers.
    public var agreement: Scope {
        if case .agreed(let scope, _) = self { return scope }
        return []
    }

    /// The scope that the question offered; empty for answers other than agreement.
    public var offered: Scope {
        if case .agreed(_, let offered) = self { return offered }
        return []
    }

    /// Reads the stored form. Nil for agreement to more than was offered.
    public init?(code: UInt64, offered: Scope) {
        switch code {
        case 0: self = .notAsked
        case Self.declinedCode: self = .declined
        default:
            guard Scope(rawValue: code).isSubset(of: offered) else { return nil }
            self = .agreed(Scope(rawValue: code), offered: offered)
        }
    }

    /// Agreement to a scope of one permission. This version must offer all of it.
    public static func agreed(_ scope: Scope) -> Answer {
        var offered = scope
        for permission in Permission.all where !permission.wholeScope.isDisjoint(with: scope) {
            offered.formUnion(permission.offeredScope)
        }
        return .agreed(scope, offered: offered)
    }

    /// Agreement to the whole scope that this version offers of the permission.
    public static func agreedWholly(to permission: Permission) -> Answer { .agreed(permission.offeredScope) }

    /// Whether it is a valid answer to the question about `permission`: agreement to nothing, or to a scope of another
    /// permission, is not.
    func answers(_ permission: Permission) -> Bool {
        guard case .agreed(let scope, _) = self else { return true }
        let whole = permission.wholeScope
        return !scope.isDisjoint(with: whole) && scope.isSubset(of: whole.union(.extras))
    }

    /// The status that the answer alone gives a domain of the permission, if `offer` is the scope offered now.
    func status(of domain: Domain, offering offer: Scope) -> PermissionStatus {
        switch self {
        case .notAsked: return .notDetermined
        case .declined: return .denied
        case .agreed(let scope, let offered):
            // This version collects more than the one that asked.
            guard offered.isSuperset(of: domain.leastScope) else { return .notDetermined }
            guard scope.isSuperset(of: domain.leastScope) else { return .denied }
            let asked = offer.intersection(offered).union(domain.wholeScope)
            return scope.isSuperset(of: asked) ? .authorized : .limited
        }
    }
}

extension Answer: CustomStringConvertible {
    public var description: String {
        switch self {
        case .notAsked: "never asked"
        case .agreed(let scope, _): "agreed to \(scope)"
        case .declined: "declined"
        }
    }
}
