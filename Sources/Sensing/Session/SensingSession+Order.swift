import Domains
import Core

/// Following the orders to collect.
extension SensingSession {
    /// Closes the devices of domains no longer allowed and drops their data. `followSources` then opens those of newly allowed domains.
    ///
    /// The devices of a domain that stays allowed and is to be dropped are closed and opened again, because samples and
    /// edges that wait in them are dropped too. So is a sensor that serves another domain too. A device that was lost
    /// is not tried again before its domain was off in between.
    mutating func follow(_ order: CollectionOrder, at now: Instant) -> [SensingAction] {
        let sensorIsNeeded = !order.domains.isDisjoint(with: sensorDomains)
        let mayBeAwake = self.order == nil && wearer.lastWindow != nil && !sensorIsNeeded
        let changed = order.changes(from: self.order)
        let paused = order.suspends(since: self.order)
        lost.subtract(order.resumes(since: self.order))
        let before = self.order
        self.order = order
        // Also data that is only in the store, in the checkpoint that the next commit replaces.
        if !order.dropped.isEmpty { unsaved = .urgent }
        // A run that was killed left the chip as it was, and the chip of a domain that is off must sleep.
        var actions: [SensingAction] = mayBeAwake ? [.open(.imu), .close(.imu)] : []
        let endings = tell(.finished(clock), order.ends(of: before), at: now)
        // Where nothing is collected any more, little else is stored soon.
        if !endings.isEmpty { unsaved = .urgent }
        actions += endings
        actions += begin(afresh: changed, at: now)
        actions += tell(.interrupted, paused, at: now)
        actions += release(paused, at: now)
        return actions + beginCollecting(since: before, afresh: changed, at: now)
    }

    /// A stored checkpoint without anything of these domains and with all of the others; nil when the bytes cannot be
    /// read.
    ///
    /// - Parameters:
    ///   - toggles: The domains that are turned on. The state of the wearer goes with the last that needs it.
    ///   - rules: Those of the session that wrote it, or it is cut to theirs.
    public static func forgetting(
        _ domains: DomainSet, from checkpoint: [UInt8], toggles: DomainSet, rules: SensingRules = SensingRules(),
        at now: Instant
    ) -> [UInt8]? {
        rewriting(checkpoint, rules, at: now) { session, now in
            _ = session.forget(domains, others: toggles.subtracting(domains), at: now)
        }
    }

    /// A stored checkpoint that holds no more of the domain than the scope, and all of the others; nil when the bytes cannot be read.
    ///
    /// - Parameter rules: Those of the session that wrote it, or it is cut to theirs.
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
        // In the boot and at the time of the checkpoint, so that all times stay as they are.
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

    /// Closes the devices that serve these domains. A device that serves another domain too is opened again by `followSources`.
    private mutating func release(_ domains: DomainSet, at now: Instant) -> [SensingAction] {
        var actions: [SensingAction] = []
        for kind in SourceKind.allCases where !domains.isDisjoint(with: source(kind).domains) {
            actions += take(.ended, of: kind, at: now)
        }
        return actions
    }

    /// Drops what is held of these domains, and has the others forget what it told them. The state of the wearer
    /// goes with the last domain for which rest is followed.
    ///
    /// - Parameter others: The domains of which what was collected stays.
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
    /// Whether what was collected of the domain up to now may be kept.
    func keeps(_ domain: Domain) -> Bool { kept.allows(domain) }

    /// The domains of which everything collected so far stays.
    fileprivate var kept: DomainSet { domains.union(suspended).subtracting(dropped) }

    /// The domains of which nothing may be taken over from before: they begin, end, or begin again. Before the first
    /// order, all of them may have been collected.
    func changes(from order: CollectionOrder?) -> DomainSet {
        guard let order else { return DomainSet.everything.subtracting(kept) }
        return order.domains.union(order.suspended).symmetricDifference(kept)
    }

    /// The domains that are collected no longer, of which what was collected stays.
    func ends(of order: CollectionOrder?) -> DomainSet {
        order?.domains.union(order?.suspended ?? []).subtracting(kept).subtracting(dropped) ?? []
    }

    /// The domains whose devices are closed although what was collected stays.
    func suspends(since order: CollectionOrder?) -> DomainSet { order?.domains.intersection(suspended) ?? [] }

    /// The domains whose devices are back.
    func resumes(since order: CollectionOrder?) -> DomainSet { order?.suspended.intersection(domains) ?? [] }
}
