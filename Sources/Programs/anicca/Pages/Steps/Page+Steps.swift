import Commands
import Domains
import Devices

extension Page {
    static let steps = Page(
        domain: .steps, words: [.rawPulses: ("pulses", "pulses")], checks: { [$0.stepLine] },
        openMHealth: [ExportPart("omh-step-count.json") { try $0.stepCounts().listing }])
}

extension Diagnostics {
    fileprivate var stepLine: CheckResult {
        guard let offset = settings.pulseLine.line else {
            return CheckResult("step-line", .skipped, "not wired ([steps] line is not set): steps come from the IMU")
        }
        return line("step-line", settings.pulseLine.chip, offset, settings.pulseLine.edge)
    }
}
