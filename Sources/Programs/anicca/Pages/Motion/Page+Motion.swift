import Domains

extension Page {
    static let motion = Page(
        domain: .motion,
        words: [
            .sedentaryMinutes: ("sit", "sitting"), .wornMinutes: ("worn", "worn"),
            .walkingMinutes: ("walk", "walking"), .runningMinutes: ("run", "running"),
            .automotiveMinutes: ("ride", "in a vehicle"),
        ],
        checks: { [$0.interruptLine] })
}

extension Diagnostics {
    fileprivate var interruptLine: CheckResult {
        guard let chip = settings.imu.interruptChip, let offset = settings.imu.interruptLine else {
            let rule = settings.dutyCycle
            let asks =
                ": the chip is polled for motion every \(rule.attentiveAsking.inSeconds) s, "
                + "at rest every \(rule.relaxedAsking.inSeconds) s"
            return CheckResult(
                "interrupt-line", .skipped,
                "not wired ([imu] interrupt-line is not set)" + (settings.pulseLine.isWired ? "" : asks))
        }
        return line("interrupt-line", chip, offset, .rising)
    }
}
