/// The present consent: the toggles, the answers behind them, and the obstacles (SPEC §2).
///
/// The consent trail is the list of all changes that led to the state; `apply` folds it. To change the state, the
/// caller passes an event to `handle` and carries out the effects. It has no clock, no store and no terminal.
///
/// A domain's status follows from its obstacle, then from the answer to its permission. A domain that this version does
/// not collect is not asked about; its stored toggle and answer stay for a version that collects it.
///
/// | obstacle | answer | status |
/// |---|---|---|
/// | forbidden | any | `restricted` |
/// | any other or none, when this version does not collect the domain | any | `unsupported` |
/// | absent | any | `unsupported` |
/// | refused | any | `denied` |
/// | none | never asked | `notDetermined` |
/// | none | agreed to all that was offered and is still collected | `authorized` |
/// | none | agreed to less, with this domain | `limited` |
/// | none | agreed to less, without this domain | `denied` |
/// | none | agreed, when this domain was not offered | `notDetermined` |
/// | none | declined | `denied` |
///
/// Only a decision ends consent: the wearer's, the administrator's, or that of the owner of the kernel's permissions.
/// If such a decision no longer allows a toggle, the toggle goes off in the same step, by the actor who decided. An
/// absent device only suspends its domain: the toggle stays on, and collection resumes once the device is back. Only
/// `turn` and `reply` turn a toggle on.
///
/// The effect of an event, by the status of its domain:
///
/// | event | `notDetermined` | `authorized`, `limited` | `denied`, `restricted`, `unsupported` |
/// |---|---|---|---|
/// | turn on | ask; stays off | on | explain; stays off |
/// | turn off | – | off | – |
/// | reply: agreed | answer recorded; on where the scope has the domain, else explain | on | explain |
/// | reply: declined | answer recorded; stays off | answer recorded | answer recorded |
/// | reply: left open | – | – | – |
/// | reply, where the domain was not offered before | agreement is added to the earlier one; a no is a no to the new alone | | |
/// | widen: agreed, after agreement to a part | added to the earlier one; no toggle is turned | the same | the same where no obstacle is the reason, else – |
/// | widen: declined or left open | – | – | – |
/// | narrow, after agreement to the domain | – | the least of it recorded; no toggle is turned | the same |
/// | decide | answer recorded | answer recorded | answer recorded |
/// | forget | recorded | recorded | recorded |
/// | granted | agreed wholly, by the administrator | – | – |
/// | granted no more | – | never asked, where it was the administrator who had agreed | the same |
/// | forbidden | `restricted` | `restricted` | `restricted` |
/// | forbidden no more | – | – | from `restricted` to what the answer says |
/// | found an obstacle | `unsupported` or `denied` | `unsupported` or `denied` | the new one; not from `restricted` |
/// | found none | – | – | to what the answer says; not from `restricted` |
public struct ConsentState: Equatable, Sendable {
    public private(set) var toggles: DomainSet = []
    /// By permission: the answer, and who gave it.
    private var answers = ByID(usual: Answer.notAsked)
    private var answeredBy = ByID(usual: ConsentActor.wearer)
    /// By domain.
    private var obstacles = ByID<Obstacle?>(usual: nil)

    public init() {}

    public func answer(to permission: Permission) -> Answer {
        answers[permission.id]
    }

    /// The actor who gave the answer; the wearer if there is none yet.
    public func answeredBy(_ permission: Permission) -> ConsentActor {
        answeredBy[permission.id]
    }

    public func obstacle(to domain: Domain) -> Obstacle? { obstacles[domain.id] }

    /// The status of a domain. Never `unknown`, which is for callers without a state.
    public func status(of domain: Domain) -> PermissionStatus {
        let obstacle = obstacle(to: domain)
        if !domain.isCollected, obstacle != .forbidden { return .unsupported }
        return obstacle?.status ?? answeredStatus(of: domain)
    }

    /// The status from the answer alone.
    private func answeredStatus(of domain: Domain) -> PermissionStatus {
        answer(to: domain.permission).status(of: domain, offering: domain.permission.offeredScope)
    }

