import Commands
import Domains
import Devices

extension Page {
    static let alarm = Page(
        domain: .alarm, status: { try AlarmStatus($0.ledger, at: $0.now).section }, checks: { [$0.alarmLine] },
        files: [
            ExportPart("alarms.json") { try $0.alarms() }, ExportPart("nudges.json") { try $0.nudges().listing },
        ])
}

extension Diagnostics {
    /// The output is not switched for a check.
    fileprivate var alarmLine: CheckResult {
        guard let offset = settings.alarm.line else {
            return CheckResult("alarm-line", .skipped, "not wired ([alarm] line is not set): nothing is played")
        }
        let chip = settings.alarm.chip
        do {
            if let held = try heldLine("alarm-line", chip, offset) { return held }
        } catch {
            return CheckResult("alarm-line", error: "\(chip) line \(offset): \(error.lineAdvice)", adviceAfter: "; ")
        }
        guard LocalZone.choose(settings.alarmTimeZone) else {
            return CheckResult(
                "alarm-line", .warning, "the time-zone database lacks the zone of the wearer, so times are UTC",
                advice: "run: apt install tzdata, or correct time-zone in [wearer] or [alarm]")
        }
        return CheckResult("alarm-line", .ok, "\(chip) line \(offset) is free")
    }
}
