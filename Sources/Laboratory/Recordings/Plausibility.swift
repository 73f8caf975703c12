import Core

/// Checks that the rows of a recording are consistent with its header: times and accelerations in their units, and
/// gravity in the acceleration.
///
/// State is of fixed size. Recordings with less than five gapless seconds are always accepted.
struct Plausibility {
    /// The lowest rate at which steps can be recognised.
    private static let fewestRowsPerSecond: Int64 = 5
    /// A rate above that of any worn accelerometer. Ten rows a second become 10,000 if seconds are mistaken for
    /// milliseconds.
    private static let mostRowsPerSecond: Int64 = 5_000
    /// The most rows that may come in a burst.
    private static let burst: Int64 = 500
    /// A time in which a body's velocity changes little, so that the mean acceleration is gravity: 1 g, or less if the
    /// sensor turns meanwhile, as on a limb.
    private static let stretch = Interval.seconds(5)
    /// In g. Recordings of every activity, at the wrist, in pockets and in bags, show 0.6 to 1.2; without gravity they
    /// show 0.2 at most, even of runners.
    private static let gravity: ClosedRange<Float> = 0.4...2
    /// Fewer stretches may show no more than a hand that waves: of them only the unit is judged …
    private static let fewestStretches: Float = 12
    /// … by the mean magnitude, in g. Recordings show 0.9 to 2.3.
    private static let magnitude: ClosedRange<Float> = 0.25...5

    private var previous: Interval?
    private var gaps: Int64 = 0
    /// The gapless rows so far, and the time that they took.
    private var steady = (rows: Int64(0), time: Interval.zero, magnitude: Float(0))
    /// The current stretch: its start, its rows and their sum.
    private var current = (start: Interval.zero, rows: Float(0), sum: Acceleration.zero)
    /// The number of gapless stretches, and the sum of the lengths of their means.
    private var stretches = (count: Float(0), gravity: Float(0))

    /// - Parameter sample: not earlier than the previous one.
    mutating func add(_ sample: RecordedSample) {
        let step = previous.map { sample.time - $0 }
        previous = sample.time
        if let step, step <= Resampler.longestGap {
            steady = (steady.rows + 1, steady.time + step, steady.magnitude + sample.acceleration.magnitude)
            if sample.time - current.start >= Self.stretch { endStretch(at: sample.time) }
        } else {
            if step != nil { gaps += 1 }
            current = (sample.time, 0, .zero)
        }
        current.rows += 1
        current.sum = current.sum + sample.acceleration
    }

    private mutating func endStretch(at time: Interval) {
        stretches.count += 1
        stretches.gravity += current.sum.magnitude / current.rows
        current = (time, 0, .zero)
    }

    /// The fault of the recording, nil for none. Call it after the last row.
    func fault(in file: String, _ unit: AccelerationUnit) -> RecordingError? {
        if isTooSlow { return .tooSlow(file: file) }
        if isTooFast { return .tooFast(file: file) }
        guard stretches.count > 0 else { return nil }
        let isShort = stretches.count < Self.fewestStretches
        let felt = isShort ? steady.magnitude / Float(steady.rows) : stretches.gravity / stretches.count
        let isPlausible = (isShort ? Self.magnitude : Self.gravity).contains(felt)
        return isPlausible ? nil : .implausibleGravity(file: file, felt: Double(felt), unit: unit)
    }

    /// Whether the recording is long enough to judge, but has too few rows or more gaps than gapless rows.
    private var isTooSlow: Bool {
        gaps > steady.rows
            || steady.time >= Self.stretch && steady.rows < Self.fewestRowsPerSecond * steady.time.inSeconds
    }

    private var isTooFast: Bool {
        steady.rows > Self.burst && steady.time.nanoseconds < steady.rows * (1_000_000_000 / Self.mostRowsPerSecond)
    }
}
