import Consent
import Domains
import Quantities

/// Following the orders to collect.
extension SensingSession {
    /// Closes the devices of domains no longer allowed and drops their data, then opens those of newly allowed domains.
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
        var actions: [SensingAction] = mayBeAwake ? [.openSensor, .closeSensor] : []
        actions += begin(afresh: changed)
        actions += release(paused)
        actions += beginCollecting(since: before, afresh: changed, at: now)
        if sensor == .off, !allowed.isDisjoint(with: sensorDomains) {
            sensor = .opening
            actions.append(.openSensor)
        }
        if line == .off, stepSource == .pulses, allowed.allows(.steps) {
            line = .opening
            actions.append(.openLine)
        }
        return actions
    }

    /// A stored checkpoint without anything of these domains and with all of the others; nil when the bytes cannot be
    /// read. Without motion, steps that wait for the verdict of a window are credited.
    ///
    /// - Parameter rules: Those of the session that wrote it, or it is cut to theirs.
    public static func forgetting(
        _ domains: DomainSet, from checkpoint: [UInt8], rules: SensingRules = SensingRules(), at now: Instant
    ) -> [UInt8]? {
        var session = SensingSession(rules: rules)
        do {
            try session.restore(checkpoint, at: now)
        } catch {
            return nil
        }
        if domains.allows(.motion) { session.forgetMotion() }
        if domains.allows(.steps) { session.forgetSteps() }
        session.forgetCollected(domains)
        return session.checkpoint(at: now)
    }

    /// Forgets the data of these domains, and closes the devices that serve them.
    private mutating func begin(afresh domains: DomainSet) -> [SensingAction] {
        lost.subtract(domains)
        if domains.allows(.motion) { forgetMotion() }
        if domains.allows(.steps) { forgetSteps() }
        forgetCollected(domains)
        return release(domains)
    }

    /// Closes the devices that serve these domains. A device that serves another domain too is opened again by `follow`.
    private mutating func release(_ domains: DomainSet) -> [SensingAction] {
        var actions: [SensingAction] = []
        if sensor != .off, !domains.isDisjoint(with: sensorDomains) { actions += releaseSensor() }
        if line != .off, domains.allows(.steps) { actions += releaseLine() }
        return actions
    }

    private mutating func forgetMotion() {
        wearer.forgetMotion(creditingStepsTo: &daybook)
        if daybook.drop(.motion) { unsaved = .urgent }
    }

    private mutating func forgetSteps() {
        wearer.forgetSteps()
        dutyCycle.forgetPulses()
        if daybook.drop(.steps) { unsaved = .urgent }
    }
}

extension CollectionOrder {
    /// Whether what was collected of the domain up to now may be kept.
    func keeps(_ domain: Domain) -> Bool { kept.allows(domain) }

    /// The domains of which everything collected so far stays.
    private var kept: DomainSet { domains.union(suspended).subtracting(dropped) }

    /// The domains of which nothing may be taken over from before: they begin, end, or begin again. Before the first
    /// order, all of them may have been collected.
    func changes(from order: CollectionOrder?) -> DomainSet {
        guard let order else { return DomainSet.everything.subtracting(kept) }
        return order.domains.union(order.suspended).symmetricDifference(kept)
    }

    /// The domains whose devices are closed although what was collected stays.
    func suspends(since order: CollectionOrder?) -> DomainSet { order?.domains.intersection(suspended) ?? [] }

    /// The domains whose devices are back.
    func resumes(since order: CollectionOrder?) -> DomainSet { order?.suspended.intersection(domains) ?? [] }
}
