import Core

/// Corrects the samples of an accelerometer, and passes all other calls to it.
public final class CalibratedAccelerometer: Accelerometer {
    private let sensor: any Accelerometer
    private let correction: Correction

    /// Does not touch the bus.
    public init(_ sensor: any Accelerometer, _ correction: Correction) {
        self.sensor = sensor
        self.correction = correction
    }

    public var chip: Chip { sensor.chip }
    public var countsSteps: Bool {
        get { sensor.countsSteps }
        set { sensor.countsSteps = newValue }
    }

    public func initialise() throws(SensorError) { try sensor.initialise() }
    public func start() throws(SensorError) { try sensor.start() }
    public func startSlowly() throws(SensorError) { try sensor.startSlowly() }

    public func drain(_ most: Int) throws(SensorError) -> Drain {
        var drained = try sensor.drain(most)
        for index in drained.samples.indices {
            drained.samples[index] = correction.applied(to: drained.samples[index])
        }
        return drained
    }

    public func rest(wakeOnMotion: Bool) throws(SensorError) { try sensor.rest(wakeOnMotion: wakeOnMotion) }
    public func hasMoved() throws(SensorError) -> Bool { try sensor.hasMoved() }
    public func sleep() throws(SensorError) { try sensor.sleep() }
    public func temperature() throws(SensorError) -> Float? { try sensor.temperature() }
    public func stepCount() throws(SensorError) -> UInt16? { try sensor.stepCount() }
}
