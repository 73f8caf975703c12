import Config
import Domains
import Store
import Core

/// Combines the wearer's answers, the administrator's config and the state of the hardware for each domain, and records
/// changes in the store's consent trail (SPEC §2). The daemon and the command each have one, for the same store.
///
/// A call that throws a `LedgerError` has changed nothing in the store, unless its comment says otherwise.
public final class PermissionRegistry {
    public let ledger: Ledger
    public let policy: Settings.Consent
    /// Called with every act that this registry recorded, or found when it read the store again.
    public var onChange: (ConsentAct) -> Void = { _ in }
    /// The stored snapshot as last read; before the first read empty, with everything off.
    public private(set) var consent = ConsentSnapshot()
    /// Whether the store was ever read.
    public private(set) var isKnown = false

    private let handlers: [any PermissionHandler]
    /// By handler: the wait before a failed check is repeated.
    private var nextLooks: [Retry]
    /// By handler: the wait before the device of a suspended domain is looked for again.
    private var nextSearches: [Retry]

    /// `handlers` has one for each domain, in any order.
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

    /// The domains of the handlers, in the order of `Domain.all`.
    public var domains: [Domain] { Domain.all.map { handler(for: $0).domain } }

    /// The status by the snapshot as last read; `unknown` before the first read.
    public func status(of domain: Domain) -> PermissionStatus {
        isKnown ? consent.state.status(of: domain) : .unknown
    }

    /// Reads the store again, publishes and returns the acts added since the last read; none at the first read.
    ///
    /// If the acts cannot be read, the snapshot is updated nevertheless.
    @discardableResult public func refresh() throws(LedgerError) -> [ConsentAct] {
        try follow(try ledger.consent())
    }

    /// Records new grants and prohibitions of the config in the trail.
    public func applyPolicy(at time: WallTime) throws(LedgerError) {
        try record([.granted(policy.granted), .forbidden(policy.forbidden)], at: time)
    }

    /// Records an answer that the wearer gives without a question. Returns whether it changed the state.
    public func decide(
        _ permission: Permission, _ answer: Answer, at time: WallTime
    ) throws(LedgerError) -> Bool {
        let events: [ConsentEvent] = [
            .decide(permission, answer), .granted(policy.granted), .forbidden(policy.forbidden),
        ]
        return try !record(events, at: time).entries.isEmpty
    }

    /// Records losses in the trail. If the kernel refuses a device, the toggles of its domains go off; if a device is
    /// absent, its domains are suspended.
    public func record(_ losses: [DeviceLoss], at time: WallTime) throws(LedgerError) {
        try record(losses.map { .found($0.domain, $0.obstacle) }, because: losses, at: time)
    }

    /// Records in the trail that the devices of these domains can be used again.
    public func recordReturn(of domains: [Domain], at time: WallTime) throws(LedgerError) {
        try record(domains.map { .found($0, nil) }, at: time)
    }

    /// Passes events to the state machine of the store, and publishes the recorded acts. `losses` are the known losses
    /// behind obstacles among the events.
    @discardableResult func record(
        _ events: [ConsentEvent], because losses: [DeviceLoss] = [], at time: WallTime
    ) throws(LedgerError) -> ConsentOutcome {
        if !isKnown { try refresh() }
        let outcome = try ledger.change(events, at: time)
        let isAlone = outcome.snapshot.lastEntry - consent.lastEntry == Int64(outcome.entries.count)
        do throws(LedgerError) {
            try follow(outcome.snapshot, added: isAlone ? outcome.entries : nil, because: losses)
        } catch {
            // The change is recorded nevertheless. Entries of other processes cannot be read, so only those of this
            // call are published.
            publish(ConsentAct.acts(in: outcome.entries, because: losses))
        }
        return outcome
    }

    /// `added` are the entries since the last read, if they are known without reading the trail.
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

// MARK: - Checking the hardware

extension PermissionRegistry {
    /// The time at which `lookAgain` or `lookForReturned` is due; nil without failed checks and suspended domains.
    public var nextLook: BootTime? { (nextLooks + nextSearches).compactMap(\.due).min() }

    /// Looks for the devices of suspended domains, at the hardware itself: after a minute, then after twice as long
    /// each time, up to an hour; at once if `nodesChanged`. Returns the domains whose devices can be used again.
    /// Records nothing in the trail.
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

    /// Checks the nodes of those of `domains` that this version collects, and returns the losses. Records nothing in
    /// the trail. A busy or failing device is no loss, and is checked again later.
    public func lookAtNodes(of domains: DomainSet, at now: BootTime) -> [DeviceLoss] {
        var losses: [DeviceLoss] = []
        for (index, handler) in handlers.enumerated()
        where domains.allows(handler.domain) && handler.domain.isCollected {
            note(handler.currentStatus, of: index, at: now, &losses)
        }
        return losses
    }

    /// Repeats failed checks, at the hardware itself, when their wait is over, and cancels those outside `domains`.
    /// Otherwise like `lookAtNodes`.
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
