import Core

#if canImport(Musl)
import Musl
#else
import Glibc
#endif

/// What a pulse oximeter sees: skin that returns a share of the light, with the beats of a heart.
public struct SimulatedFinger: Sendable {
    /// Of the heart.
    public var beatsPerMinute: Double
    /// The counts that 1 mA returns at a range of 4096 nA and pulses of 411 µs.
    public var red: Double
    public var infrared: Double
    /// The change of light by a beat, as a share of the whole.
    public var redPulse: Double
    public var infraredPulse: Double

    /// A finger: 18,000 and 20,000 counts/mA, and a stronger pulse in the infrared. A wrist returns a tenth of it.
    public init(
        beatsPerMinute: Double = 70, red: Double = 18_000, infrared: Double = 20_000, redPulse: Double = 0.008,
        infraredPulse: Double = 0.016
    ) {
        self.beatsPerMinute = beatsPerMinute
        self.red = red
        self.infrared = infrared
        self.redPulse = redPulse
        self.infraredPulse = infraredPulse
    }

    /// Counts for 1 mA at a time. More blood absorbs more light.
    public func light(at time: BootTime) -> (red: Double, infrared: Double) {
        let phase = 2 * Double.pi * beatsPerMinute / 60 * Double(time.nanoseconds) / 1e9
        // A steep rise and a slow fall.
        let blood = 0.5 + 0.35 * sin(phase) + 0.15 * sin(2 * phase)
        return (red * (1 - redPulse * blood), infrared * (1 - infraredPulse * blood))
    }
}
