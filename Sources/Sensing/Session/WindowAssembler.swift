import Devices
import Core
import Signal

/// Assembles windows at 25 Hz from the samples of a chip's FIFO, at any rate of the chip.
///
/// The samples must have no gap; after one, begin with a new assembler. Other rates are resampled as in a recording:
/// each sample is the mean, over its 40 ms, of the straight lines through the chip's samples.
public struct WindowAssembler {
    private static let step = Interval.milliseconds(40)

    private let period: Interval
    /// At 25 Hz, oldest first.
    private var samples: [Acceleration] = []
    /// The latest sample of the chip, up to which the mean is computed; nil before the first.
    private var latest: Acceleration?
    /// The filled part of the current 40 ms, and the integral so far, in g·ns.
    private var filled = Interval.zero
    private var integral = Acceleration.zero

    /// - Parameter period: the time from one sample of the chip to the next.
    public init(period: Interval) { self.period = period }

    /// The number of samples at 25 Hz that the window still lacks.
    var missing: Int { max(Window.length - samples.count, 0) }

    /// The number of samples of the chip that complete the window.
    var wanted: Int {
        guard period != Self.step else { return missing }
        let lacking = Self.step * Int64(missing) - filled
        let whole = (lacking.nanoseconds + period.nanoseconds - 1) / period.nanoseconds
        return max(Int(whole), 0) + (latest == nil ? 1 : 0)
    }

    /// - Parameter drained: in the order of the chip, after those of the previous call.
    public mutating func add(_ drained: [Acceleration]) {
        guard period != Self.step else { return samples += drained }
        for sample in drained {
            if let latest { integrate(from: latest, to: sample) }
            latest = sample
        }
    }

    /// Removes the oldest samples that make a window; nil while some are missing. `temperature` is called only for a
    /// window.
    public mutating func takeWindow(temperature: () -> Float? = { nil }) -> Window? {
        guard samples.count >= Window.length else { return nil }
        defer { samples.removeFirst(Window.length) }
        return Window(Array(samples.prefix(Window.length)), temperature: temperature())
    }

    /// Integrates the straight line over one period of the chip, cut where samples at 25 Hz end.
    private mutating func integrate(from start: Acceleration, to end: Acceleration) {
        let slope = (end - start) * (1 / Float(period.nanoseconds))
        var done = Interval.zero
        while done < period {
            let length = min(period - done, Self.step - filled)
            // The mean of a straight line over an interval is its value in the middle.
            let middle = Float(done.nanoseconds) + Float(length.nanoseconds) / 2
            integral = integral + (start + slope * middle) * Float(length.nanoseconds)
            done += length
            filled += length
            guard filled == Self.step else { continue }
            samples.append(integral * (1 / Float(Self.step.nanoseconds)))
            integral = .zero
            filled = .zero
        }
    }
}
