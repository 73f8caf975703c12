import Core

/// How a chip departs from the register map, as chips on boards have been seen to do. None at first.
public struct MPU6050Quirks: Sendable {
    /// The duration of a DEVICE_RESET. Until it is over its bit reads 1 and writes are lost. The product specification
    /// allows up to 100 ms until registers answer after power-up.
    public var resetTime = Interval.zero
    /// From sleep to the first sample at full rate.
    public var startUp = Interval.milliseconds(30)
    /// For so long after sleep a sample shows half of the acceleration.
    public var settling = Interval.zero
    /// For so long after sleep writes are lost, but for those of PWR_MGMT_1.
    public var deafAfterWaking = Interval.zero
    /// The filter before the motion detector holds zero if it is told to hold so soon after another low-pass filter was
    /// chosen.
    public var filterTime = Interval.zero
    /// The overflow bit of INT_STATUS is always set (Linux, commit 6e82ae6b8d11), and holds a latched INT where it is
    /// enabled.
    public var overflowIsStuck = false
    /// The next write of this value to this register is acknowledged and lost.
    public var lostWrite: (register: UInt8, value: UInt8)?

    public init() {}
}
