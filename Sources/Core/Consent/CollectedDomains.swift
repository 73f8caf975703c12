import Quantities

/// Which domains are being collected. It follows the toggles after the settle time, so that a toggle flicked off and
/// on neither closes a device nor drops what was collected (SPEC §2 rule 6).
///
/// Each time a domain is on for has a number, which rises: the entry of the consent trail that turned it on. A new
/// number says that the domain was off in between, although nobody looked at that moment.
public struct CollectedDomains: Equatable, Sendable {
    /// What one domain's toggle says.
    public enum Wish: Equatable, Sendable {
        case on(since: Int64)
        /// The wearer turned it off, and may yet have slipped.
        case off
        /// It was taken away: by the administrator, the kernel or the wearer's withdrawal. It ends at once.
        case withdrawn
    }

    /// Structural work.
    public enum Effect: Equatable, Sendable {
        /// Open the devices of the domain and collect.
        case open(Domain)
        /// Drop what was collected and not yet sent, and close the devices.
        case close(Domain)
    }

    private enum Phase: Equatable {
        case closed
        case open(since: Int64)
        case closing(since: Int64, at: BootTime)
    }

    private let settleTime: Interval
    private var phases = [Phase](repeating: .closed, count: Domain.allCases.count)

    public init(settleTime: Interval) { self.settleTime = settleTime }

    /// The domains whose devices are open.
    public var domains: Toggles {
        var domains = Toggles()
        for domain in Domain.allCases { domains.set(domain, to: phases[domain.index] != .closed) }
        return domains
    }

    /// When a toggle has settled and `follow` is to be called with what it says then; nil when none is settling.
    public var settlesAt: BootTime? {
        var earliest: BootTime?
        for case .closing(_, let time) in phases where earliest.map({ time < $0 }) ?? true { earliest = time }
        return earliest
    }

    /// Takes what a domain's toggle says at `now`; returns what is to be done, in order.
    public mutating func follow(_ domain: Domain, _ wish: Wish, at now: BootTime) -> [Effect] {
        let phase = phases[domain.index]
        switch (phase, wish) {
        case (.closed, .off), (.closed, .withdrawn): return []
        case (.closed, .on(let since)):
            phases[domain.index] = .open(since: since)
            return [.open(domain)]
        case (.open(let before), .on(let since)), (.closing(let before, _), .on(let since)):
            phases[domain.index] = .open(since: since)
            return since == before ? [] : [.close(domain), .open(domain)]
        case (.open(let since), .off):
            phases[domain.index] = .closing(since: since, at: now + settleTime)
            return []
        case (.closing(_, let time), .off) where now < time: return []
        case (.open, .withdrawn), (.closing, .off), (.closing, .withdrawn):
            phases[domain.index] = .closed
            return [.close(domain)]
        }
    }
}
