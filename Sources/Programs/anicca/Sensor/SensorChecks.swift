import Devices
import Commands
import Core
import Signal

/// The checks of `anicca sensor test`, on any sensor.
struct SensorChecks {
    let sensor: any Accelerometer
    /// Nil if the chip has none, or its file cannot be read, which `calibrationFault` explains.
    var calibration: StoredCalibration?
    var calibrationFault: String?
    /// Nil if it is not used; `whyNoSteps` has the reason.
    var steps: (any PulseLine)?
    var whyNoSteps = "not wired ([steps] line is not set)"
    var motion: (any PulseLine)?
    let time: BenchTime
    /// Shows messages that need no person at the sensor.
    let say: (String) -> Void
    /// Nil if nobody is asked to do anything.
    let talk: BenchTalk?

    /// The length of the measurement at rest.
    private static let restLength = Interval.milliseconds(5120)
    private static let attempts = 4
    static let handLength = Interval.seconds(10)
    static let tick = Interval.milliseconds(100)

    /// The checks that need a chip, in their order.
    private static let ofChip = ["self-test", "noise", "gravity", "orientation", "rate", "interrupt"]

    /// The results if the sensor or a line is unusable.
    ///
    /// - Parameter message: The fault and, after the last semicolon, the advice.
    static func withoutSensor(_ message: String) -> [CheckResult] {
        [CheckResult("identity", error: message, adviceAfter: "; ")]
            + (ofChip + ["pulses"]).map { CheckResult($0, .skipped, "needs the chip") }
    }

    /// Reports every result as it comes. Throws only `Interruption`.
    func run(_ tell: (CheckResult) -> Void) throws {
        let identity = try check("identity", identity)
        tell(identity)
        guard identity.state != .failed else {
            for name in Self.ofChip { tell(CheckResult(name, .skipped, "needs the chip")) }
            return tell(try pulses())
        }
        tell(try check("self-test", selfTest))
        for result in try atRest() { tell(result) }
        tell(try check("interrupt", interrupt))
        tell(try pulses())
    }

    /// Converts a fault of the sensor or a line to the result of the check.
    func check(_ name: String, _ body: () throws -> CheckResult) throws -> CheckResult {
        do {
            return try body()
        } catch let error as SensorError {
            return CheckResult(name, error: "\(error)", adviceAfter: "; ")
        } catch let error as BusError {
            return CheckResult(name, error: error.lineAdvice, adviceAfter: "; ")
        }
    }

    private func identity() throws -> CheckResult {
        try sensor.initialise()
        let chip = sensor.chip
        guard let inspection = ChipInspection(sensor) else {
            return CheckResult("identity", .ok, chip.name)
        }
        let value = hexadecimal(try inspection.identity())
        let others = chip.lookalikes.map { "; \($0.name.article) \($0.name) has the same identity and another scale" }
            .joined()
        return CheckResult(
            "identity", .ok,
            "\(chip.name) at \(inspection.address): register \(chip.identityRegister) holds \(value)\(others)")
    }

    private func selfTest() throws -> CheckResult {
        guard let test = try ChipInspection(sensor)?.selfTest() else {
            return CheckResult("self-test", .skipped, "not tested: the driver of this chip has no self-test")
        }
        let shifts = test.shifts.map(SensorFigures.signedMg).joined(separator: "; ")
        guard test.failedAxes.isEmpty else {
            return CheckResult(
                "self-test", .failed,
                "no sufficient shift on \(listed(test.failedAxes)): \(shifts)",
                advice: "keep it still and try again; replace the chip if this comes back")
        }
        return CheckResult("self-test", .ok, "all axes shift: \(shifts)")
    }
}

// MARK: - At rest

extension SensorChecks {
    /// Noise, gravity, orientation and rate, from the same samples.
    private func atRest() throws -> [CheckResult] {
        var seen: (window: StillWindow, rate: Double)?
        let noise = try check("noise") {
            for attempt in 1...Self.attempts {
                let found = try record()
                guard let window = found.window else {
                    return CheckResult("noise", .failed, "the chip gave no samples", advice: "run: \(sudoCommand)")
                }
                seen = (window, found.rate)
                if window.isStill { break }
                if attempt < Self.attempts { say("it moves: keep it still, on a table") }
            }
            return seen.map { self.noise($0.window) } ?? CheckResult("noise", .skipped, "needs samples")
        }
        guard let seen else {
            return [noise] + ["gravity", "orientation", "rate"].map { CheckResult($0, .skipped, "needs samples") }
        }
        guard seen.window.isStill else {
            return [noise]
                + ["gravity", "orientation"].map { CheckResult($0, .skipped, "needs a sensor that lies still") }
                + [rate(seen.rate)]
        }
        return [noise, gravity(seen.window.mean), orientation(seen.window.mean), rate(seen.rate)]
    }

