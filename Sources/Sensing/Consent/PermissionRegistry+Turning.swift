import Domains
import Store
import Core

extension PermissionRegistry {
    /// Turns a toggle: applies the config, checks the hardware when turning on, and asks the wearer if needed, at most
    /// once (SPEC §2 rules 1 and 2). If it throws after the question, the answer may be lost; earlier records stay.
    ///
    /// `time` is evaluated for each entry, because a question may stay on the screen for long. `ask` asks for the
    /// permission on behalf of the domain; it returns nil if no question can be asked, `notAsked` if it was left open.
    public func turn(
        _ domain: Domain, on isOn: Bool, at time: @autoclosure () -> WallTime,
        ask: (Permission, Domain) -> Answer?
    ) throws(LedgerError) -> TurnOutcome {
        try refresh()
        try applyPolicy(at: time())
        guard consent.state.toggles.allows(domain) != isOn else { return .already }
        if !isOn {
            let outcome = try record([.turn(domain, on: false)], at: time())
            return outcome.entries.isEmpty ? .already : .changed(note: nil)
        }
        let device = look(at: domain, in: consent.state)
        let tried = try record(
            found(device, domain) + [.turn(domain, on: true)], because: losses(device, domain), at: time())
        guard let permission = tried.question else { return outcome(of: tried, domain, device) }
        let answer = ask(permission, domain)
        switch answer {
        case nil: return .cannotAsk(permission)
        case .notAsked: return .leftOpen
        case .declined:
            try record([.reply(domain, .declined)], at: time())
            return .declined
        case .agreed(let scope, let offered)?:
            let reply = Answer.agreed(scope, offered: offered)
            return outcome(of: try record([.reply(domain, reply)], at: time()), domain, device)
        }
    }

    private func outcome(of change: ConsentOutcome, _ domain: Domain, _ device: DeviceStatus?) -> TurnOutcome {
        if change.turnedOn(domain) { return .changed(note: device?.reason) }
        let state = change.snapshot.state
        let status = state.status(of: domain)
        // Another process turned it on meanwhile; or the reply left the question open, and it is not asked again.
        if status.allowsCollection { return .already }
        if status == .notDetermined { return .leftOpen }
        let why = explanation(of: domain, in: state, device)
        return .refused(status, reason: why.reason ?? status.description, advice: why.advice)
    }
}

extension ConsentOutcome {
    /// The permission to ask the wearer for; nil if there is no question.
    fileprivate var question: Permission? {
        for case .ask(let permission, _) in effects { return permission }
        return nil
    }

    fileprivate func turnedOn(_ domain: Domain) -> Bool {
        entries.contains { $0.change == .toggle(domain, from: false, to: true) }
    }
}

/// The outcome of turning a toggle.
public enum TurnOutcome: Equatable, Sendable {
    /// It was turned. The note, one line, is the reason why the hardware cannot be used now; it is tried again.
    case changed(note: String?)
    /// It already had the position.
    case already
    /// The wearer was asked and declined; it stays off.
    case declined
    /// The wearer was asked and left the question open; it stays off, and the next turn asks again.
    case leftOpen
    /// The wearer must be asked for this permission, but no question can be asked here; it stays off.
    case cannotAsk(Permission)
    /// The status does not allow it, and no question was asked; it stays off. Has the reason and the advice.
    case refused(PermissionStatus, reason: String, advice: String)
}
