/// Adds the power spectra of two real signals of a window's length to `first` and `second`, which may be the same
/// memory and hold `PowerSpectrum.bins` numbers each.
///
/// Power is in g² per bin of 25/128 Hz; the sum of all bins is about the signal's variance. Bin 0 is left unchanged.
func addPower(
    of firstSignal: (Int) -> Float, to first: UnsafeMutableBufferPointer<Float>,
    of secondSignal: (Int) -> Float, to second: UnsafeMutableBufferPointer<Float>
) {
    withUnsafeTemporaryAllocation(of: Complex.self, capacity: Window.length) { values in
        for index in 0..<Window.length {
            let weight = 0.5 - 0.5 * Sine.cosine(of: 2 * index + 1)
            values[bitReversed(index)] = Complex(
                real: weight * firstSignal(index), imaginary: weight * secondSignal(index))
        }
        transform(values)
        for bin in 1..<PowerSpectrum.bins {
            // Both signals are real, so the symmetric part belongs to the first and the rest to the second.
            let (here, there) = (values[bin], values[Window.length - bin])
            let share = bin == Window.length / 2 ? PowerSpectrum.scale / 2 : PowerSpectrum.scale
            first[bin] +=
                share * square(here.real + there.real, here.imaginary - there.imaginary) / 4
            second[bin] +=
                share * square(here.imaginary + there.imaginary, here.real - there.real) / 4
        }
    }
}

/// The power of a signal by frequency.
struct PowerSpectrum {
    static let bins = Window.length / 2 + 1
    /// Two-sided, over the window's length and the summed squares of the Hann weights, which are 3/8 on average.
    fileprivate static let scale = 2 / (Float(Window.length * Window.length) * 3 / 8)
    /// In Hz.
    private static let resolution = Window.rate / Float(Window.length)
    /// A variance of (0.1 mg)², spread over a window. Power below this is rounding error and counts as zero.
    private static let silence: Float = 1e-8 / Float(Window.length)

    /// The bins of the six bands, whose edges are 0.3, 0.7, 1.2, 1.7, 2.4, 3.3 and 4.5 Hz.
    static let bands = (2..<4, 4..<7, 7..<9, 9..<13, 13..<17, 17..<24)
    /// 0.5 to 4.5 Hz.
    static let movement = 3..<24
    /// 0.25 to 1 Hz, and 1 to 4.5 Hz.
    static let slow = 2..<6
    static let fast = 6..<24
    /// 1.4 to 3.5 Hz: steps.
    static let pace = 7..<19

    let power: UnsafeMutableBufferPointer<Float>

    func level(_ range: Range<Int>) -> Float {
        var sum: Float = 0
        for bin in range { sum += power[bin] }
        return sum.level
    }

    /// log₂ of the frequency with the most power, of this spectrum and another added together.
    func dominant(with other: PowerSpectrum? = nil) -> Float {
        var best = 2
        var most = PowerSpectrum.silence
        for bin in 2..<PowerSpectrum.bins {
            let sum = power[bin] + (other?.power[bin] ?? 0)
            if sum > most { (best, most) = (bin, sum) }
        }
        return (Float(best) * PowerSpectrum.resolution).binaryLogarithm
    }

    func strongest(_ range: Range<Int>) -> Int {
        var best = range.lowerBound
        for bin in range where power[bin] > power[best] { best = bin }
        return best
    }

    /// The power of the bin, with the part that the Hann window spreads to its neighbours.
    func sum(around bin: Int) -> Float { power[bin - 1] + power[bin] + power[bin + 1] }

    /// The same at half the frequency of the bin; for an odd bin, at the two bins beside it.
    func sum(aroundHalfOf bin: Int) -> Float {
        bin.isMultiple(of: 2) ? sum(around: bin / 2) : power[bin / 2] + power[bin / 2 + 1]
    }

    /// The spread of the power in `movement`: entropy from 0 to 1, mean frequency in Hz, greatest share of a bin.
    func spread() -> (entropy: Float, centroid: Float, peak: Float) {
        let floor = ActivityFeatures.noise / 64
        var sum: Float = 0
        for bin in PowerSpectrum.movement { sum += power[bin] + floor }
        var (entropy, centroid, peak) = (Float(0), Float(0), Float(0))
        for bin in PowerSpectrum.movement {
            let share = (power[bin] + floor) / sum
            entropy -= share * share.binaryLogarithm
            centroid += share * Float(bin) * PowerSpectrum.resolution
            peak = max(peak, share)
        }
        return (entropy / Float(PowerSpectrum.movement.count).binaryLogarithm, centroid, peak)
    }
}

private struct Complex {
    var real: Float
    var imaginary: Float
}

private func square(_ x: Float, _ y: Float) -> Float { x * x + y * y }

/// The seven bits of an index of a window, reversed.
private func bitReversed(_ index: Int) -> Int {
    var (rest, reversed) = (index, 0)
    for _ in 0..<7 {
        reversed = reversed << 1 | rest & 1
        rest >>= 1
    }
    return reversed
}

/// The Cooley–Tukey fast Fourier transform, in place, of values in bit-reversed order.
private func transform(_ values: UnsafeMutableBufferPointer<Complex>) {
    var half = 1
    while half < Window.length {
        for step in 0..<half {
            let angle = step * (Sine.turn / 2 / half)
            let (cosine, sine) = (Sine.cosine(of: angle), Sine.of(angle))
            for lower in stride(from: step, to: Window.length, by: 2 * half) {
                let (even, odd) = (values[lower], values[lower + half])
                let real = odd.real * cosine + odd.imaginary * sine
                let imaginary = odd.imaginary * cosine - odd.real * sine
                values[lower] = Complex(real: even.real + real, imaginary: even.imaginary + imaginary)
                values[lower + half] = Complex(real: even.real - real, imaginary: even.imaginary - imaginary)
            }
        }
        half *= 2
    }
}
