import Commands
import Config
import Domains
import System
import Store
import Sensing
import Core

/// Turns toggles, and asks the wearer if needed.
struct ConsentFlow {
    let registry: PermissionRegistry
    let settings: Settings
    /// The prompt; nil if no question can be asked.
    let prompt: Prompt?

    init(registry: PermissionRegistry, settings: Settings, prompt: Prompt?) {
        self.registry = registry
        self.settings = settings
        self.prompt = prompt
    }

    /// For this machine and its terminal.
    init(_ installation: Installation) throws {
        self.init(
            registry: try installation.openRegistry(), settings: installation.settings, prompt: .terminal)
    }

    /// - Parameter agrees: whether the wearer agrees to all that the question offers.
    func turn(_ domain: Domain, on isOn: Bool, agrees: Bool = false) throws(LedgerError) -> ToggleOutcome {
        try turn(domain, on: isOn) { permission in
            answer(
                to: permission, about: offeredDomains(of: permission, besides: domain), alone: [domain], agrees: agrees)
        }
    }

    /// Asks about the part of the domain's permission that the wearer has not agreed to.
    ///
    /// - Parameter agrees: whether the wearer agrees to all of it.
    func expand(_ domain: Domain, agrees: Bool = false) throws(LedgerError) -> ScopeOutcome {
        let extras = extras(of: domain.permission)
        return try registry.expand(domain, besides: extras, at: Instant.now.wall) { permission, missing in
            let offered = offeredDomains(of: permission, besides: domain)
            let missed = offered.filter { !$0.wholeScope.isDisjoint(with: missing) }
            let domains = missed.isEmpty ? offered : missed
            return answer(to: permission, about: domains, alone: domains, agrees: agrees)
        }
    }

    /// Nil if no question can be asked.
    private func answer(to permission: Permission, about domains: [Domain], alone: [Domain], agrees: Bool) -> Answer? {
        let question = question(permission, about: domains, alone: alone)
        if agrees { return question.agreement(to: Scope(of: domains)) }
        return prompt.map { question.ask(in: $0) }
    }

    private func question(_ permission: Permission, about domains: [Domain], alone: [Domain]) -> ConsentQuestion {
        ConsentQuestion(
            permission: permission, domains: domains, alone: alone, settings: settings, agreed: agreed(to: permission))
    }

    private func collectedDomains(of permission: Permission) -> [Domain] {
        registry.domains.filter { $0.isCollected && $0.permission == permission }
    }

    /// Those of them that this device has: the wearer is not asked about what cannot be collected here (SPEC §1). A device
    /// that comes later brings another question.
    private func offeredDomains(of permission: Permission, besides asked: Domain) -> [Domain] {
        collectedDomains(of: permission).filter { domain in
            if domain == asked { return true }
            if case .blocked(.absent, _) = registry.handler(for: domain).requestAccess() { return false }
            return true
        }
    }

    /// The part of the stored agreement that is collected.
    private func agreed(to permission: Permission) -> Scope {
        registry.consent.state.answer(to: permission).agreement
            .intersection(Scope(of: collectedDomains(of: permission)).union(.extras))
    }

    /// What is sent besides the figures of the permission's domains, by the settings.
    private func extras(of permission: Permission) -> Scope { settings.extras(of: collectedDomains(of: permission)) }

    /// Whether the wearer agreed to the permission before the settings asked for more.
    private func lacksExtras(_ permission: Permission) -> Bool {
        let state = registry.consent.state
        guard case .agreed = state.answer(to: permission), let domain = permission.domains.first else { return false }
        return !state.covers(extras(of: permission), of: domain)
    }

    private func turn(
        _ domain: Domain, on isOn: Bool, ask: (Permission) -> Answer?
    ) throws(LedgerError) -> ToggleOutcome {
        let result = try registry.turn(domain, on: isOn, at: Instant.now.wall) { permission, _ in ask(permission) }
        return ToggleOutcome(domain, result, registry.consent, device: registry.handler(for: domain).device)
    }
}

// MARK: - The first run

extension ConsentFlow {
    /// The end of a first run.
    enum FirstRunEnd: Equatable {
        case complete
        /// The wearer stopped at the question about this permission.
        case left(at: Permission)
    }

    /// Goes through the permissions of all domains that this version collects and this device has, in the order of SPEC
    /// §2 rule 9, and asks about those without an answer. Each answer is stored before the next question, so it can
    /// stop anywhere and be repeated.
    func setUp(in prompt: Prompt) throws(LedgerError) -> FirstRunEnd {
        let reports = try registry.report(at: Instant.now.wall).filter(\.domain.isCollected)
        let parts = Permission.all.map { permission in reports.filter { $0.domain.permission == permission } }
        let present = parts.filter { part in part.contains { $0.isOn || $0.status != .unsupported } }
        for (index, part) in present.enumerated() {
            prompt.say("\n\(index + 1) of \(present.count)")
            guard let open = part.first(where: { $0.status == .notDetermined }) else {
                say(part, in: prompt)
                if let domain = part.first(where: \.status.allowsCollection)?.domain, lacksExtras(domain.permission),
                    try expand(domain) == .leftOpen
                {
                    return .left(at: domain.permission)
                }
                continue
            }
            let permission = open.domain.permission
            guard try ask(permission, for: open.domain, in: prompt) else { return .left(at: permission) }
        }
        let absent = parts.filter { part in !part.isEmpty && !present.contains { $0[0].domain == part[0].domain } }
        if !absent.isEmpty { prompt.say("") }
        for part in absent { say(part, in: prompt) }
        return .complete
    }

    private func say(_ part: [PermissionReport], in prompt: Prompt) {
        for line in wrapped(ConsentFlow.text(of: part), to: 79) { prompt.say(line) }
    }

    /// The unanswered permissions that could be answered now, each with the first domain that needs it.
    func openQuestions() throws(LedgerError) -> [(permission: Permission, domain: Domain)] {
        let open = try registry.report(at: Instant.now.wall).filter { $0.status == .notDetermined }.map(\.domain)
        return Permission.all.compactMap { permission in
            open.first { $0.permission == permission }.map { (permission, $0) }
        }
    }

    /// Asks, and turns on the domains that the wearer agreed to. Returns false if the question was left open.
    private func ask(
        _ permission: Permission, for domain: Domain, in prompt: Prompt
    ) throws(LedgerError) -> Bool {
        var answer = Answer.notAsked
        let domains = offeredDomains(of: permission, besides: domain)
        let first = try turn(domain, on: true) { permission in
            answer = question(permission, about: domains, alone: domains).ask(in: prompt)
            return answer
        }
        if first.result == .leftOpen { return false }
        guard case .agreed(let scope, _) = answer else {
            prompt.say(first.text)
            return true
        }
        for other in domains where scope.isSuperset(of: other.leastScope) {
            let outcome = other == domain ? first : try turn(other, on: true)
            prompt.say(outcome.text)
            if outcome.isOn { try other.page.setUp(registry.ledger, prompt) }
        }
        return true
    }

    /// The state, as text, of a permission that is not asked about.
    private static func text(of standing: [PermissionReport]) -> String {
        let parts = standing.map { report in
            let toggle = "\(report.domain) is \(report.isOn ? "on" : "off") (\(report.status))"
            let why = [report.reason ?? "", report.isOn ? "" : report.advice ?? ""].filter { !$0.isEmpty }
            return ([toggle] + why).joined(separator: "; ")
        }
        return escapingControls(parts.joined(separator: ". "))
    }
}
