import Glibc
import Devices
import Core

/// The checks that need a person at the sensor.
extension SensorChecks {
    private static let nobody = "a person must move it: run this on a terminal, without --no-wait"

    /// Whether the line rises when the chip moves.
    func interrupt() throws -> CheckResult {
        guard let motion else {
            return CheckResult("interrupt", .skipped, "not wired ([imu] interrupt-line is not set)")
        }
        guard let talk else { return CheckResult("interrupt", .skipped, Self.nobody) }
        try sensor.start()
        try time.wait(sensor.chip.sampling.startUp + sensor.chip.sampling.period * 2)
        _ = try motion.drain(at: time.now())
        try sensor.rest(wakeOnMotion: true)
        talk.say("move the sensor, or tap it, within \(Self.handLength.inSeconds) s")
        // Earlier input does not count.
        _ = talk.isEnough()
        let end = time.now() + Self.handLength
        while time.now() < end, !talk.isEnough() {
            try time.wait(Self.tick)
            let edges = try motion.drain(at: time.now()).pulses.count
            if edges > 0 { return CheckResult("interrupt", .ok, "wired: the line rose when the sensor moved") }
        }
        guard try sensor.hasMoved() else {
            return CheckResult(
                "interrupt", .warning, "the chip detected no movement",
                advice: "try again, and move it by more than [imu] wake-threshold")
        }
        return CheckResult(
            "interrupt", .failed, "the chip detected movement, but the line did not rise",
            advice: "wire INT (INT1) of the chip to the line, or correct interrupt-chip and interrupt-line in [imu]")
    }

    /// Ctrl-C and Enter end only the count, not the test.
    func pulses() throws -> CheckResult {
        guard let steps else { return CheckResult("pulses", .skipped, whyNoSteps) }
        guard let talk else { return CheckResult("pulses", .skipped, Self.nobody) }
        return try check("pulses") {
            _ = try steps.drain(at: time.now())
            talk.say("tap the step sensor, for up to \(Self.handLength.inSeconds) s; Enter or Ctrl-C ends it")
            _ = talk.isEnough()
            let begin = time.now()
            var (count, lost, isEnded) = (0, 0, false)
            while time.now() - begin < Self.handLength, !isEnded {
                do {
                    try time.wait(Self.tick)
                } catch let interruption as Interruption where interruption.signal == SIGINT {
                    isEnded = true
                }
                isEnded = isEnded || talk.isEnough()
                let batch = try steps.drain(at: time.now())
                count += batch.pulses.count
                lost += batch.lost ?? 0
                talk.show("\(count) pulses")
            }
            talk.say("")
            return result(count, lost, isEnded: isEnded)
        }
    }

    private func result(_ count: Int, _ lost: Int, isEnded: Bool) -> CheckResult {
        let dropped = lost > 0 ? ", and \(lost) more that the kernel dropped" : ""
        if count > 0 { return CheckResult("pulses", .ok, "\(count) counted\(dropped)") }
        if isEnded { return CheckResult("pulses", .skipped, "ended before a pulse came") }
        return CheckResult(
            "pulses", .failed, "no pulse came in \(Self.handLength.inSeconds) s",
            advice: "check the wire of the step sensor, and chip, line, edge and bias in [steps]")
    }
}

/// In radians; 0 beyond the ends of its range.
func arccosine(_ value: Float) -> Float { value.magnitude > 1 ? 0 : acosf(value) }
