/// The domains that sensing may collect from now on.
public struct CollectionOrder: Equatable, Sendable {
    /// The domains whose devices may be open.
    public var domains: DomainSet
    /// The domains whose devices are missing, or that need a domain which is not collected: closed, but their collected
    /// data stays.
    public var suspended: DomainSet
    /// The domains whose data in memory is dropped first: they were forgotten, or off in between.
    public var dropped: DomainSet
    /// The entry of the consent trail up to which this order holds.
    public var consentRevision: Int64
    /// By domain, the scope that may be kept; empty for a domain that is not collected.
    private var scopes = ByID(usual: Scope())

    /// `scopes` gives the scope that may be kept of each domain; by default all.
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

    /// Suspends the domains that need another which is not collected. `version` are the domains as this version has them.
    public mutating func suspendWaiting(of version: [Domain] = Domain.all) {
        let collected = domains
        for domain in version where collected.allows(domain) && !collected.allowsNeeds(of: domain) {
            domains.remove(domain)
            suspended.insert(domain)
            scopes[domain.id] = Scope()
        }
    }

    /// The part of the domain that may be kept, so that a narrower agreement holds at the source of the data (SPEC §2
    /// rule 11).
    public func scope(of domain: Domain) -> Scope { scopes[domain.id] }
}

/// A domain's device that became unavailable during collection.
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