    /// Whether the answer behind a domain covers these of `Scope.extras`. The administrator's covers what the config asks for.
    public func covers(_ extras: Scope, of domain: Domain) -> Bool {
        answeredBy(domain.permission) == .administrator
            || answer(to: domain.permission).agreement.isSuperset(of: extras)
    }

    /// Whether the toggle is on and only an absent device keeps the domain from being collected.
    public func isSuspended(_ domain: Domain) -> Bool {
        toggles.allows(domain) && domain.isCollected && obstacle(to: domain) == .absent
    }

    /// Every suspended domain.
    public var suspended: DomainSet {
        var suspended = DomainSet()
        for domain in Domain.all where isSuspended(domain) { suspended.set(domain, to: true) }
        return suspended
    }

    /// The domains for which this one waits: it needs them, and they are off, suspended, or waiting. Empty while it is
    /// off or cannot be collected for another reason.
    public func awaited(by domain: Domain) -> [Domain] {
        guard toggles.allows(domain), status(of: domain).allowsCollection else { return [] }
        return domain.needs.filter { needed in
            !toggles.allows(needed) || !status(of: needed).allowsCollection || !awaited(by: needed).isEmpty
        }
    }

    /// Takes one entry of the trail.
    public mutating func apply(_ change: ConsentChange, by actor: ConsentActor) {
        switch change {
        case .toggle(let domain, _, let isOn): toggles.set(domain, to: isOn)
        case .answer(let permission, _, let answer):
            answers[permission.id] = answer
            answeredBy[permission.id] = actor
        case .obstacle(let domain, _, let obstacle): obstacles[domain.id] = obstacle
        default: break
        }
    }

    /// Takes one event and returns its effects; changes to be recorded have been applied already.
    public mutating func handle(_ event: ConsentEvent) -> [ConsentEffect] {
        var effects: [ConsentEffect] = []
        switch event {
        case .turn(let domain, true): turnOn(domain, &effects)
        case .turn(let domain, false): turnOff(domain, by: .wearer, &effects)
        case .reply(let domain, let answer): take(answer, for: domain, &effects)
        case .decide(let permission, let answer): set(answer, to: permission, by: .wearer, &effects)
        case .widen(let domain, let answer): widen(answer, for: domain, &effects)
        case .narrow(let domain): narrow(domain, &effects)
        case .forget(let domain): record(.forgotten(domain), by: .wearer, &effects)
        case .granted(let permissions): grant(permissions, &effects)
        case .forbidden(let domains): forbid(domains, &effects)
        case .found(let domain, let obstacle):
            if self.obstacle(to: domain) != .forbidden { set(obstacle, to: domain, by: .kernel, &effects) }
        }
        return effects
    }
}

// MARK: - Transitions

extension ConsentState {
    private mutating func turnOn(_ domain: Domain, _ effects: inout [ConsentEffect]) {
        let status = status(of: domain)
        switch status {
        case .authorized, .limited:
            if !toggles.allows(domain) { record(.toggle(domain, from: false, to: true), by: .wearer, &effects) }
        case .notDetermined: effects.append(.ask(domain.permission, for: domain))
        case .denied, .restricted, .unsupported, .unknown: effects.append(.explain(domain, status))
        }
    }

    private mutating func turnOff(_ domain: Domain, by actor: ConsentActor, _ effects: inout [ConsentEffect]) {
        if toggles.allows(domain) { record(.toggle(domain, from: true, to: false), by: actor, &effects) }
    }

    /// Since the question was asked, another process may have answered, or an obstacle may have appeared, so the
    /// present state decides. A no always counts.
    private mutating func take(_ answer: Answer, for domain: Domain, _ effects: inout [ConsentEffect]) {
        let earlier = self.answer(to: domain.permission)
        if case .agreed(let scope, let offered) = earlier, answer != .notAsked, status(of: domain) == .notDetermined {
            return take(answer, for: domain, addingTo: scope, offered, &effects)
        }
        switch answer {
        case .notAsked: return
        case .declined: set(.declined, to: domain.permission, by: .wearer, &effects)
        case .agreed:
            if status(of: domain) == .notDetermined { set(answer, to: domain.permission, by: .wearer, &effects) }
            if status(of: domain) != .notDetermined { turnOn(domain, &effects) }
        }
    }

