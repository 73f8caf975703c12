import Domains
import Ports
import Quantities

/// The states of the folder for the phone's reports.
///
/// Nothing is read before time is trusted: a report has a date, and only a trusted time tells whether that can be. Files stay where
/// they are until what they reported is stored.
extension SensingSession {
    enum InboxPhase: Equatable {
        case off
        case opening
        /// Open; to be read at the one time, or when the bell rings, but not before the other.
        case waiting(nextAt: BootTime?, notBefore: BootTime)
        case down(retryAt: BootTime)

        var isOpen: Bool { if case .waiting = self { true } else { false } }
    }

    /// Files that are read at once, and how often at the most: a folder full of them keeps neither processor nor card busy.
    static let mostReports = 512
    private static let readInterval = Interval.seconds(1)
    private static let crowdedInterval = Interval.minutes(1)

    /// The folder is read once the owner had the time to watch it, so that no file falls between.
    mutating func inboxOpened(at now: Instant) -> [SensingAction] {
        guard inbox == .opening else { return [] }
        inbox = .waiting(nextAt: now.boot, notBefore: now.boot)
        return tell(.opened, inboxDomains.intersection(allowed), at: now)
    }

    /// The folder is closed until it is tried again, or until its domain is ordered anew.
    mutating func inboxFailed(_ fault: DeviceFault, at now: Instant) -> [SensingAction] {
        guard inbox != .off else { return [] }
        switch setback(by: fault, of: \.inboxHealth, SensingNote.inboxFailed, at: now) {
        case .lost(let obstacle): return releaseInbox() + lose(inboxDomains, to: obstacle, fault.reason)
        case .retry(let time, let notes):
            inbox = .down(retryAt: time)
            return [.closeInbox] + notes
        }
    }

    mutating func reportsWaiting(at now: Instant) -> [SensingAction] {
        guard case .waiting(_, let earliest) = inbox else { return [] }
        inbox = .waiting(nextAt: max(earliest, now.boot), notBefore: earliest)
        return inboxDue(at: now)
    }

    /// Opens a folder that was down, or reads what waits in it.
    mutating func inboxDue(at now: Instant) -> [SensingAction] {
        guard let inboxWake, inboxWake <= now.boot else { return [] }
        guard case .down = inbox else { return [.readReports] }
        inbox = .opening
        return [.openInbox]
    }

    mutating func take(_ batch: ReportBatch, at now: Instant) -> [SensingAction] {
        guard inbox.isOpen, let clock else { return [] }
        let earliest = now.boot + (batch.isCrowded ? Self.crowdedInterval : Self.readInterval)
        inbox = .waiting(nextAt: batch.hasMore ? earliest : nil, notBefore: earliest)
        var actions: [SensingAction] = inboxHealth == .working ? [] : [.note(.inboxRecovered)]
        inboxHealth = .working
        if let note = refusals.note(of: batch, at: now.boot) { actions.append(.note(note)) }
        guard !batch.reports.isEmpty else { return actions }
        // Those that wait for the commit are kept in memory.
        unsaved = max(unsaved, batch.hasMore ? .urgent : .pulses)
        return actions + tell(.reports(batch.reports, clock), inboxDomains.intersection(allowed), at: now)
    }

    /// The bell is closed. What waits in the folder stays.
    mutating func releaseInbox() -> [SensingAction] {
        inbox = .off
        inboxHealth = .working
        return [.closeInbox]
    }

    /// The time at which the folder is to be opened or read; nil while it waits for the bell, or for the time.
    var inboxWake: BootTime? {
        switch inbox {
        case .off, .opening: nil
        case .waiting(let nextAt, _): clock == nil ? nil : nextAt
        case .down(let retryAt): retryAt
        }
    }
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
