import Devices
import Core
import Signal

/// Assembles windows at 25 Hz from the samples of a chip's FIFO, whatever the chip's own rate.
///
/// Samples come without a gap; after one, begin with a new assembler. A chip of another rate is resampled as a recording
/// is: each sample is the mean, over its 40 ms, of the straight lines through the chip's samples.
public struct WindowAssembler {
    private static let step = Interval.milliseconds(40)

    private let period: Interval
    /// At 25 Hz, oldest first.
    private var samples: [Acceleration] = []
    /// The latest sample of the chip, and the time from it back to where the mean is computed up to.
    private var latest: Acceleration?
    /// The filled part of the 40 ms under way, and the integral so far, in g·ns.
    private var filled = Interval.zero
    private var integral = Acceleration.zero

    /// - Parameter period: From one sample of the chip to the next.
    public init(period: Interval) { self.period = period }

    /// Samples at 25 Hz that the window still lacks.
    var missing: Int { max(Window.length - samples.count, 0) }

    /// Samples of the chip that make the window whole.
    var wanted: Int {
        guard period != Self.step else { return missing }
        let lacking = Self.step * Int64(missing) - filled
        let whole = (lacking.nanoseconds + period.nanoseconds - 1) / period.nanoseconds
        return max(Int(whole), 0) + (latest == nil ? 1 : 0)
    }

    /// - Parameter drained: in the order in which the chip took them, after those of the call before.
    public mutating func add(_ drained: [Acceleration]) {
        guard period != Self.step else { return samples += drained }
        for sample in drained {
            if let latest { integrate(from: latest, to: sample) }
            latest = sample
        }
    }

    /// Takes the oldest samples that make a window, and drops them; nil while some are missing. The temperature is asked for then.
    public mutating func takeWindow(temperature: () -> Float? = { nil }) -> Window? {
        guard samples.count >= Window.length else { return nil }
        defer { samples.removeFirst(Window.length) }
        return Window(Array(samples.prefix(Window.length)), temperature: temperature())
    }

    /// The straight line over one period of the chip, cut where samples at 25 Hz end.
    private mutating func integrate(from start: Acceleration, to end: Acceleration) {
        let slope = (end - start) * (1 / Float(period.nanoseconds))
        var done = Interval.zero
        while done < period {
            let length = min(period - done, Self.step - filled)
            // The mean of a straight line over a stretch is its value in the middle of the stretch.
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
