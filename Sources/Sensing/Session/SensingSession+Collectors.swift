import Domains
import Core

/// A domain whose data is made by a collector, and the collector.
struct CollectedDomain: Sendable {
    let domain: Domain
    var collector: any Collector
    private let type: any Collector.Type
    private let settings: DomainValues

    /// Nil for a domain that this version does not collect.
    init?(_ domain: Domain, _ settings: DomainValues) {
        guard let type = domain.collector else { return nil }
        self.domain = domain
        self.type = type
        self.settings = settings
        collector = type.init(settings)
    }

    /// Its part of the checkpoint.
    var part: Parts.Kind { Self.part(of: domain, type) }

    /// The tag of a domain's part, whether or not this version collects it.
    static func tag(of domain: Domain) -> Parts.Tag { 0x100 + Parts.Tag(domain.id) }

    mutating func forget() { collector = type.init(settings) }

    /// Tags from 0x100 on belong to collectors, by the id of the domain.
    static func part(of domain: Domain, _ type: any Collector.Type) -> Parts.Kind {
        Parts.Kind(tag(of: domain), version: type.stateVersion)
    }
}

extension [CollectedDomain] {
    /// The domains that use this hardware.
    func domains(on hardware: Hardware) -> DomainSet {
        var domains = DomainSet()
        for member in self where member.domain.hardware == hardware { domains.set(member.domain, to: true) }
        return domains
    }
}

extension SensingSession {
    /// The needs of all collectors until the next event.
    var signals: CollectorSignals {
        var signals = CollectorSignals()
        let allowed = allowed
        // By index: copying every collector at each wake-up costs more than the rest.
        for index in collectors.indices where allowed.allows(collectors[index].domain) {
            signals.formUnion(collectors[index].collector.signals)
        }
        return signals
    }

    /// Whether immediate notice of movement is useful.
    public var watchesForMovement: Bool { signals.contains(.movement) }

    /// Passes the input to the collectors of the allowed domains.
    mutating func tell(_ input: CollectorInput, at now: Instant) -> [SensingAction] { tell(input, allowed, at: now) }

    /// Passes the input to the collectors of these domains, and carries out their effects.
    mutating func tell(_ input: CollectorInput, _ domains: DomainSet, at now: Instant) -> [SensingAction] {
        var actions: [SensingAction] = []
        for index in collectors.indices where domains.allows(collectors[index].domain) {
            for effect in collectors[index].collector.handle(input, at: now.boot) {
                actions += carryOut(effect, of: collectors[index].domain, at: now)
            }
        }
        return actions
    }

    /// A domain that waits for another is not told: what happens meanwhile is not collected. Neither are steps that
    /// still waited for a verdict when its own collection ended.
    private mutating func tellOthers(
        _ input: CollectorInput, than domain: Domain, at now: Instant
    ) -> [SensingAction] {
        tell(input, allowed.subtracting(DomainSet(domain)), at: now)
    }

    /// Ignores figures and events that do not belong to the collector's domain.
    private mutating func carryOut(_ effect: CollectorEffect, of domain: Domain, at now: Instant) -> [SensingAction] {
        switch effect {
        case .observe(let figure):
            guard domain.figures.contains(figure) else { return [] }
            daybook.observe(figure, at: now.boot)
        case .add(let amounts, let figure):
            guard domain.figures.contains(figure) else { return [] }
            daybook.add(amounts, to: figure)
            unsaved = max(unsaved, .stillness)
        case .hold(let amounts, let figure): if domain.figures.contains(figure) { daybook.hold(amounts, of: figure) }
        case .count(let figure): if domain.figures.contains(figure) { daybook.count(figure) }
        case .discard(let figure, let time):
            if domain.figures.contains(figure) { daybook.discard(figure, before: time) }
        case .raise(let kind, let value, let time):
            guard domain.events.contains(kind) else { return [] }
            unsaved = .urgent
            // The event waits for the date of its boot, which the store may not know: without a trusted clock it was
            // not told.
            if clock == nil { isNews = true }
            let event = RaisedEvent(
                kind: kind, boot: daybook.boot, at: time ?? now.boot, value: value)
            return [.raise(event), .note(.raised(event))]
        case .moved(let time): wearer.moved(at: time)
        case .walked(let steps, let unseen):
            return tellOthers(.walked(steps: steps, unseen: unseen), than: domain, at: now)
        case .travelled(let speed): return tellOthers(.travelled(speed: speed), than: domain, at: now)
        case .slept(let sleep): sleeps = sleeps.suffix(Self.mostSleeps - 1) + [sleep]
        case .stirred: stirredAt = now.boot
        case .enter(let note):
            guard note.domain == domain else { return [] }
            unsaved = max(unsaved, .pulses)
            return [.keep(note)]
        case .storeSoon: unsaved = max(unsaved, .pulses)
        case .storeQuietly: unsaved = max(unsaved, .stillness)
        }
        return []
    }

    /// Tells collectors that collection begins, or that their scopes changed since the last order.
    mutating func beginCollecting(since before: CollectionOrder?, afresh: DomainSet, at now: Instant) -> [SensingAction]
    {
        guard let order else { return [] }
        var actions: [SensingAction] = []
        for domain in collectors.map(\.domain) where order.domains.allows(domain) {
            let isSame = before?.domains.allows(domain) == true && before?.scope(of: domain) == order.scope(of: domain)
            if isSame, !afresh.allows(domain) { continue }
            // The stored state may exceed the reduced scope.
            if before?.scope(of: domain).isSubset(of: order.scope(of: domain)) == false { unsaved = .urgent }
            let hardware = sensorDomains.allows(domain) ? Hardware.accelerometer : domain.hardware
            actions += tell(.began(order.scope(of: domain), servedBy: hardware), DomainSet(domain), at: now)
        }
        return actions
    }

    /// Drops the data of these domains, and data of another version for a domain that this version does not collect.
    mutating func forgetCollected(_ domains: DomainSet) {
        for domain in Domain.all where domains.allows(domain) {
            if daybook.drop(domain) || keptParts[CollectedDomain.tag(of: domain)] != nil { unsaved = .urgent }
            keptParts.remove(CollectedDomain.tag(of: domain))
        }
        restored.subtract(domains)
        for index in collectors.indices where domains.allows(collectors[index].domain) { collectors[index].forget() }
    }

    private static let mostSleeps = 8

    /// Has the collectors make pending decisions, as at the end of a recording.
    public mutating func finish(at now: Instant) { _ = tell(.finished(clock), at: now) }

    /// Wakes the collectors that are due.
    mutating func wakeCollectors(at now: Instant) -> [SensingAction] {
        var actions: [SensingAction] = []
        let allowed = allowed
        for index in collectors.indices where allowed.allows(collectors[index].domain) {
            guard let time = collectors[index].collector.agenda(at: now.boot), time <= now.boot else { continue }
            actions += tell(.woke(clock), DomainSet(collectors[index].domain), at: now)
        }
        return actions
    }

    /// The earliest time at which a collector is to be woken.
    func collectorWake(at now: Instant) -> BootTime? {
        var earliest: BootTime?
        for index in collectors.indices where allowed.allows(collectors[index].domain) {
            guard let time = collectors[index].collector.agenda(at: now.boot) else { continue }
            earliest = min(earliest ?? time, time)
        }
        return earliest
    }
}
