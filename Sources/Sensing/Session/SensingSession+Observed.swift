import Domains
import Core

/// The time for which each domain was observed (SPEC §3, Coverage).
///
/// A window stands for the time since the window before it, as in the figures; a drain of the pulse line and a reading
/// of a gauge for the time since the last. The domain of any other source is observed while the source works. Time is
/// added when an event comes anyway, so it costs no wake-up and no commit.
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

    /// Adds the time since the last event to the domains whose source is not read at intervals. Call it before the
    /// event, which may close the source.
    mutating func observeOpenSources(at now: Instant) {
        guard order != nil else { return }
        let allowed = allowed
        // By index, as in `signals`.
        for index in collectors.indices {
            let domain = collectors[index].domain
            if allowed.allows(domain) {
                guard let works = worksUnread(domain) else { continue }
                if works, let last = observedUntil[domain.id] { observe(DomainSet(domain), since: last, at: now) }
            }
            observedUntil[domain.id] = now.boot
        }
    }

    /// Whether the domain is observed without reading its source; nil if readings tell. A source that is off by plan,
    /// such as a receiver that sleeps while the wearer is still, works, and so does a domain without a source.
    private func worksUnread(_ domain: Domain) -> Bool? {
        guard let source = sources.first(where: { $0.domains.allows(domain) }) else { return true }
        switch source.kind {
        case .imu, .pulses, .gauge: return nil
        case .reports, .positions: return source.life.phase == .open || source.life.phase == .off
        }
    }
}
