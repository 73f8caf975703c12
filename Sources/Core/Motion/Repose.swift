import Quantities

/// What a window shows of a sensor at rest.
public struct Repose: Sendable {
    /// The mean acceleration, in g: gravity, and the chip's zero-g offset.
    public var mean: Acceleration
    /// Standard deviation of the vector, in g: the root of the three axes' summed variances.
    public var deviation: Float
    /// The slow part of it: the deviation of the means of eight parts of 0.64 s, in g. A breath takes several of them.
    public var sway: Float
    /// The fast part: the deviation that white noise would need for the differences between neighbouring samples, in g.
    public var flutter: Float
    /// What the chip's thermometer showed, in degrees Celsius; nil for a chip without one.
    public var temperature: Float?

    public init(mean: Acceleration, deviation: Float, sway: Float, flutter: Float, temperature: Float? = nil) {
        self.mean = mean
        self.deviation = deviation
        self.sway = sway
        self.flutter = flutter
        self.temperature = temperature
    }

    /// Measures a window, without allocating.
    public init(_ window: Window) {
        let samples = window.samples
        let parts = 8
        let length = Window.length / parts
        var mean = Acceleration.zero
        for sample in samples { mean = mean + sample * (1 / Float(Window.length)) }
        var (all, slow, fast) = (Float(0), Float(0), Float(0))
        for part in 0..<parts {
            var sum = Acceleration.zero
            for index in part * length..<(part + 1) * length {
                let distance = samples[index] - mean
                sum = sum + distance
                all += distance.dot(distance)
                guard index > 0 else { continue }
                let change = samples[index] - samples[index - 1]
                fast += change.dot(change)
            }
            slow += sum.dot(sum) / Float(length * length)
        }
        self.init(
            mean: mean, deviation: (all / Float(Window.length)).squareRoot(), sway: (slow / Float(parts)).squareRoot(),
            flutter: (fast / Float(2 * (Window.length - 1))).squareRoot(), temperature: window.temperature)
    }
}
