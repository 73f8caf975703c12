import Domains
import Core

/// How much of each day a domain was observed (SPEC §3). Reads the trail and the boots once for all days.
public struct CoverageReader {
    private let ledger: Ledger
    private let history: BootHistory
    private let powered: [Range<WallTime>]
    private let trail: [ConsentEntry]

    /// - Parameter more: boots of which the store may be incomplete.
    public init(_ ledger: Ledger, knowing more: [BootReading] = []) throws(LedgerError) {
        self.ledger = ledger
        history = BootHistory(try ledger.storedBoots(), and: more)
        powered = history.poweredSpans
        trail = try ledger.readableTrail().entries
    }

    /// The coverage of the domains that have data of the day, or were on at some time of it.
    ///
    /// - Parameter until: the present time, for a day that has not ended.
    public func coverage(
        of explanation: DayExplanation, until: WallTime? = nil
    ) throws(LedgerError) -> [(domain: Domain, coverage: Coverage)] {
        let day = explanation.day
        let span = day.start..<max(day.start, min(until ?? day.end, day.end))
        let undated = try history.mayHaveUndated(of: day) ? ledger.datedQuarters { $0.day == nil } : []
        let isUntold =
            !explanation.parts.isEmpty
            && !explanation.parts.contains { $0.quarter.amount(of: $0.domain.observed) != nil }
        return Domain.all.compactMap { domain -> (domain: Domain, coverage: Coverage)? in
            let parts = explanation.parts.filter { $0.domain == domain }
            var reasons = trail.reasons(of: domain, until: span.upperBound)
            reasons.powered = powered
            reasons.isUntold = isUntold && domain.hardware.isSensor
            reasons.isObservedWithoutData = !domain.hardware.isSensor
            reasons.undated = undated.reduce(into: .zero) { sum, dated in
                sum += Interval(nanoseconds: dated.amount(of: domain.observed) ?? 0)
            }
            reasons.unplaced = parts.reduce(into: .zero) { sum, part in
                if part.span == nil { sum += part.observed ?? .zero }
            }
            reasons.off += parts.filter { $0.standing == .superseded }.compactMap(\.span)
            let counted = parts.filter { domain.hardware.isSensor && $0.standing != .superseded }.compactMap { part in
                part.span.map { Coverage.Part($0, observed: part.observed) }
            }
            let coverage = Coverage(of: span, counted, reasons)
            let wasOn = coverage[.off] < span.upperBound - span.lowerBound
            return domain.isCollected && (wasOn || !parts.isEmpty) ? (domain, coverage) : nil
        }
    }
}

extension Ledger {
    /// The time of the day for which each domain was off whose figures these fill; with the time before it was turned on
    /// again, and before its data was deleted, since what was collected then does not count.
    ///
    /// - Parameter entry: the entry since which the data of a domain counts; 0 for none.
    func timesOff(
        on day: UTCDay, filledBy fillers: [Figure], since entry: (Domain) -> ConsentEntry.ID
    ) throws(LedgerError) -> ByID<Interval> {
        var times = ByID(usual: Interval.zero)
        let domains = Set(fillers.compactMap { $0.filled?.domain })
        guard !domains.isEmpty else { return times }
        let trail = try readableTrail().entries
        for domain in domains {
            var reasons = Coverage.Reasons()
            reasons.off = trail.reasons(of: domain, until: day.end).off
            if let on = trail.first(where: { $0.id == entry(domain) }), day.start < on.at {
                reasons.off.append(day.start..<on.at)
            }
            for entry in trail where entry.change == .forgotten(domain) && day.start < entry.at {
                reasons.off.append(day.start..<entry.at)
            }
            times[domain.id] = Coverage(of: day.start..<day.end, [], reasons)[.off]
        }
        return times
    }
}

extension DayExplanation.Part {
    fileprivate var span: Range<WallTime>? { began.map { $0..<$0 + quarter.length } }

    /// Nil if it does not tell, or is in no figure.
    fileprivate var observed: Interval? {
        guard standing == .counted else { return nil }
        return quarter.amount(of: domain.observed).map { Interval(nanoseconds: $0) }
    }
}

extension [ConsentEntry] {
    /// The times before `end` at which the domain, or one that it needs, was off or suspended. Before the first entry
    /// they were off.
    fileprivate func reasons(of domain: Domain, until end: WallTime) -> Coverage.Reasons {
        var reasons = Coverage.Reasons()
        let all = [domain] + domain.needs
        var (on, absent, start) = (DomainSet(), DomainSet(), WallTime(nanoseconds: .min))
        func close(at time: WallTime) {
            // The clock may have been set back in between.
            guard start < time else { return }
            if !all.allSatisfy(on.allows) {
                reasons.off.append(start..<time)
            } else if all.contains(where: absent.allows) {
                reasons.suspended.append(start..<time)
            }
        }
        for entry in self {
            switch entry.change {
            case .toggle(let changed, _, let isOn) where all.contains(changed):
                close(at: entry.at)
                on.set(changed, to: isOn)
                start = entry.at
            case .obstacle(let changed, _, let obstacle) where all.contains(changed):
                close(at: entry.at)
                absent.set(changed, to: obstacle == .absent)
                start = entry.at
            default: break
            }
        }
        close(at: end)
        return reasons
    }
}

extension BootHistory {
    /// The known times for which a boot ran.
    fileprivate var poweredSpans: [Range<WallTime>] {
        boots.indices.compactMap { index in
            guard let start = wall(at: BootTime(nanoseconds: 0), inBoot: index),
                let end = wall(at: boots[index].log.seen, inBoot: index), start < end
            else { return nil }
            return start..<end
        }
    }

    /// Whether a boot without a known date may have run on the day.
    fileprivate func mayHaveUndated(of day: UTCDay) -> Bool {
        boots.indices.contains { index in
            wall(at: BootTime(nanoseconds: 0), inBoot: index) == nil
                && latestEnd(ofBoot: index).map { $0 >= day.start } ?? true
        }
    }
}
