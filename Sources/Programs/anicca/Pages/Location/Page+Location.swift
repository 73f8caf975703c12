import Commands
import Domains
import Devices
import Sensing

extension Page {
    static let location = Page(
        domain: .location,
        today: { try VisitReport($0.ledger, $0.settings.location).section(on: $0.day) },
        checks: { [$0.gpsd] }, files: [ExportPart("places.json") { try $0.places().listing }])
}

extension Diagnostics {
    /// A missing receiver is no fault while location is off. Only gpsd's greeting is read, which does not start the
    /// receiver.
    fileprivate var gpsd: CheckResult {
        guard let handler = linuxHandlers(settings).first(where: { $0.domain == .location }) as? any HardwareHints
        else { return CheckResult("gpsd", .skipped, "location uses no gpsd here") }
        let status = handler.requestAccess()
        guard let reason = status.reason else {
            return CheckResult("gpsd", .ok, "gpsd answers at \(GPSDAddress(settings.location))")
        }
        guard isLocationOn else { return CheckResult("gpsd", .skipped, "location is off, and \(reason)") }
        guard case .blocked(let obstacle, _) = status else {
            return CheckResult("gpsd", .warning, reason, advice: "see: systemctl status gpsd anicca-gpsd.socket")
        }
        let advice = obstacle == .refused ? handler.hintWhenRefused : handler.hintWhenAbsent
        return CheckResult("gpsd", .failed, reason, advice: advice)
    }

    /// Also false if the store cannot be read, which another check reports.
    private var isLocationOn: Bool {
        // `try?`: the check of the store reports why it cannot be read.
        (try? installation.openStore().consent().state.toggles.allows(.location)) ?? false
    }
}
