import Core

/// Deviations from the register map that were seen on real boards. None by default.
public struct MPU6050Quirks: Sendable {
    /// The duration of a DEVICE_RESET. Until it ends, its bit reads 1 and writes are lost. The product specification
    /// allows up to 100 ms until registers answer after power-up.
    public var resetTime = Interval.zero
    /// From sleep to the first sample at full rate.
    public var startUp = Interval.milliseconds(30)
    /// The time after sleep in which samples show half of the acceleration.
    public var settling = Interval.zero
    /// The time after sleep in which writes are lost, except to PWR_MGMT_1.
    public var deafAfterWaking = Interval.zero
    /// The filter before the motion detector holds zero if `hold` is selected within this time after another low-pass
    /// filter was chosen.
    public var filterTime = Interval.zero
    /// Whether the overflow bit of INT_STATUS is always set (Linux, commit 6e82ae6b8d11); it then holds a latched INT
    /// if enabled.
    public var overflowIsStuck = false
    /// The next write of this value to this register is acknowledged and lost.
    public var lostWrite: (register: UInt8, value: UInt8)?

    public init() {}
}
