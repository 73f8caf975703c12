import Domains
import System
import Store
import Core

/// The daemon's part of consent: follows the store, the config and the device nodes, and orders sensing to collect the
/// allowed domains (SPEC §2 rules 3 to 6).
///
/// No call throws: while the store cannot be used that is logged once, no new domain is collected, domains to stop
/// stop, and pending writes are made later.
public final class ConsentKeeper {
    /// The entry of the trail up to which sensing has its orders.
    public private(set) var consentRevision: ConsentEntry.ID = 0

    private let registry: PermissionRegistry
    private let journal: Journal
    private let collect: (CollectionOrder, Instant) -> Void
    /// The domains that consent lets us hold data of; of these, `suspended` have no device now.
    private var collected: DomainSet = []
    private var suspended: DomainSet = []
    /// The time at which the first of `collected` that are off but for a flick has settled.
    private var settlesAt: BootTime?

    /// Whether sensing was given its first order, which waits until the store can be read.
    private var hasOrdered: Bool { lastScopes != nil }
    /// By domain, the part that the last order allowed; nil before the first.
    private var lastScopes: [Scope]?
    private var hasAppliedPolicy = false
    /// Whether the snapshot was trusted when the trail was last verified; nil before the first time.
    private var verifiedAsTrusted: Bool?
    private var reported: [TrailReport.Finding] = []
    /// Losses that are not in the trail yet. Their domains stay closed.
    private var unrecorded: [DeviceLoss] = []
    /// Whether the outbox may hold records that may not be sent any more.
    private var mayHoldUnsendable = true
    /// The store's first error in the present call.
    private var refusal: LedgerError?
    private var storeRetry = Retry()

    /// - Parameters:
    ///   - registry: the keeper takes its `onChange`.
    ///   - collect: passes an order to sensing. Must not call the keeper.
    public init(
        registry: PermissionRegistry, journal: Journal, collect: @escaping (CollectionOrder, Instant) -> Void
    ) {
        self.registry = registry
        self.journal = journal
        self.collect = collect
        registry.onChange = { journal.log($0) }
    }

    /// The time at which `lookAgain` is to be called, because a toggle has settled or an action is retried; nil with
    /// nothing pending.
    public var nextWake: BootTime? {
        [settlesAt, storeRetry.due, registry.nextLook].compactMap { $0 }.min()
    }

    /// The nodes of the domains that are collected, each once.
    public var watchedNodes: [String] {
        var nodes: [String] = []
        for domain in Domain.all where collected.allows(domain) {
            let handler = registry.handler(for: domain)
            guard handler.domain.isCollected else { continue }
            for node in handler.nodes where !nodes.contains(node) { nodes.append(node) }
        }
        return nodes
    }
}

// MARK: - Events

extension ConsentKeeper {
    /// Applies the config, verifies the trail and gives the first order. To be called once, before anything else.
    ///
    /// - Parameter checkpoint: the entry of the trail up to which the restored state of sensing had applied it; nil
    ///   when none was restored.
    public func begin(checkpoint: ConsentEntry.ID?, at now: Instant) {
        consentRevision = checkpoint ?? 0
        // A device that was away before this start may be back.
        proceed(nodesChanged: true, at: now)
    }

    /// Reads the store and follows it: after a signal, and when `nextWake` has come.
    public func lookAgain(at now: Instant) {
        proceed(registry.lookAgain(at: collected.subtracting(suspended), now: now.boot), at: now)
    }

    /// Looks at the nodes of the held domains, after one of `watchedNodes` changed.
    public func nodesChanged(at now: Instant) {
        let losses = registry.lookAtNodes(of: collected.subtracting(suspended), at: now.boot)
        if !losses.isEmpty || !suspended.isEmpty { proceed(losses, nodesChanged: true, at: now) }
    }

    /// Stops the domains whose devices were taken away, and enters that into the trail.
    public func lost(_ losses: [DeviceLoss], at now: Instant) {
        if !losses.isEmpty { proceed(losses, at: now) }
    }
}

// MARK: - Effects

extension ConsentKeeper {
    /// Follows the store and `losses`, with one order at most, and one line at most about the store.
    ///
    /// - Parameter nodesChanged: whether a suspended domain's device is looked at even before its wait is over.
    private func proceed(_ losses: [DeviceLoss] = [], nodesChanged: Bool = false, at now: Instant) {
        refusal = nil
        readStore(at: now)
        let state = registry.consent.state
        let beginning = state.toggles.subtracting(collected).subtracting(state.suspended)
        note(losses + registry.lookAtNodes(of: beginning, at: now.boot))
        recordLosses(at: now)
        let suspended = registry.consent.state.suspended
        resume(registry.lookForReturned(suspended, nodesChanged: nodesChanged, at: now.boot), at: now)
        order(at: now)
        dropUnsendable(at: now)
        judgeStore(at: now)
    }

    private func readStore(at now: Instant) {
        attempt { () throws(LedgerError) in try registry.refresh() }
        if registry.isKnown, verifiedAsTrusted != registry.consent.isTrusted { verifyTrail() }
        if !hasAppliedPolicy {
            hasAppliedPolicy = attempt { () throws(LedgerError) in try registry.applyPolicy(at: now.wall) }
        }
    }

    private func verifyTrail() {
        attempt { () throws(LedgerError) in
            let report = try registry.ledger.verifyTrail()
            for finding in report.findings where !reported.contains(finding) {
                reported.append(finding)
                journal.log(
                    .error, .trailBroken,
                    "the consent trail is not as it was written: \(finding); for all of it run: anicca audit --verify")
            }
            verifiedAsTrusted = registry.consent.isTrusted
        }
    }