    private func record() throws -> (window: StillWindow?, rate: Double) {
        let stream = SampleStream(sensor, time)
        try stream.start()
        let found = try stream.next(Self.restLength)
        return (StillWindow(found.samples), found.rate)
    }

    private func noise(_ window: StillWindow) -> CheckResult {
        let found = "\(SensorFigures.mg(window.deviation)) (standard deviation; still is below 13 mg)"
        guard window.isStill else {
            return CheckResult(
                "noise", .failed, "\(found): it moves, or is noisy",
                advice:
                    "lay it on a firm table; if that does not help, check the supply (3.3 V), or replace the chip")
        }
        return CheckResult("noise", .ok, found)
    }

    /// The offset that makers of such chips allow is 50 mg (MPU-6050, product specification, for X and Y).
    private static let largestError: Float = 0.05
    private static let readable: ClosedRange<Float> = 0.75...1.35

    private func gravity(_ mean: Acceleration) -> CheckResult {
        let raw = mean.magnitude
        guard Self.readable.contains(raw) else {
            let other = sensor.chip.lookalikes.first { abs(raw / $0.gravity - 1) < 0.25 }?.name
            return CheckResult(
                "gravity", .failed, "\(SensorFigures.decimals(raw, 3)) g at rest, where gravity is 1 g",
                advice: other.map { "it is \($0.article) \($0), which is not supported; fit another chip" }
                    ?? "take it off its supply for a moment, and replace it if this comes back")
        }
        if let calibrationFault {
            return CheckResult(
                "gravity", .warning, "\(SensorFigures.decimals(raw, 3)) g at rest, uncorrected: \(calibrationFault)")
        }
        guard let calibration else {
            let isClose = abs(raw - 1) <= Self.largestError
            return CheckResult(
                "gravity", isClose ? .ok : .warning, "\(SensorFigures.decimals(raw, 3)) g at rest, not calibrated",
                advice: isClose ? "" : "run: sudo anicca sensor calibrate")
        }
        let corrected = calibration.correction.applied(to: mean).magnitude
        let isClose = abs(corrected - 1) <= 2 * SphereFit.largestError
        let day = "\(calibration.madeAt)".prefix(10)
        return CheckResult(
            "gravity", isClose ? .ok : .warning,
            "\(SensorFigures.decimals(corrected, 3)) g at rest with the calibration of \(day), \(SensorFigures.decimals(raw, 3)) g without",
            advice: isClose ? "" : "calibrate again: sudo anicca sensor calibrate")
    }

    private func orientation(_ mean: Acceleration) -> CheckResult {
        let up = mean.upward
        let share = min(mean.part(along: up) / mean.magnitude, 1)
        let degrees = SensorFigures.decimals(arccosine(share) * 180 / .pi, 0)
        return CheckResult(
            "orientation", .ok, "\(up.axis) points \(up.isPositive ? "up" : "down"), tilted by \(degrees)°")
    }

    /// The oscillators of such chips may be off by 5 % (MPU-6050, product specification); more than twice that is a
    /// fault.
    private func rate(_ rate: Double) -> CheckResult {
        let nominal = 1e9 / Double(sensor.chip.sampling.period.nanoseconds)
        let share = Float((rate / nominal - 1) * 100)
        let text =
            "\(SensorFigures.decimals(Float(rate), 2)) samples a second, nominal \(SensorFigures.decimals(Float(nominal), 2)) "
            + "(\(share < 0 ? "" : "+")\(SensorFigures.decimals(share, 1)) %)"
        guard abs(share) > 10 else { return CheckResult("rate", .ok, text) }
        return CheckResult(
            "rate", abs(share) > 30 ? .failed : .warning, text,
            advice: "check the supply (3.3 V); replace the chip if this comes back")
    }
}
