import Domains
import Sensing
import Devices
import Core

extension AlarmDesk {
    /// Switches off the line if a run was killed while it played, and the domain is no longer allowed: taking the line
    /// switches it off. If nothing was played, the line is left alone.
    func switchOffWhatAKillLeftOn(at now: Instant) {
        // `try?`: other users of the store report that it does not open.
        guard let book = try? store.ledger.book(AlarmBook.self), let nudges = try? store.ledger.book(NudgeBook.self)
        else { return }
        let nudged = nudges.nudges.contains { $0.outcome == .played && now.wall - $0.at < .hours(1) }
        guard nudged || book.alarms.contains(where: { book.isPlaying($0.id) }) else { return }
        do throws(BusError) {
            try devices.openOutput().close()
        } catch {
            let fault = error.fault(at: devices.outputPlace)
            journal.log(
                .warning, .lineFailed, domain: .alarm,
                "aniccad ended during an alarm or nudge, and the motor may still be on: \(fault.reason)")
        }
    }
}