    private func note(_ losses: [DeviceLoss]) {
        for loss in losses where !isLost(loss.domain) { unrecorded.append(loss) }
    }

    private func isLost(_ domain: Domain) -> Bool { unrecorded.contains { $0.domain == domain } }

    /// Whether the kernel refuses its device, and the trail has no entry of that yet.
    private func isTakenAway(_ domain: Domain) -> Bool {
        unrecorded.contains { $0.domain == domain && $0.obstacle != .absent }
    }

    private func recordLosses(at now: Instant) {
        guard !unrecorded.isEmpty else { return }
        let isRecorded = attempt { () throws(LedgerError) in try registry.record(unrecorded, at: now.wall) }
        if isRecorded { unrecorded = [] }
    }

    /// Enters into the trail that these devices are back.
    private func resume(_ domains: [Domain], at now: Instant) {
        guard !domains.isEmpty else { return }
        attempt { () throws(LedgerError) in try registry.recordReturn(of: domains, at: now.wall) }
    }

    private func order(at now: Instant) {
        guard registry.isKnown else { return }
        let before = (collected, suspended)
        var held = DomainSet()
        var dropped = DomainSet()
        var slipped = DomainSet()
        for domain in registry.domains {
            let since = heldSince(domain, at: now.wall)
            held.set(domain, to: since != nil)
            // Nothing is opened for a toggle that is off; what may be held waits for its settle time to be over.
            let isOpen = before.0.subtracting(before.1).allows(domain)
            slipped.set(domain, to: since != nil && registry.consent.onSince(domain) == nil && !isOpen)
            // Data that sensing holds was forgotten, or the domain was off in between, which may not have been observed.
            let isNew = max(since ?? 0, registry.consent.forgottenAt(domain)) > consentRevision
            if collected.allows(domain), since == nil || isNew { mayHoldUnsendable = true }
            if isNew || (!hasOrdered && since == nil) { dropped.set(domain, to: true) }
        }
        collected = held
        awaitSettling(at: now)
        suspended = collected.intersection(away.union(slipped))
        consentRevision = registry.consent.lastEntry
        let order = CollectionOrder(
            domains: collected.subtracting(suspended), suspended: suspended, dropped: dropped,
            consentRevision: consentRevision, scopes: scope)
        var scopes: [Scope] = []
        for domain in Domain.all { scopes.append(order.scope(of: domain)) }
        guard lastScopes != scopes || (collected, suspended) != before || !dropped.isEmpty else { return }
        lastScopes = scopes
        collect(order, now)
    }

    /// The scope that the wearer agreed to of the domain's permission.
    private func scope(of domain: Domain) -> Scope {
        guard case .agreed(let scope, _) = registry.consent.state.answer(to: domain.permission) else { return [] }
        return scope
    }

    /// The domains whose devices are absent, whether or not the trail has it yet, and those that this version does not
    /// collect: what another version holds of them stays.
    private var away: DomainSet {
        var away = registry.consent.state.suspended
        for domain in registry.domains where !domain.isCollected { away.set(domain, to: true) }
        for loss in unrecorded where loss.obstacle == .absent { away.set(loss.domain, to: true) }
        return away
    }

    /// The entry of the trail since which sensing may hold data of the domain; nil when it may hold none.
    ///
    /// A domain that settles is held on. It is not opened again by that, as when the wall clock was set back; except by
    /// the first order, because it may have been flicked off just before this program began.
    private func heldSince(_ domain: Domain, at time: WallTime) -> ConsentEntry.ID? {
        let consent = registry.consent
        let isForbidden = registry.policy.forbidden.allows(domain)
        let state = consent.state
        let isUsable = state.status(of: domain).allowsCollection || state.isSuspended(domain)
        guard isUsable || !domain.isCollected, !isForbidden, !isTakenAway(domain) else { return nil }
        let maySettle = collected.allows(domain) || !hasOrdered
        return maySettle ? consent.heldSince(domain, at: time) : consent.onSince(domain)
    }

    private func awaitSettling(at now: Instant) {
        settlesAt = nil
        for domain in Domain.all where collected.allows(domain) {
            guard let wait = registry.consent.settling(domain, at: now.wall) else { continue }
            settlesAt = min(settlesAt ?? now.boot + wait, now.boot + wait)
        }
    }

    private func dropUnsendable(at now: Instant) {
        guard mayHoldUnsendable, registry.isKnown else { return }
        let isDone = attempt { () throws(LedgerError) in
            try registry.ledger.dropUnsendable(at: now.wall, forbidden: registry.policy.forbidden)
        }
        // The store cannot decide for a trail that is not trusted.
        if isDone { mayHoldUnsendable = !registry.consent.isTrusted }
    }
}

// MARK: - The store

extension ConsentKeeper {
    /// Does `work` on the store. Returns whether it succeeded; the first error is kept in `refusal`.
    @discardableResult private func attempt<Result>(_ work: () throws(LedgerError) -> Result) -> Bool {
        do throws(LedgerError) {
            _ = try work()
            return true
        } catch {
            refusal = refusal ?? error
            return false
        }
    }

    private func judgeStore(at now: Instant) {
        if let refusal {
            if storeRetry.due == nil {
                journal.log(.error, .storeFailed, "\(refusal); until then nothing more is collected than before")
            }
            storeRetry.failed(at: now.boot)
        } else if storeRetry.due != nil {
            journal.log(.notice, .storeRecovered, "what the wearer allows can be read and written again")
            storeRetry.succeeded()
        }
    }
}
