import Consent
import Domains
import Quantities

/// A domain whose data is made by a collector of its own, and the collector.
struct CollectedDomain: Sendable {
    let domain: Domain
    var collector: any Collector
    private let type: CollectorType
    private let settings: DomainValues

    /// Nil for a domain that is not collected, or by the session itself.
    init?(_ domain: Domain, _ settings: DomainValues) {
        guard domain.isCollected, let type = domain.collector else { return nil }
        self.domain = domain
        self.type = type
        self.settings = settings
        collector = type.make(settings)
    }

    /// Its part of the checkpoint.
    var part: Parts.Kind { Self.part(of: domain, type) }

    mutating func forget() { collector = type.make(settings) }

    /// Tags from 0x100 on belong to collectors, by the id of the domain.
    static func part(of domain: Domain, _ type: CollectorType) -> Parts.Kind {
        Parts.Kind(0x100 + Parts.Tag(domain.id), version: type.stateVersion)
    }
}

extension SensingSession {
    /// Tells the collectors of the domains that are collected, and carries out what they want.
    mutating func tell(_ input: CollectorInput, _ domains: DomainSet = .everything, at now: Instant) -> [SensingAction]
    {
        var actions: [SensingAction] = []
        for index in collectors.indices where allowed.intersection(domains).allows(collectors[index].domain) {
            for effect in collectors[index].collector.handle(input, at: now) {
                actions += carryOut(effect, of: collectors[index].domain, at: now)
            }
        }
        return actions
    }

    /// A figure or an event of another domain is not the collector's to make, and is left out.
    private mutating func carryOut(_ effect: CollectorEffect, of domain: Domain, at now: Instant) -> [SensingAction] {
        switch effect {
        case .observe(let figure):
            guard domain.figures.contains(figure) else { return [] }
            daybook.observe(figure, at: now.wall)
        case .add(let amount, let figure, let day):
            guard domain.figures.contains(figure) else { return [] }
            daybook.add(amount, to: figure, on: day)
            unsaved = max(unsaved, .stillness)
        case .raise(let kind, let thresholdMinutes):
            guard domain.events.contains(kind) else { return [] }
            unsaved = .urgent
            return [.raise(NudgeEvent(kind: kind, at: now.wall, thresholdMinutes: thresholdMinutes))]
        }
        return []
    }

    /// Tells collectors that they begin, or that their scopes changed since the last order.
    mutating func beginCollecting(since before: CollectionOrder?, afresh: DomainSet, at now: Instant) -> [SensingAction]
    {
        guard let order else { return [] }
        var actions: [SensingAction] = []
        for domain in collectors.map(\.domain) where order.domains.allows(domain) {
            let isSame = before?.domains.allows(domain) == true && before?.scope(of: domain) == order.scope(of: domain)
            if isSame, !afresh.allows(domain) { continue }
            actions += tell(.began(order.scope(of: domain)), DomainSet(domain), at: now)
        }
        return actions
    }

    /// Drops what the collectors of these domains hold.
    mutating func forgetCollected(_ domains: DomainSet) {
        for index in collectors.indices where domains.allows(collectors[index].domain) {
            collectors[index].forget()
            if daybook.drop(collectors[index].domain) { unsaved = .urgent }
        }
    }

    /// Wakes the collectors whose time has come.
    mutating func wakeCollectors(at now: Instant) -> [SensingAction] {
        var actions: [SensingAction] = []
        for member in collectors where member.collector.agenda(at: now).map({ $0 <= now.boot }) ?? false {
            actions += tell(.woke, DomainSet(member.domain), at: now)
        }
        return actions
    }

    /// When the first collector is to be woken.
    func collectorWake(at now: Instant) -> BootTime? {
        var earliest: BootTime?
        for member in collectors where allowed.allows(member.domain) {
            guard let time = member.collector.agenda(at: now) else { continue }
            earliest = min(earliest ?? time, time)
        }
        return earliest
    }
}
