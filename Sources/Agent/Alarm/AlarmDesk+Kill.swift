import Domains
import Sensing
import Devices
import Core

extension AlarmDesk {
    /// The line may still be on when the program that played on it was killed. Whoever takes it switches it off, so where the domain is
    /// not allowed any more, it is taken for that alone. Where nothing was played, it is left alone.
    func switchOffWhatAKillLeftOn(at now: Instant) {
        // `try?`: a store that does not open is told by whoever depends on it.
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
                "the program ended while it played, and the motor may still be on: \(fault.reason)")
        }
    }
}
