import Core

/// Distorts the acceleration, as the inverse of a correction.
public final class UncalibratedSource: AccelerationSource {
    private let source: any AccelerationSource
    private let correction: Correction

    /// - Parameter correction: The correction that the chip then needs.
    public init(_ source: any AccelerationSource, needing correction: Correction) {
        self.source = source
        self.correction = correction
    }

    public func acceleration(at time: BootTime) -> Acceleration {
        let felt = source.acceleration(at: time)
        let gain = correction.gain
        return Acceleration(x: felt.x / gain.x, y: felt.y / gain.y, z: felt.z / gain.z) + correction.offset
    }

    public func temperature(at time: BootTime) -> Double? { source.temperature(at: time) }
}

extension SimulatedIMU {
    /// The same kind, with gains and offsets that need a correction.
    public func needing(_ correction: Correction) -> SimulatedIMU {
        SimulatedIMU(id: id, address: address) { source, clock, noise, error, seed in
            chip(
                feeling: UncalibratedSource(source, needing: correction), clock: clock, noiseDensity: noise,
                oscillatorError: error, seed: seed)
        }
    }
}
