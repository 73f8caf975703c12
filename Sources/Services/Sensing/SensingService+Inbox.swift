import Ports
import Quantities

extension SensingService {
    func openInbox() -> SensingEvent {
        do {
            inbox = try devices.openInbox()
            return .inboxOpened
        } catch {
            return .inboxFailed(DeviceFault(error, ofInboxAt: devices.inboxPlace))
        }
    }

    func closeInbox() { inbox = nil }

    func readReports(at now: Instant) -> SensingEvent {
        guard let inbox, let clock = session.clock else { return .reports(ReportBatch()) }
        do {
            let batch = try inbox.read(SensingSession.mostReports, at: clock.time(at: now.boot).wall)
            if !batch.reports.isEmpty { hasNews = true }
            return .reports(batch)
        } catch {
            return .inboxFailed(DeviceFault(error, ofInboxAt: devices.inboxPlace))
        }
    }

    /// Called when what was read is stored. A file that stays is read again by the next process, and counts once.
    func removeReadReports() -> SensingEvent? {
        do {
            try inbox?.removeRead()
            return nil
        } catch {
            return .inboxFailed(DeviceFault(error, ofInboxAt: devices.inboxPlace))
        }
    }
}
