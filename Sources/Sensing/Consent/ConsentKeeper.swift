import Domains
import System
import Store
import Core

/// The daemon's part of consent: follows the store, the config and the device nodes, and orders sensing to collect the
/// allowed domains (SPEC §2 rules 3 to 6).
///
/// No call throws. While the store cannot be used, one line is logged, no new domain is collected, domains to stop are
/// stopped, and pending writes are made later.
public final class ConsentKeeper {
    /// The entry of the trail up to which the orders to sensing reflect it.
    public private(set) var consentRevision: ConsentEntry.ID = 0

    private let registry: PermissionRegistry
    private let journal: Journal
    private let collect: (CollectionOrder, Instant) -> Void
    /// The domains whose data may be held. No device is open for those also in `suspended`.
    private var collected: DomainSet = []
    private var suspended: DomainSet = []
    /// The earliest time at which the toggle of a collected domain, just turned off, has settled.
    private var settlesAt: BootTime?

    /// Whether sensing has its first order, which waits until the store can be read.
    private var hasOrdered: Bool { lastScopes != nil }
    /// By domain, the scope in the last order; nil before the first order.
    private var lastScopes: [Scope]?
    private var hasAppliedPolicy = false
    /// Whether the snapshot was trusted when the trail was last verified; nil before the first verification.
    private var verifiedAsTrusted: Bool?
    private var reported: [TrailReport.Finding] = []
    /// Losses that are not in the trail yet. Their domains stay closed.
    private var unrecorded: [DeviceLoss] = []
    /// Whether the outbox may hold records that must not be sent any more.
    private var mayHoldUnsendable = true
    /// The store's first error in the present call.
    private var refusal: LedgerError?
    private var storeRetry = Retry()

    /// Sets `onChange` of `registry`. `collect` passes an order to sensing, and must not call the keeper.
    public init(
        registry: PermissionRegistry, journal: Journal, collect: @escaping (CollectionOrder, Instant) -> Void
    ) {
        self.registry = registry
        self.journal = journal
        self.collect = collect
        registry.onChange = { journal.log($0) }
    }

    /// The time at which `lookAgain` is to be called, because a toggle has settled or an action is to be retried; nil
    /// if nothing is pending.
    public var nextWake: BootTime? {
        [settlesAt, storeRetry.due, registry.nextLook].compactMap { $0 }.min()
    }

    /// The nodes of the collected domains, each once.
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
    /// Applies the config, verifies the trail and gives the first order. Call it once, before anything else.
    ///
    /// `checkpoint` is the entry of the trail up to which the restored state of sensing reflects it; nil without such a
    /// state.
    public func begin(checkpoint: ConsentEntry.ID?, at now: Instant) {
        consentRevision = checkpoint ?? 0
        // A device that was missing before this start may be back.
        proceed(nodesChanged: true, at: now)
    }

    /// Reads the store and follows it. Call it after a signal, and at `nextWake`.
    public func lookAgain(at now: Instant) {
        proceed(registry.lookAgain(at: collected.subtracting(suspended), now: now.boot), at: now)
    }

    /// Checks the nodes of the collected domains, and looks for missing devices, after one of `watchedNodes` changed.
    public func nodesChanged(at now: Instant) {
        let losses = registry.lookAtNodes(of: collected.subtracting(suspended), at: now.boot)
        if !losses.isEmpty || !suspended.isEmpty { proceed(losses, nodesChanged: true, at: now) }
    }

    /// Stops the domains whose devices were lost, and records the losses in the trail.
    public func lost(_ losses: [DeviceLoss], at now: Instant) {
        if !losses.isEmpty { proceed(losses, at: now) }
    }
}

// MARK: - Effects

extension ConsentKeeper {
    /// Follows the store and `losses`, with at most one order, and at most one line about the store.
    ///
    /// `nodesChanged` has the devices of suspended domains looked for even before their wait is over.
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
                    "the consent trail is broken: \(finding); for all findings, run: anicca audit --verify")
            }
            verifiedAsTrusted = registry.consent.isTrusted
        }
    }

    private func note(_ losses: [DeviceLoss]) {
        for loss in losses where !isLost(loss.domain) { unrecorded.append(loss) }
    }

    private func isLost(_ domain: Domain) -> Bool { unrecorded.contains { $0.domain == domain } }

    /// Whether the kernel refuses the domain's device, and the trail has no entry of it yet.
    private func isTakenAway(_ domain: Domain) -> Bool {
        unrecorded.contains { $0.domain == domain && $0.obstacle != .absent }
    }

    private func recordLosses(at now: Instant) {
        guard !unrecorded.isEmpty else { return }
        let isRecorded = attempt { () throws(LedgerError) in try registry.record(unrecorded, at: now.wall) }
        if isRecorded { unrecorded = [] }
    }

    /// Records in the trail that these devices are back.
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
            // No device is opened for a toggle that is off. Its data may be held until the toggle has settled.
            let isOpen = before.0.subtracting(before.1).allows(domain)
            slipped.set(domain, to: since != nil && registry.consent.onSince(domain) == nil && !isOpen)
            // Held data was forgotten, or the domain was off in between, which may not have been observed.
            let isNew = max(since ?? 0, registry.consent.forgottenAt(domain)) > consentRevision
            if collected.allows(domain), since == nil || isNew { mayHoldUnsendable = true }
            if isNew || (!hasOrdered && since == nil) { dropped.set(domain, to: true) }
        }
        collected = held
        awaitSettling(at: now)
        consentRevision = registry.consent.lastEntry
        let closed = collected.intersection(away.union(slipped))
        var order = CollectionOrder(
            domains: collected.subtracting(closed), suspended: closed, dropped: dropped,
            consentRevision: consentRevision, scopes: scope)
        order.suspendWaiting(of: registry.domains)
        suspended = order.suspended
        var scopes: [Scope] = []
        for domain in Domain.all { scopes.append(order.scope(of: domain)) }
        guard lastScopes != scopes || (collected, suspended) != before || !dropped.isEmpty else { return }
        lastScopes = scopes
        collect(order, now)
    }

    /// The scope of the domain's permission to which the wearer agreed.
    private func scope(of domain: Domain) -> Scope {
        guard case .agreed(let scope, _) = registry.consent.state.answer(to: domain.permission) else { return [] }
        return scope
    }

    /// The domains whose devices are missing, whether or not the trail has it yet, and those that this version does not
    /// collect: data of another version stays.
    private var away: DomainSet {
        var away = registry.consent.state.suspended
        for domain in registry.domains where !domain.isCollected { away.set(domain, to: true) }
        for loss in unrecorded where loss.obstacle == .absent { away.set(loss.domain, to: true) }
        return away
    }

    /// The entry of the trail since which sensing may hold data of the domain; nil if it may hold none.
    ///
    /// A held domain that was turned off stays held until that has settled. The same makes no domain held again, as
    /// after the wall clock was set back, except in the first order: the toggle may have been turned off just before
    /// this start.
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
        // The store cannot decide while the trail is not trusted.
        if isDone { mayHoldUnsendable = !registry.consent.isTrusted }
    }
}

// MARK: - The store

extension ConsentKeeper {
    /// Runs `work` on the store. Returns whether it succeeded; keeps the first error in `refusal`.
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
                journal.log(
                    .error, .storeFailed, "\(refusal); until the store works again, no further domain is collected")
            }
            storeRetry.failed(at: now.boot)
        } else if storeRetry.due != nil {
            journal.log(.notice, .storeRecovered, "the consent trail can be read and written again")
            storeRetry.succeeded()
        }
    }
}
