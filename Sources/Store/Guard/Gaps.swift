import Domains
import Core

/// Incomplete days: some of their data was lost with a part of the store.
extension Ledger {
    /// Records the loss of these domains' data in this time, with the next commit.
    public func noteUnsaved(_ time: ClosedRange<BootTime>, of domains: DomainSet = .everything, in boot: BootID) {
        unsaved = StoreGap(from: StoreGap.Moment(boot: boot, at: time.lowerBound), of: domains)
        unsaved?.until = StoreGap.Moment(boot: boot, at: time.upperBound)
    }

    public var lacksUnsaved: Bool { unsaved != nil }

    /// The days with lost data, and the domains concerned, whose figures are not sent; the latest last.
    public func lackingDays() throws(LedgerError) -> [(day: UTCDay, domains: DomainSet)] {
        try storedDays().lost.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
}

extension Transaction {
    func addGap(_ gap: StoreGap) {
        guard mark.gaps.last != gap else { return }
        changeMark { $0.gaps = Array(($0.gaps + [gap]).suffix(StoreGap.most)) }
    }

    /// Closes the open gaps at the first moment that is stored again.
    func endGaps(at reading: BootReading) {
        guard mark.gaps.contains(where: { $0.until == nil }) else { return }
        changeMark { mark in
            for index in mark.gaps.indices where mark.gaps[index].until == nil {
                mark.gaps[index].until = StoreGap.Moment(boot: reading.id, at: reading.seen)
            }
        }
    }

    /// The domains with data of the day lost in these gaps. Irrelevant for a day whose record may have been sent
    /// already.
    func lost(on day: UTCDay, _ history: BootHistory) -> DomainSet {
        var lost = DomainSet()
        for gap in mark.gaps {
            if gap.domains == .everything, gap.days(in: history).contains(day) { return .everything }
            for domain in Domain.all where gap.domains.allows(domain) {
                if gap.days(in: history, reach: domain.reach).contains(day) { lost.insert(domain) }
            }
        }
        return lost
    }

    /// Deletes the gaps whose days are no longer kept.
    func dropGaps(through last: UTCDay, _ history: BootHistory) {
        let reach = Domain.all.map(\.reach).max() ?? .zero
        let isOld = { (gap: StoreGap) in gap.days(in: history, reach: reach).upperBound <= last }
        guard mark.gaps.contains(where: isOld) else { return }
        changeMark { mark in mark.gaps.removeAll(where: isOld) }
    }
}
