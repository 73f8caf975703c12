import Domains
import Core

/// The time for which each domain was observed whose hardware is read at intervals (SPEC §3, Coverage).
///
/// A window stands for the time since the window before it, as in the figures, also for a pulse oximeter; a drain of the pulse line and a reading
/// of a gauge for the time since the last. Time is added when an event comes anyway, so it costs no wake-up and no
/// commit.
extension SensingSession {
    /// Adds the time from `start` until now, except the part before the domain was allowed.
    mutating func observe(_ domains: DomainSet, since start: BootTime, at now: Instant) {
        for index in collectors.indices where domains.allows(collectors[index].domain) {
            let domain = collectors[index].domain
            let begin = observedUntil[domain.id].map { max($0, start) } ?? start
            daybook.add(.time(from: begin, to: now.boot), to: domain.observed)
            observedUntil[domain.id] = now.boot
        }
    }

    /// Time before these domains were allowed is not observed later.
    mutating func beginObserving(_ domains: DomainSet, at now: Instant) {
        for domain in collectors.map(\.domain) where domains.allows(domain) { observedUntil[domain.id] = now.boot }
    }
}
