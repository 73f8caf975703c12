import Domains
import Quantities

/// The domains that are being collected. It follows the toggles after the settle time, so that a toggle flicked off and
/// on neither closes a device nor drops collected data (SPEC §2 rule 6).
///
/// Each time that a domain is on has a rising number: the entry of the consent trail that turned it on. A new number
/// shows that the domain was off in between, even if that was not observed.
public struct CollectedDomains: Equatable, Sendable {
    /// The position of one domain's toggle.
    public enum Wish: Equatable, Sendable {
        case on(since: Int64)
        /// The wearer turned it off, perhaps by mistake.
        case off
        /// The domain was withdrawn, by the administrator, the kernel or the wearer. Collection ends at once.
        case withdrawn
    }

    /// A step to carry out.
    public enum Effect: Equatable, Sendable {
        /// Open the devices of the domain and collect.
        case open(Domain)
        /// Drop data that was collected and not yet sent, and close the devices.
        case close(Domain)
    }

    private enum Phase: Equatable {
        case closed
        case open(since: Int64)
        case closing(since: Int64, at: BootTime)
    }

    private let settleTime: Interval
    /// By domain.
    private var phases = ByID(usual: Phase.closed)

    public init(settleTime: Interval) { self.settleTime = settleTime }

    /// The domains whose devices are open.
    public var domains: DomainSet {
        var domains = DomainSet()
        for domain in Domain.all { domains.set(domain, to: phases[domain.id] != .closed) }
        return domains
    }

    /// The time at which a toggle has settled, and `follow` is to be called with its position; nil when none is
    /// settling.
    public var settlesAt: BootTime? {
        var earliest: BootTime?
        for id in phases.ids {
            guard case .closing(_, let time) = phases[id] else { continue }
            earliest = min(earliest ?? time, time)
        }
        return earliest
    }

    /// Takes the position of a domain's toggle at `now`; returns the steps to carry out, in order.
    public mutating func follow(_ domain: Domain, _ wish: Wish, at now: BootTime) -> [Effect] {
        let phase = phases[domain.id]
        switch (phase, wish) {
        case (.closed, .off), (.closed, .withdrawn): return []
        case (.closed, .on(let since)):
            phases[domain.id] = .open(since: since)
            return [.open(domain)]
        case (.open(let before), .on(let since)), (.closing(let before, _), .on(let since)):
            phases[domain.id] = .open(since: since)
            return since == before ? [] : [.close(domain), .open(domain)]
        case (.open(let since), .off):
            phases[domain.id] = .closing(since: since, at: now + settleTime)
            return []
        case (.closing(_, let time), .off) where now < time: return []
        case (.open, .withdrawn), (.closing, .off), (.closing, .withdrawn):
            phases[domain.id] = .closed
            return [.close(domain)]
        }
    }
}
