import Core

/// The sampling rate of the chip.
struct SamplingPlan: Equatable {
    let mode: MPU6050Registers.PowerMode
    /// Nanoseconds between two results of the output stage, from which all other rates are divided.
    let base: Double
    /// Bases from one sample to the next.
    let divider: Int64
    /// Bases from one conversion of the accelerometer to the next: 8 if the gyroscope runs at 8 kHz and samples repeat
    /// the accelerometer's latest conversion.
    let basesPerConversion: Int64

    var samplePeriod: Interval { Interval(nanoseconds: Int64(base * Double(divider))) }
}

/// The times of the samples. Each is computed from the start, so that rounding errors do not accumulate.
struct SampleGrid {
    let plan: SamplingPlan
    /// The time of sample 0.
    let start: BootTime

    func time(ofSample index: Int64) -> BootTime { time(ofBase: index * plan.divider) }

    /// The time of the conversion that sample `index` reports.
    func conversion(ofSample index: Int64) -> BootTime {
        let base = index * plan.divider
        return time(ofBase: base - base % plan.basesPerConversion)
    }

    /// The number of samples taken up to and including `time`.
    func samples(through time: BootTime) -> Int64 {
        guard time >= start else { return 0 }
        var count = Int64(Double((time - start).nanoseconds) / (plan.base * Double(plan.divider)))
        while self.time(ofSample: count) <= time { count += 1 }
        while count > 0, self.time(ofSample: count - 1) > time { count -= 1 }
        return count
    }

    private func time(ofBase index: Int64) -> BootTime {
        start + Interval(nanoseconds: Int64(Double(index) * plan.base))
    }
}
