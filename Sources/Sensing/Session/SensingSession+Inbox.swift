import Devices
import Core

/// The folder for the phone's reports.
///
/// Nothing is read before time is trusted: a report has a date, and only a trusted time tells whether that can be. Files stay where
/// they are until what they reported is stored.
extension SensingSession {
    /// Files that are read at once, and how often at the most: a folder full of them keeps neither processor nor card busy.
    static let mostReports = 512
    private static let readInterval = Interval.seconds(1)
    private static let crowdedInterval = Interval.minutes(1)

    mutating func reportsWaiting(at now: Instant) -> [SensingAction] {
        guard isOpen(.reports) else { return [] }
        inbox.nextAt = max(inbox.notBefore, now.boot)
        return inboxDue(at: now)
    }

    /// Reads what waits in the folder.
    mutating func inboxDue(at now: Instant) -> [SensingAction] { isInboxDue(at: now) ? [.readReports] : [] }

    /// Whether the folder is to be read, or was and its reports are not taken yet.
    func isInboxDue(at now: Instant) -> Bool { inboxWake.map { $0 <= now.boot } ?? false }

    mutating func take(_ batch: ReportBatch, at now: Instant) -> [SensingAction] {
        guard isOpen(.reports), let clock else { return [] }
        let earliest = now.boot + (batch.isCrowded ? Self.crowdedInterval : Self.readInterval)
        inbox = InboxReading(nextAt: batch.hasMore ? earliest : nil, notBefore: earliest)
        var actions = take(.worked, of: .reports, at: now)
        if let note = refusals.note(of: batch, at: now.boot) { actions.append(.note(note)) }
        guard !batch.reports.isEmpty else { return actions }
        // Those that wait for the commit are kept in memory.
        unsaved = max(unsaved, batch.hasMore ? .urgent : .pulses)
        return actions + tell(.reports(batch.reports, clock), served(by: .reports), at: now)
    }

    /// The time at which the folder is to be read; nil while it waits for the bell, or for the time.
    var inboxWake: BootTime? { isOpen(.reports) && clock != nil ? inbox.nextAt : nil }
}

/// When the folder is to be read, other than when the bell rings, and before when it is not.
struct InboxReading: Sendable {
    var nextAt: BootTime?
    var notBefore = BootTime(nanoseconds: 0)
}

/// Reports that were set aside, told once a minute at the most.
struct ReportRefusals: Sendable {
    private var untold = 0
    private var toldAt: BootTime?

    mutating func note(of batch: ReportBatch, at now: BootTime) -> SensingNote? {
        untold += batch.refusals
        guard untold > 0, toldAt.map({ now - $0 >= .minutes(1) }) ?? true else { return nil }
        defer { (untold, toldAt) = (0, now) }
        return .reportsRefused(untold, batch.refused)
    }
}
