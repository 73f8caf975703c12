import Quantities
import Timekeeping

/// Days that are not whole, because something that was collected on them was lost with a part of the store.
extension Ledger {
    /// Ends the gaps that were found since the last commit at the first moment that is stored again. Part of the caller's
    /// transaction.
    func endGaps(at reading: BootReading) {
        guard mark.gaps.contains(where: { $0.until == nil }) else { return }
        changeMark { mark in
            for index in mark.gaps.indices where mark.gaps[index].until == nil {
                mark.gaps[index].until = StoreGap.Moment(boot: reading.id, at: reading.seen)
            }
        }
    }

    /// The days of which something may be lost, as far as they are not final.
    func brokenDays(_ history: BootHistory) -> [ClosedRange<UTCDay>] {
        (nextMark ?? mark).gaps.map { $0.days(in: history) }
    }

    /// Notes with the next commit that all from this time on is lost until then.
    public func noteUnsaved(since time: BootTime, in boot: BootID) {
        unsavedSince = StoreGap.Moment(boot: boot, at: time)
    }

    public var lacksUnsaved: Bool { unsavedSince != nil }

    /// Forgets the gaps of which no day is kept any more. Part of the caller's transaction.
    func dropGaps(through last: UTCDay, _ history: BootHistory) {
        guard mark.gaps.contains(where: { $0.days(in: history).upperBound <= last }) else { return }
        changeMark { mark in mark.gaps.removeAll { $0.days(in: history).upperBound <= last } }
    }
}
