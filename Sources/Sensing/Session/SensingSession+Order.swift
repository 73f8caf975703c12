import Domains
import Core

/// Following the orders to collect.
extension SensingSession {
    /// Closes the devices of domains that are no longer allowed, and drops their data. `followSources` then opens those
    /// of newly allowed domains.
    ///
    /// If the data of a domain that stays allowed is dropped, its devices are closed and opened again, because waiting
    /// samples and edges are dropped too; even a sensor that also serves another domain. A lost device is not retried
    /// before its domain was off in between.
    mutating func follow(_ order: CollectionOrder, at now: Instant) -> [SensingAction] {
        let allowedBefore = allowed
        let sensorIsNeeded = !order.domains.isDisjoint(with: sensorDomains)
        let mayBeAwake = self.order == nil && wearer.lastWindow != nil && !sensorIsNeeded
        let changed = order.changes(from: self.order)
        let paused = order.suspends(since: self.order)
        lost.subtract(order.resumes(since: self.order))
        let before = self.order
        self.order = order
        // Also for data that is only in the store, in the checkpoint that the next commit replaces.
        if !order.dropped.isEmpty { unsaved = .urgent }
        // A killed run left the chip as it was, and the chip of a domain that is off must sleep.
        var actions: [SensingAction] = mayBeAwake ? [.open(.imu), .close(.imu)] : []
        actions += darken(before: order)
        let endings = tell(.finished(clock), order.ends(of: before), at: now)
        // Once nothing is collected any more, hardly anything else causes a commit.
        if !endings.isEmpty { unsaved = .urgent }
        actions += endings
        actions += begin(afresh: changed, at: now)
        beginObserving(allowed.subtracting(allowedBefore), at: now)
        actions += tell(.interrupted, paused, at: now)
        actions += release(paused, at: now)
        return actions + beginCollecting(since: before, afresh: changed, at: now)
    }

    /// A stored checkpoint without data of these domains and with all data of the others; nil if the bytes cannot be
    /// read.
    ///
    /// `toggles` are the domains that are on: the state of the wearer goes with the last domain that needs it. `rules`
    /// should be those of the session that wrote the checkpoint; others may truncate it.
    public static func forgetting(
        _ domains: DomainSet, from checkpoint: [UInt8], toggles: DomainSet, rules: SensingRules = SensingRules(),
        at now: Instant
    ) -> [UInt8]? {
        rewriting(checkpoint, rules, at: now) { session, now in
            _ = session.forget(domains, others: toggles.subtracting(domains), at: now)
        }
    }

    /// A stored checkpoint that holds only the scope of the domain, and all data of the others; nil if the bytes cannot
    /// be read. `rules` as for `forgetting`.
    public static func narrowing(
        _ domain: Domain, to scope: Scope, in checkpoint: [UInt8], rules: SensingRules = SensingRules(), at now: Instant
    ) -> [UInt8]? {
        rewriting(checkpoint, rules, at: now) { session, now in
            let part = scope.intersection(domain.wholeScope)
            _ = session.tell(.began(part, servedBy: domain.hardware), DomainSet(domain), at: now)
        }
    }

    private static func rewriting(
        _ checkpoint: [UInt8], _ rules: SensingRules, at now: Instant, _ change: (inout SensingSession, Instant) -> Void
    ) -> [UInt8]? {
        // In the boot and at the time of the checkpoint, so that all times stay unchanged.
        let writer = writer(of: checkpoint)
        let now = writer.map { Instant(boot: $0.seen, wall: now.wall) } ?? now
        var session = SensingSession(rules: rules, boot: writer?.id ?? .unknown)
        session.clock = writer?.clock
        do {
            try session.restore(checkpoint, at: now)
        } catch {
            return nil
        }
        change(&session, now)
        return session.checkpoint(at: now)
    }

    /// Forgets the data of these domains, and closes the devices that serve them.
    private mutating func begin(afresh domains: DomainSet, at now: Instant) -> [SensingAction] {
        lost.subtract(domains)
        return forget(domains, others: order?.kept ?? [], at: now) + release(domains, at: now)
    }

    /// Closes the devices that serve these domains. `followSources` reopens one that also serves another domain.
    private mutating func release(_ domains: DomainSet, at now: Instant) -> [SensingAction] {
        var actions: [SensingAction] = []
        for index in sources.indices where !domains.isDisjoint(with: sources[index].domains) {
            actions += take(.ended, of: sources[index].kind, at: now)
        }
        return actions
    }

    /// Drops the data of these domains, and has the others forget information from it. The state of the wearer goes
    /// with the last domain that needs the wearer's rest. `others` are the domains whose data stays.
    private mutating func forget(_ domains: DomainSet, others: DomainSet, at now: Instant) -> [SensingAction] {
        forgetCollected(domains)
        if !domains.isDisjoint(with: lineDomains) {
            dutyCycle.forgetPulses()
            lastPulse = nil
        }
        if !domains.isDisjoint(with: restDomains), restDomains.subtracting(domains).isDisjoint(with: others) {
            wearer = WearerState(rules: rules)
        }
        wearer.forgetMovement()
        var actions: [SensingAction] = []
        for domain in collectors.map(\.domain) where domains.allows(domain) {
            actions += tell(.dropped(domain), DomainSet.everything.subtracting(domains), at: now)
        }
        return actions
    }
}

extension CollectionOrder {
    /// Whether earlier data of the domain may be kept.
    func keeps(_ domain: Domain) -> Bool { kept.allows(domain) }

    /// The domains whose earlier data stays.
    fileprivate var kept: DomainSet { domains.union(suspended).subtracting(dropped) }

    /// The domains that begin, end, or begin again, so that their earlier data must not be used. Before the first
    /// order, any domain may have been collected.
    func changes(from order: CollectionOrder?) -> DomainSet {
        guard let order else { return DomainSet.everything.subtracting(kept) }
        return order.domains.union(order.suspended).symmetricDifference(kept)
    }

    /// The domains that are no longer collected, and whose data is not to be dropped first.
    func ends(of order: CollectionOrder?) -> DomainSet {
        order?.domains.union(order?.suspended ?? []).subtracting(kept).subtracting(dropped) ?? []
    }

    /// The domains whose devices are closed although their data stays.
    func suspends(since order: CollectionOrder?) -> DomainSet { order?.domains.intersection(suspended) ?? [] }

    /// The domains whose devices are back.
    func resumes(since order: CollectionOrder?) -> DomainSet { order?.suspended.intersection(domains) ?? [] }
}
