/// A driver of an accelerometer that is set up through 8-bit registers.
protocol RegisterDriver: Accelerometer, RegisterAccess where Facts == Chip {}

extension RegisterDriver {
    var facts: Chip { chip }

    /// A wake threshold in steps of a chip: rounded up, at least one and at most `most`. `threshold` and `step` have
    /// the same unit.
    static func wakeSteps(of threshold: Int, step: Int, most: UInt8) -> UInt8 {
        UInt8((min(max(threshold, 1), Int(most) * step) + step - 1) / step)
    }

    /// The error for an emptied FIFO that holds this many samples.
    func notEmptied(_ register: Register, holding samples: Int) -> SensorError {
        loseTrack()
        return .configurationRefused(place(of: register), wrote: 0, read: UInt8(clamping: samples))
    }
}
