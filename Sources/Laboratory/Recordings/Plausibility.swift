import Core

/// Checks that the rows of a recording together agree with its header: times and accelerations in their units, and
/// gravity in the acceleration.
///
/// State is of fixed size. Fewer than five seconds without a gap are never doubted.
struct Plausibility {
    /// The lowest rate at which a step can be told from a bump.
    private static let fewestRowsPerSecond: Int64 = 5
    /// A rate above that of any worn accelerometer. Ten rows a second come to 10,000 when seconds are taken for
    /// milliseconds.
    private static let mostRowsPerSecond: Int64 = 5_000
    /// The most rows that may come in a burst.
    private static let burst: Int64 = 500
    /// A time over which a body's velocity changes little, so that the mean acceleration is gravity: 1 g, or less where
    /// the sensor turns meanwhile, as on a limb.
    private static let stretch = Interval.seconds(5)
    /// In g. Recordings of every activity, at the wrist, in pockets and in bags, show 0.6 to 1.2; the same without
    /// gravity 0.2 at most, also of people who run.
    private static let gravity: ClosedRange<Float> = 0.4...2

    private var previous: Interval?
    private var gaps: Int64 = 0
    /// Rows that followed the one before without a gap, and the time that they took.
    private var steady = (rows: Int64(0), time: Interval.zero)
    /// The stretch under way: its start, its rows and their sum.
    private var current = (start: Interval.zero, rows: Float(0), sum: Acceleration.zero)
    /// Stretches without a gap, and the sum of the lengths of their means.
    private var stretches = (count: Float(0), gravity: Float(0))

    /// - Parameter sample: not earlier than the one added last.
    mutating func add(_ sample: RecordedSample) {
        let step = previous.map { sample.time - $0 }
        previous = sample.time
        if let step, step <= Resampler.longestGap {
            steady = (steady.rows + 1, steady.time + step)
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

    /// The fault of the recording, nil for none. Call it once every row has been added.
    func fault(in file: String, _ unit: AccelerationUnit) -> RecordingError? {
        if isTooSlow { return .tooSlow(file: file) }
        if isTooFast { return .tooFast(file: file) }
        guard stretches.count > 0 else { return nil }
        let felt = stretches.gravity / stretches.count
        return Self.gravity.contains(felt) ? nil : .implausibleGravity(file: file, felt: Double(felt), unit: unit)
    }

    /// Whether the recording is long enough to judge and has too few rows, or has more gaps than rows without one.
    private var isTooSlow: Bool {
        gaps > steady.rows
            || steady.time >= Self.stretch && steady.rows < Self.fewestRowsPerSecond * steady.time.inSeconds
    }

    private var isTooFast: Bool {
        steady.rows > Self.burst && steady.time.nanoseconds < steady.rows * (1_000_000_000 / Self.mostRowsPerSecond)
    }
}
