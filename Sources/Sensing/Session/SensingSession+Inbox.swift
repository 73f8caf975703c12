import Devices
import Core

/// The folder for the phone's reports.
///
/// Nothing is read before the time is trusted, because only a trusted time can validate the date of a report. Files
/// stay in place until their reports are stored.
extension SensingSession {
    /// The files read at once, and the shortest intervals: a full folder must not keep the processor or the card busy.
    static let mostReports = 512
    private static let readInterval = Interval.seconds(1)
    private static let crowdedInterval = Interval.minutes(1)

    mutating func reportsWaiting(at now: Instant) -> [SensingAction] {
        guard isOpen(.reports) else { return [] }
        inbox.nextAt = max(inbox.notBefore, now.boot)
        return inboxDue(at: now)
    }

    /// Reads the waiting reports, if the folder is due.
    mutating func inboxDue(at now: Instant) -> [SensingAction] { isInboxDue(at: now) ? [.readReports] : [] }

    /// Whether the folder is to be read, or was read and its reports are not taken yet.
    func isInboxDue(at now: Instant) -> Bool { inboxWake.map { $0 <= now.boot } ?? false }

    mutating func take(_ batch: ReportBatch, at now: Instant) -> [SensingAction] {
        guard isOpen(.reports), let clock else { return [] }
        let earliest = now.boot + (batch.isCrowded ? Self.crowdedInterval : Self.readInterval)
        inbox = InboxReading(nextAt: batch.hasMore ? earliest : nil, notBefore: earliest)
        var actions = take(.worked, of: .reports, at: now)
        if let note = refusals.note(of: batch, at: now.boot) { actions.append(.note(note)) }
        guard !batch.reports.isEmpty else { return actions }
        // Reports that wait for the commit are kept in memory.
        unsaved = max(unsaved, batch.hasMore ? .urgent : .pulses)
        return actions + tell(.reports(batch.reports, clock), served(by: .reports), at: now)
    }

    /// The time at which the folder is to be read; nil while it waits for the bell or for a trusted time.
    var inboxWake: BootTime? { isOpen(.reports) && clock != nil ? inbox.nextAt : nil }
}

/// The time to read the folder without a ring of the bell, and the earliest time to read it at all.
struct InboxReading: Sendable {
    var nextAt: BootTime?
    var notBefore = BootTime(nanoseconds: 0)
}

/// Reports that were set aside, noted at most once a minute.
struct ReportRefusals: Sendable {
    private var untold = 0
    /// Some of them, with their reasons: the batch that is noted may have none.
    private var named: [ReportBatch.Refusal] = []
    private var toldAt: BootTime?

    mutating func note(of batch: ReportBatch, at now: BootTime) -> SensingNote? {
        untold += batch.refusals
        if named.isEmpty { named = batch.refused }
        guard untold > 0, toldAt.map({ now - $0 >= .minutes(1) }) ?? true else { return nil }
        defer { (untold, named, toldAt) = (0, [], now) }
        return .reportsRefused(untold, named)
    }
}
