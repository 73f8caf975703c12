import Domains
import Store
import Core

/// Expanding and narrowing the agreement to a permission (SPEC §2 rule 11).
extension PermissionRegistry {
    /// Asks about the parts that the wearer did not agree to, and of `Scope.extras` about these, at most once, and adds
    /// them to the agreement. Turns no toggle.
    ///
    /// Like `turn`, it checks the hardware first, and asks nothing if the hardware is the obstacle.
    ///
    /// `time` is evaluated for each entry, because a question may stay on the screen for long. `ask` asks about these
    /// parts of the permission; it returns nil if no question can be asked, `notAsked` if it was left open.
    public func expand(
        _ domain: Domain, besides extras: Scope = [], at time: @autoclosure () -> WallTime,
        ask: (Permission, Scope) -> Answer?
    ) throws(LedgerError) -> ScopeOutcome {
        try refresh()
        try applyPolicy(at: time())
        let device = look(at: domain, in: consent.state)
        try record(found(device, domain), because: losses(device, domain), at: time())
        guard mayExpand(domain) else { return refusal(of: domain, device) }
        let missing = missing(for: domain, extras)
        guard !missing.isEmpty else { return .already }
        switch ask(domain.permission, missing) {
        case nil: return .cannotAsk
        case .notAsked: return .leftOpen
        case .declined: return .declined
        case .agreed(let scope, let offered)?:
            let reply = Answer.agreed(scope, offered: offered)
            if try !record([.widen(domain, reply)], at: time()).entries.isEmpty { return .changed }
            return mayExpand(domain) ? .already : refusal(of: domain, device)
        }
    }

    /// Reduces the agreement to the least scope of the domain; data outside it is deleted from the store.
    public func narrow(_ domain: Domain, at time: WallTime) throws(LedgerError) -> ScopeOutcome {
        try refresh()
        return try record([.narrow(domain)], at: time).entries.isEmpty ? .already : .changed
    }

    /// Whether the wearer agreed to a part of its permission, and nothing else prevents its collection.
    private func mayExpand(_ domain: Domain) -> Bool {
        let state = consent.state
        guard case .agreed = state.answer(to: domain.permission) else { return false }
        return domain.isCollected && state.obstacle(to: domain) == nil
    }

    /// The parts of the domain that the wearer did not agree to or, if there are none, those of its permission.
    private func missing(for domain: Domain, _ extras: Scope) -> Scope {
        let agreed = consent.state.answer(to: domain.permission).agreement
        let own = domain.wholeScope.union(extras).subtracting(agreed)
        guard own.isEmpty else { return own }
        let collected = domains.filter { $0.permission == domain.permission && $0.isCollected }
        return Scope(of: collected).subtracting(agreed)
    }

    private func refusal(of domain: Domain, _ device: DeviceStatus?) -> ScopeOutcome {
        let status = consent.state.status(of: domain)
        let why = explanation(of: domain, in: consent.state, device)
        return .refused(status, reason: why.reason ?? status.description, advice: why.advice)
    }
}

/// The outcome of expanding or narrowing an agreement.
public enum ScopeOutcome: Equatable, Sendable {
    case changed
    /// Nothing to change: the wearer had agreed to all of it, or to no more.
    case already
    /// The wearer was asked and declined; the earlier agreement stays.
    case declined
    /// The question was left open; the earlier agreement stays.
    case leftOpen
    /// No question can be asked here.
    case cannotAsk
    /// Nothing was asked. Has the reason and the advice.
    case refused(PermissionStatus, reason: String, advice: String)
}
