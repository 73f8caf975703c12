import Config
import Domains
import Store
import Core

/// Combines the wearer's answers, the administrator's config and the state of the hardware for each domain, and records
/// changes in the store's consent trail (SPEC §2). The daemon and the command each have one over the same store.
///
/// A call that throws a `LedgerError` has changed nothing in the store, unless its comment says otherwise.
public final class PermissionRegistry {
    public let ledger: Ledger
    public let policy: Settings.Consent
    /// Called with every act that this registry made, or found when it read the store anew.
    public var onChange: (ConsentAct) -> Void = { _ in }
    /// The stored snapshot as it was last read: empty, with everything off, before the first time.
    public private(set) var consent = ConsentSnapshot()
    /// Whether the store was ever read.
    public private(set) var isKnown = false

    private let handlers: [any PermissionHandler]
    /// By handler: the wait before a failed look is repeated.
    private var nextLooks: [Retry]
    /// By handler: when a suspended domain's device is looked for again.
    private var nextSearches: [Retry]

    /// - Parameter handlers: one for each domain, in any order.
    public init(ledger: Ledger, handlers: [any PermissionHandler], policy: Settings.Consent) {
        self.ledger = ledger
        self.handlers = handlers
        self.policy = policy
        nextLooks = [Retry](repeating: Retry(), count: handlers.count)
        nextSearches = nextLooks
    }

    public func handler(for domain: Domain) -> any PermissionHandler {
        for handler in handlers where handler.domain == domain { return handler }
        preconditionFailure("every domain has a handler")
    }

    /// The domains as their handlers have them, in the order of `Domain.all`.
    public var domains: [Domain] { Domain.all.map { handler(for: $0).domain } }

    /// The status by the snapshot as last read; `unknown` before the first time.
    public func status(of domain: Domain) -> PermissionStatus {
        isKnown ? consent.state.status(of: domain) : .unknown
    }

    /// Reads the store anew, publishes and returns the acts that were added since the last time; none at the first.
    ///
    /// When the acts cannot be read, the snapshot nevertheless is the new one.
    @discardableResult public func refresh() throws(LedgerError) -> [ConsentAct] {
        try follow(try ledger.consent())
    }

    /// Enters new grants and prohibitions of the config into the trail.
    public func applyPolicy(at time: WallTime) throws(LedgerError) {
        try record([.granted(policy.granted), .forbidden(policy.forbidden)], at: time)
    }

    /// Takes an answer that the wearer gives without a question. Returns whether that changed the state.
    public func decide(
        _ permission: Permission, _ answer: Answer, at time: WallTime
    ) throws(LedgerError) -> Bool {
        let events: [ConsentEvent] = [
            .decide(permission, answer), .granted(policy.granted), .forbidden(policy.forbidden),
        ]
        return try !record(events, at: time).entries.isEmpty
    }

    /// Enters losses into the trail. A device that the kernel refuses takes the toggles of its domains with it; an absent one
    /// suspends them.
    public func record(_ losses: [DeviceLoss], at time: WallTime) throws(LedgerError) {
        try record(losses.map { .found($0.domain, $0.obstacle) }, because: losses, at: time)
    }

    /// Enters into the trail that the devices of these domains can be used again.
    public func recordReturn(of domains: [Domain], at time: WallTime) throws(LedgerError) {
        try record(domains.map { .found($0, nil) }, at: time)
    }

    /// Hands events to the state machine over the store, and publishes what that recorded.
    ///
    /// - Parameter losses: the known losses behind the obstacles among the events.
    @discardableResult func record(
        _ events: [ConsentEvent], because losses: [DeviceLoss] = [], at time: WallTime
    ) throws(LedgerError) -> ConsentOutcome {
        if !isKnown { try refresh() }
        let outcome = try ledger.change(events, at: time)
        let isAlone = outcome.snapshot.lastEntry - consent.lastEntry == Int64(outcome.entries.count)
        do throws(LedgerError) {
            try follow(outcome.snapshot, added: isAlone ? outcome.entries : nil, because: losses)
        } catch {
            // The change is recorded all the same. Other processes' entries cannot be read, so only this call's part is
            // published.
            publish(ConsentAct.acts(in: outcome.entries, because: losses))
        }
        return outcome
    }

