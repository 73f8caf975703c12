import Quantities

/// What a simulated accelerometer feels: a wearer, a recording, a table.
public protocol AccelerationSource: AnyObject {
    /// Specific force in g in the sensor's frame at `time`.
    ///
    /// Called only for samples that the chip takes, with times that never decrease, and ahead of the clock where
    /// someone asks the chip for its next interrupt.
    func acceleration(at time: BootTime) -> Acceleration

    /// How warm the chip is at `time`, in degrees Celsius; nil where the source does not know, and the chip keeps a
    /// temperature of its own. Times come in any order.
    func temperature(at time: BootTime) -> Double?
}

extension AccelerationSource {
    public func temperature(at time: BootTime) -> Double? { nil }
}
