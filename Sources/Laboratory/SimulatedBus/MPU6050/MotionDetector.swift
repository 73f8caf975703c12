#if canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The settings of the motion interrupt, decoded.
struct MotionSettings {
    /// The filter (ACCEL_HPF) that acceleration passes before the comparison.
    enum HighPass: Equatable {
        /// The output is zero.
        case reset
        /// A first-order high-pass with this corner in hertz.
        case corner(Double)
        /// The output is the distance from the sample that was current when `hold` was set.
        case hold
        /// The output is the distance from the previous sample.
        case previous
    }

    let filter: HighPass
    /// In g. A filtered value above it on any axis is motion.
    let threshold: Float
    /// Samples, or milliseconds at full rate, that must count as motion.
    let duration: Int
    /// The amount by which a quiet sample decrements the count; nil resets it.
    let decrement: Int?
}

extension MPU6050Registers {
    /// Rev 4.2 of the register map omits much of the motion interrupt. The bits of ACCEL_HPF (0x1C), MOT_DUR (0x20) and
    /// MOT_DETECT_CTRL (0x69) are from its earlier revisions. One step of MOT_THR (0x1F) is taken as the product
    /// specification's "intelligence function increment" of 32 mg (PS-MPU-6000A-00 rev 3.4, §6.2); some early copies of
    /// the map, and libraries based on them, say 2 mg.
    var motionSettings: MotionSettings {
        if kind == .mpu6500 {
            return MotionSettings(
                filter: highPass,
                threshold: Float(self[MPU6050Map.motionThreshold]) * 0.004, duration: 1, decrement: nil)
        }
        let count = self[MPU6050Map.motionDetectControl] & 0x03
        return MotionSettings(
            filter: highPass, threshold: Float(self[MPU6050Map.motionThreshold]) * 0.032,
            duration: max(Int(self[MPU6050Map.motionDuration]), 1), decrement: count == 0 ? nil : 1 << Int(count - 1))
    }

    var highPass: MotionSettings.HighPass {
        if kind == .mpu6500 { return self[MPU6050Map.motionDetectControl] == 0xC0 ? .previous : .reset }
        return switch self[MPU6050Map.accelConfig] & 0x07 {
        case 1: .corner(5)
        case 2: .corner(2.5)
        case 3: .corner(1.25)
        case 4: .corner(0.63)
        case 7: .hold
        default: .reset
        }
    }
}

/// Compares samples with a reference, and counts those that differ by more than the threshold.
///
/// A count that was reached starts again, so a sensor that came to rest in another posture raises the interrupt
/// repeatedly until the reference is set again.
struct MotionDetector {
    /// The reference for comparison, in g; nil before the first sample.
    var reference: SIMD3<Float>?
    private var counter = 0

    init() {}

    /// Takes a sample. If the interrupt is due, returns the axes in motion as bits of MOT_DETECT_STATUS (x negative is
    /// 0x80, z positive 0x04), otherwise nil.
    ///
    /// `milliseconds`: since the previous sample; in the low-power cycle each sample counts as one.
    mutating func examine(
        _ sample: SIMD3<Float>, _ settings: MotionSettings, seconds: Double, milliseconds: Int
    ) -> UInt8? {
        let distance = highPassed(sample, settings.filter, seconds)
        let axes = Self.axes(of: distance, beyond: settings.threshold)
        guard axes != 0 else {
            counter = settings.decrement.map { max(counter - $0, 0) } ?? 0
            return nil
        }
        counter += milliseconds
        guard counter >= settings.duration else { return nil }
        counter = 0
        return axes
    }

    /// The sample minus the reference, which is low-pass filtered.
    private mutating func highPassed(
        _ sample: SIMD3<Float>, _ filter: MotionSettings.HighPass, _ seconds: Double
    ) -> SIMD3<Float> {
        guard let past = reference, filter != .reset else {
            reference = sample
            return .zero
        }
        if case .corner(let hertz) = filter {
            reference = past + (sample - past) * Float(1 - exp(-2 * Double.pi * hertz * seconds))
        }
        if filter == .previous { reference = sample }
        return sample - past
    }

    private static func axes(of distance: SIMD3<Float>, beyond threshold: Float) -> UInt8 {
        var bits: UInt8 = 0
        for axis in 0..<3 {
            if distance[axis] < -threshold { bits |= 0x80 >> UInt8(2 * axis) }
            if distance[axis] > threshold { bits |= 0x40 >> UInt8(2 * axis) }
        }
        return bits
    }
}