    /// - Parameter added: the entries since the last time, where they are known without reading the trail.
    @discardableResult private func follow(
        _ snapshot: ConsentSnapshot, added: [ConsentEntry]? = nil, because losses: [DeviceLoss] = []
    ) throws(LedgerError) -> [ConsentAct] {
        let before = consent
        let wasKnown = isKnown
        consent = snapshot
        isKnown = true
        guard wasKnown, snapshot.lastEntry > before.lastEntry else { return [] }
        let entries: [ConsentEntry]
        if let added { entries = added } else { entries = try ledger.trail(after: before.lastEntry) }
        // Another process may have added more since the snapshot was read.
        let acts = ConsentAct.acts(
            in: entries.filter { $0.id <= snapshot.lastEntry }, following: before.state, because: losses)
        publish(acts)
        return acts
    }

    private func publish(_ acts: [ConsentAct]) {
        for act in acts { onChange(act) }
    }
}

// MARK: - Looking at the hardware

extension PermissionRegistry {
    /// When `lookAgain` or `lookForReturned` has something to do; nil while no look has failed and no domain is suspended.
    public var nextLook: BootTime? { (nextLooks + nextSearches).compactMap(\.due).min() }

    /// Looks for the devices of suspended domains, at the hardware itself: after a minute, and after twice as long each time,
    /// up to an hour; at once when one of their nodes changed.
    /// - Returns: The domains whose devices can be used again. Enters nothing into the trail.
    public func lookForReturned(_ suspended: DomainSet, nodesChanged: Bool, at now: BootTime) -> [Domain] {
        var returned: [Domain] = []
        for (index, handler) in handlers.enumerated() {
            guard suspended.allows(handler.domain) else {
                nextSearches[index].succeeded()
                continue
            }
            if nextSearches[index].due == nil { nextSearches[index].failed(at: now) }
            guard nodesChanged || nextSearches[index].isDue(at: now) else { continue }
            if handler.requestAccess() == .ready {
                nextSearches[index].succeeded()
                returned.append(handler.domain)
            } else {
                nextSearches[index].failed(at: now)
            }
        }
        return returned
    }

    /// Looks at the nodes of those of `domains` that this version collects; returns which of them are lost. Enters nothing
    /// into the trail. A busy or failing device is not lost, and is looked at again later.
    public func lookAtNodes(of domains: DomainSet, at now: BootTime) -> [DeviceLoss] {
        var losses: [DeviceLoss] = []
        for (index, handler) in handlers.enumerated()
        where domains.allows(handler.domain) && handler.domain.isCollected {
            note(handler.currentStatus, of: index, at: now, &losses)
        }
        return losses
    }

    /// Looks again, at the hardware itself, where a look failed and the wait is over, and forgets the others that are
    /// not in `domains`. Otherwise as `lookAtNodes`.
    public func lookAgain(at domains: DomainSet, now: BootTime) -> [DeviceLoss] {
        var losses: [DeviceLoss] = []
        for (index, handler) in handlers.enumerated() {
            if !domains.allows(handler.domain) {
                nextLooks[index].succeeded()
            } else if nextLooks[index].isDue(at: now) {
                note(handler.requestAccess(), of: index, at: now, &losses)
            }
        }
        return losses
    }

    private func note(_ status: DeviceStatus, of index: Int, at now: BootTime, _ losses: inout [DeviceLoss]) {
        switch status {
        case .ready: nextLooks[index].succeeded()
        case .failing: nextLooks[index].failed(at: now)
        case .blocked(let obstacle, let reason):
            nextLooks[index].succeeded()
            let hint = handlers[index].settingsHint(for: obstacle.status, reason: reason)
            losses.append(
                DeviceLoss(domain: handlers[index].domain, obstacle: obstacle, reason: "\(reason); \(hint)"))
        }
    }
}
