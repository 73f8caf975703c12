/// The domains that sensing may collect from now on.
public struct CollectionOrder: Equatable, Sendable {
    /// The domains whose devices may be open.
    public var domains: DomainSet
    /// The domains whose devices are away: closed, and what was collected of them stays.
    public var suspended: DomainSet
    /// Of these domains everything that is held in memory is dropped first: it was forgotten, or they were off in between.
    public var dropped: DomainSet
    /// The entry of the consent trail up to which this holds.
    public var consentRevision: Int64
    /// By domain, what of it may be kept; of a domain that is not collected, nothing.
    private var scopes = ByID(usual: Scope())

    /// `scopes` says what of each domain may be kept; by default all of it.
    public init(
        domains: DomainSet, suspended: DomainSet = [], dropped: DomainSet = [], consentRevision: Int64 = 0,
        scopes: (Domain) -> Scope = { $0.wholeScope }
    ) {
        self.domains = domains
        self.suspended = suspended
        self.dropped = dropped
        self.consentRevision = consentRevision
        for domain in Domain.all where domains.allows(domain) {
            self.scopes[domain.id] = scopes(domain).intersection(domain.wholeScope)
        }
    }

    /// The part of the domain that may be kept, so that a narrower agreement holds where data is made (SPEC §2 rule 11).
    public func scope(of domain: Domain) -> Scope { scopes[domain.id] }
}

/// A device that was taken from under a domain while it was collected.
public struct DeviceLoss: Equatable, Sendable {
    public let domain: Domain
    public let obstacle: Obstacle
    /// One line: the place, the fault and the remedy.
    public let reason: String

    public init(domain: Domain, obstacle: Obstacle, reason: String) {
        self.domain = domain
        self.obstacle = obstacle
        self.reason = reason
    }
}
