import Core

/// A sample of a recording at 25 Hz.
public struct ResampledSample: Equatable, Sendable {
    /// The middle of the 40 ms that the sample stands for, on the recording's own clock.
    public var time: Interval
    public var acceleration: Acceleration
    /// The label of the recording at `time`.
    public var label: String?
    /// The first sample, or the first after a gap: windows and step rhythms must start again.
    public var startsSegment: Bool
}

/// Resamples a recording of any rate to 25 Hz.
///
/// Each sample is the mean, over its 40 ms, of straight lines through the recorded points: a faster recording is
/// averaged, which attenuates aliases, and a slower one is interpolated. A gap of more than `longestGap` is not
/// bridged; an incomplete sample before it is dropped.
///
/// Add one sample with `add`, then call `next` until it returns nil. State is of fixed size.
public struct Resampler: Sendable {
    /// The time between two samples.
    public static let step = Interval.milliseconds(40)
    public static let longestGap = Interval.seconds(1)

    private var left: RecordedSample?
    private var right: RecordedSample?
    /// The 40 ms being filled: their start, the time up to which they are filled, the integral so far (g·s) and the
    /// label at their middle.
    private var slotStart = Interval.zero
    private var filledUpTo = Interval.zero
    private var integral = Acceleration.zero
    private var label: String?
    private var startsSegment = true

    public init() {}

    /// Takes the next recorded sample; its time must not be earlier than the last.
    public mutating func add(_ sample: RecordedSample) {
        left = right
        right = sample
        if let left, sample.time - left.time <= Self.longestGap { return }
        left = nil
        startsSegment = true
        slotStart = sample.time
        filledUpTo = sample.time
        integral = .zero
    }

    /// The next sample at 25 Hz; nil if another recorded sample must be added first.
    public mutating func next() -> ResampledSample? {
        guard let left, let right else { return nil }
        let slotEnd = slotStart + Self.step
        let end = min(slotEnd, right.time)
        integrate(from: left, to: right, until: end)
        guard end == slotEnd else { return nil }
        defer {
            slotStart = slotEnd
            integral = .zero
            startsSegment = false
        }
        return ResampledSample(
            time: slotStart + Self.step / 2, acceleration: integral * (1 / seconds(Self.step)), label: label,
            startsSegment: startsSegment)
    }

    private mutating func integrate(from left: RecordedSample, to right: RecordedSample, until end: Interval) {
        guard filledUpTo < end else { return }
        let middle = slotStart + Self.step / 2
        if filledUpTo < middle, middle <= end { label = right.label }
        // The mean of a straight line over an interval is its value at the middle.
        let centre = seconds(filledUpTo - left.time + (end - left.time)) / 2
        let slope = (right.acceleration - left.acceleration) * (1 / seconds(right.time - left.time))
        integral = integral + (left.acceleration + slope * centre) * seconds(end - filledUpTo)
        filledUpTo = end
    }
}

private func seconds(_ interval: Interval) -> Float { Float(interval.nanoseconds) * 1e-9 }