    /// Takes the reply to a repeated question, asked because more is offered now. Earlier agreement stands, whatever
    /// the reply.
    private mutating func take(
        _ reply: Answer, for domain: Domain, addingTo scope: Scope, _ offered: Scope, _ effects: inout [ConsentEffect]
    ) {
        let permission = domain.permission
        guard reply.answers(permission) else { return }
        var wider = scope
        if case .agreed(let more, _) = reply { wider.formUnion(more) }
        let offer = permission.offeredScope.union(domain.wholeScope)
        let answer = Answer.agreed(wider, offered: offered.union(reply.offered).union(offer))
        record(.answer(permission, from: self.answer(to: permission), to: answer), by: .wearer, &effects)
        if case .agreed = reply { turnOn(domain, &effects) }
    }

    /// The present state decides, as in `take`: agreement may have been withdrawn while the question was open.
    private mutating func widen(_ reply: Answer, for domain: Domain, _ effects: inout [ConsentEffect]) {
        let permission = domain.permission
        guard case .agreed(let scope, let offered) = answer(to: permission), case .agreed(let more, let offer) = reply,
            reply.answers(permission), domain.isCollected, obstacle(to: domain) == nil
        else { return }
        set(.agreed(scope.union(more), offered: offered.union(offer)), to: permission, by: .wearer, &effects)
    }

    private mutating func narrow(_ domain: Domain, _ effects: inout [ConsentEffect]) {
        guard case .agreed(let scope, let offered) = answer(to: domain.permission),
            scope.isSuperset(of: domain.leastScope)
        else { return }
        let least = scope.subtracting(domain.wholeScope).union(domain.leastScope)
        set(.agreed(least, offered: offered), to: domain.permission, by: .wearer, &effects)
    }

    private mutating func grant(_ permissions: [Permission], _ effects: inout [ConsentEffect]) {
        for permission in Permission.all {
            let isAnswered = answer(to: permission) != .notAsked
            if permissions.contains(permission) {
                let isOutgrown =
                    answeredBy(permission) == .administrator
                    && !answer(to: permission).offered.isSuperset(of: permission.offeredScope)
                if !isAnswered || isOutgrown {
                    set(.agreedWholly(to: permission), to: permission, by: .administrator, &effects)
                }
            } else if isAnswered, answeredBy(permission) == .administrator {
                set(.notAsked, to: permission, by: .administrator, &effects)
            }
        }
    }

    private mutating func forbid(_ domains: DomainSet, _ effects: inout [ConsentEffect]) {
        for domain in Domain.all {
            let isForbidden = obstacle(to: domain) == .forbidden
            guard domains.allows(domain) != isForbidden else { continue }
            set(isForbidden ? nil : .forbidden, to: domain, by: .administrator, &effects)
        }
    }

    private mutating func set(
        _ answer: Answer, to permission: Permission, by actor: ConsentActor, _ effects: inout [ConsentEffect]
    ) {
        let before = self.answer(to: permission)
        guard answer != before, answer.answers(permission) else { return }
        record(.answer(permission, from: before, to: answer), by: actor, &effects)
        for domain in Domain.all where domain.permission == permission {
            turnOffUnlessCarried(domain, by: actor, &effects)
        }
    }

    private mutating func set(
        _ obstacle: Obstacle?, to domain: Domain, by actor: ConsentActor, _ effects: inout [ConsentEffect]
    ) {
        let before = self.obstacle(to: domain)
        guard obstacle != before else { return }
        record(.obstacle(domain, from: before, to: obstacle), by: actor, &effects)
        turnOffUnlessCarried(domain, by: actor, &effects)
    }

    private mutating func turnOffUnlessCarried(
        _ domain: Domain, by actor: ConsentActor, _ effects: inout [ConsentEffect]
    ) {
        let isDecidedAgainst = obstacle(to: domain).map { $0 != .absent } ?? false
        if isDecidedAgainst || !answeredStatus(of: domain).allowsCollection { turnOff(domain, by: actor, &effects) }
    }

    private mutating func record(_ change: ConsentChange, by actor: ConsentActor, _ effects: inout [ConsentEffect]) {
        apply(change, by: actor)
        effects.append(.record(change, by: actor))
    }
}
