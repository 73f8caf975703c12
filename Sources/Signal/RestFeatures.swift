import Core

/// The features of a window that distinguish a body from an object at rest.
public struct RestFeatures: Sendable {
    /// The mean acceleration, in g: gravity, and the chip's zero-g offset.
    public var mean: Acceleration
    /// Standard deviation of the vector, in g: the root of the three axes' summed variances.
    public var deviation: Float
    /// The slow part of `deviation`: the deviation of the means of eight parts of 0.64 s, in g. A breath takes several
    /// of them.
    public var sway: Float
    /// The fast part of `deviation`: the deviation, in g, of white noise with the same differences between neighbouring
    /// samples, or between neighbouring means of four, whichever is more. Only the second is valid for interpolated
    /// samples, as from a slow recording; only the first sees vibration of 6¼ or 12½ Hz.
    public var flutter: Float
    /// The reading of the chip's thermometer, in degrees Celsius; nil for a chip without one.
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
        var (all, slow) = (Float(0), Float(0))
        for part in 0..<parts {
            var sum = Acceleration.zero
            for index in part * length..<(part + 1) * length {
                let distance = samples[index] - mean
                sum = sum + distance
                all += distance.dot(distance)
            }
            slow += sum.dot(sum) / Float(length * length)
        }
        self.init(
            mean: mean, deviation: (all / Float(Window.length)).squareRoot(), sway: (slow / Float(parts)).squareRoot(),
            flutter: max(Self.flutter(samples, meansOf: 1), Self.flutter(samples, meansOf: 4)),
            temperature: window.temperature)
    }

    /// The deviation of white noise with the same differences between successive means of `count` samples. `count` must
    /// divide the length of a window.
    private static func flutter(_ samples: [Acceleration], meansOf count: Int) -> Float {
        var squares = Float(0)
        var before: Acceleration?
        for start in stride(from: 0, to: samples.count, by: count) {
            let mean = samples[start..<start + count].reduce(.zero) { $0 + $1 } * (1 / Float(count))
            let change = mean - (before ?? mean)
            squares += change.dot(change)
            before = mean
        }
        return (squares * Float(count) / Float(2 * (samples.count / count - 1))).squareRoot()
    }
}
