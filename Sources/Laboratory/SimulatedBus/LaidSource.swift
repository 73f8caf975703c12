import Core

/// A sensor that is taken off and laid down now and then.
final class LaidSource: AccelerationSource {
    private let worn: any AccelerationSource
    private let position: () -> Acceleration?

    /// - Parameter position: The gravity that the sensor feels where it lies; nil while it is worn.
    init(_ worn: any AccelerationSource, position: @escaping () -> Acceleration?) {
        self.worn = worn
        self.position = position
    }

    func acceleration(at time: BootTime) -> Acceleration { position() ?? worn.acceleration(at: time) }

    func temperature(at time: BootTime) -> Double? { worn.temperature(at: time) }
}

extension SimulatedIMU {
    /// The same kind, whose sensor lies still while there is a `position`.
    public func laid(_ position: @escaping @Sendable () -> Acceleration?) -> SimulatedIMU {
        SimulatedIMU(id: id, address: address) { source, clock, noise, error, seed in
            chip(
                feeling: LaidSource(source, position: position), clock: clock, noiseDensity: noise,
                oscillatorError: error, seed: seed)
        }
    }
}
