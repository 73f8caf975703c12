/// One change of consent: an entry of the consent trail, without its time and actor (SPEC §2 rule 7).
public enum ConsentChange: Equatable, Sendable {
    case toggle(Domain, from: Bool, to: Bool)
    case answer(Permission, from: Answer, to: Answer)
    case obstacle(Domain, from: Obstacle?, to: Obstacle?)
    /// All data of the domain is deleted.
    case forgotten(Domain)
    /// A part of the domain, such as a kind of alarms, is turned on or off: `Domain.nameOfPart` has its name. It only
    /// selects within an enabled domain, so it changes nothing else here.
    case part(UInt8, of: Domain, from: Bool, to: Bool)
    /// A change of another version of this program, of an unknown domain, permission or kind. It stays in the trail and
    /// changes nothing else.
    case unknown
}

/// An event that may change consent.
public enum ConsentEvent: Equatable, Sendable {
    /// The wearer turns a toggle.
    case turn(Domain, on: Bool)
    /// The wearer's reply to the question that followed turning on the domain. `notAsked` if the question was left
    /// open.
    case reply(Domain, Answer)
    /// The wearer changes an answer without being asked: `declined` withdraws it, `notAsked` lets the question be
    /// asked again.
    case decide(Permission, Answer)
    /// The wearer's agreement to more of the domain's permission than before. Earlier agreement stays.
    case widen(Domain, Answer)
    /// The wearer reduces the agreement to the least scope of the domain.
    case narrow(Domain)
    /// The wearer has a domain's data deleted.
    case forget(Domain)
    /// The administrator's config answers for these permissions, and for no others.
    case granted([Permission])
    /// The administrator's config forbids these domains, and no others.
    case forbidden(DomainSet)
    /// The result of checking the domain's hardware or service: nil if it can be used.
    case found(Domain, Obstacle?)
}

/// An effect of an event.
public enum ConsentEffect: Equatable, Sendable {
    /// To be added to the trail, in this order, all or none.
    case record(ConsentChange, by: ConsentActor)
    /// The wearer is to be asked, once; the answer comes back as `ConsentEvent.reply` with the same domain.
    case ask(Permission, for: Domain)
    /// No question applies, and the toggle stays off: explain what to do instead.
    case explain(Domain, PermissionStatus)
}
