import Core

/// The motion of a simulated accelerometer: of a wearer, a recording or a table.
public protocol AccelerationSource: AnyObject {
    /// Specific force in g in the sensor's frame at `time`.
    ///
    /// Called only for samples that the chip takes, with times that never decrease. It is called ahead of the clock
    /// when the chip's next interrupt is computed.
    func acceleration(at time: BootTime) -> Acceleration

    /// The temperature of the chip at `time`, in degrees Celsius; nil if the source has none, and the chip uses its
    /// own. Times come in any order.
    func temperature(at time: BootTime) -> Double?
}

extension AccelerationSource {
    public func temperature(at time: BootTime) -> Double? { nil }
}
