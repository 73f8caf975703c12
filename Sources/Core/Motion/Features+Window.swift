import Quantities

extension Features {
    private static let quarters = 4
    private static let quarterLength = Window.length / quarters

    /// Measures a window. Works on the stack: nothing is allocated.
    public init(_ window: Window) {
        self = withUnsafeTemporaryAllocation(of: Float.self, capacity: Window.length) { magnitudes in
            for index in 0..<Window.length { magnitudes[index] = window.samples[index].magnitude }
            return Features(window.samples, magnitudes: UnsafeBufferPointer(magnitudes))
        }
    }

    private init(_ samples: [Acceleration], magnitudes: UnsafeBufferPointer<Float>) {
        let whole = VectorSpread(samples[...])
        let length = LengthShape(magnitudes)
        let rhythm = Periodicity(magnitudes, mean: length.mean, variance: length.variance)

        mean = whole.mean
        vectorDeviation = whole.variance.squareRoot()
        verticalShare = whole.variance > 0 ? whole.varianceAlongMean / whole.variance : 0
        reach = whole.reach
        jerk = Features.jerk(samples)

        meanMagnitude = length.mean
        magnitudeDeviation = length.variance.squareRoot()
        lowestMagnitude = length.lowest
        peakToPeak = length.highest - length.lowest
        enmo = length.enmo
        skewness = length.skewness
        meanCrossings = length.meanCrossings
        highFrequencyShare = length.highFrequencyShare

        regularity = rhythm.regularity
        period = rhythm.period

        var quarterMeans = (Acceleration.zero, Acceleration.zero, Acceleration.zero, Acceleration.zero)
        quietestVectorDeviation = .infinity
        quietestMagnitudeDeviation = .infinity
        postureShift = 0
        for quarter in 0..<Features.quarters {
            let range = quarter * Features.quarterLength..<(quarter + 1) * Features.quarterLength
            let spread = VectorSpread(samples[range])
            let shape = LengthShape(UnsafeBufferPointer(rebasing: magnitudes[range]))
            quietestVectorDeviation = min(quietestVectorDeviation, spread.variance.squareRoot())
            quietestMagnitudeDeviation = min(quietestMagnitudeDeviation, shape.variance.squareRoot())
            quarterMeans = (spread.mean, quarterMeans.0, quarterMeans.1, quarterMeans.2)
            if quarter > 0 { postureShift = max(postureShift, (quarterMeans.0 - quarterMeans.1).magnitude) }
            if quarter > 1 { postureShift = max(postureShift, (quarterMeans.0 - quarterMeans.2).magnitude) }
            if quarter > 2 { postureShift = max(postureShift, (quarterMeans.0 - quarterMeans.3).magnitude) }
        }
    }

    private static func jerk(_ samples: [Acceleration]) -> Float {
        var sum: Float = 0
        for index in 1..<samples.count {
            let change = samples[index] - samples[index - 1]
            sum += change.dot(change)
        }
        return (sum / Float(samples.count - 1)).squareRoot() * Window.rate
    }
}

/// Mean and spread of a run of samples.
private struct VectorSpread {
    var mean = Acceleration.zero
    /// Summed over the axes, in g².
    var variance: Float = 0
    /// The part of it along `mean`.
    var varianceAlongMean: Float = 0
    var reach: Float = 0

    init(_ samples: ArraySlice<Acceleration>) {
        let share = 1 / Float(samples.count)
        for sample in samples { mean = mean + sample * share }
        let length = mean.magnitude
        let direction = length > 0 ? mean * (1 / length) : .zero
        for sample in samples {
            let deviation = sample - mean
            let square = deviation.dot(deviation)
            let along = deviation.dot(direction)
            variance += square * share
            varianceAlongMean += along * along * share
            reach = max(reach, square)
        }
        reach = reach.squareRoot()
    }
}

/// How the samples' lengths are distributed and how fast they change.
private struct LengthShape {
    var mean: Float = 0
    var variance: Float = 0
    var lowest: Float = .infinity
    var highest: Float = 0
    var enmo: Float = 0
    var skewness: Float = 0
    var meanCrossings = 0
    var highFrequencyShare: Float = 0

    init(_ lengths: UnsafeBufferPointer<Float>) {
        let share = 1 / Float(lengths.count)
        for length in lengths {
            mean += length * share
            enmo += max(length - 1, 0) * share
            lowest = min(lowest, length)
            highest = max(highest, length)
        }
        var cubes: Float = 0
        var changes: Float = 0
        for index in 0..<lengths.count {
            let deviation = lengths[index] - mean
            variance += deviation * deviation * share
            cubes += deviation * deviation * deviation * share
            guard index > 0 else { continue }
            let change = lengths[index] - lengths[index - 1]
            changes += change * change
            if (deviation < 0) != (lengths[index - 1] < mean) { meanCrossings += 1 }
        }
        guard variance > 0 else { return }
        skewness = cubes / (variance * variance.squareRoot())
        highFrequencyShare = changes / Float(lengths.count - 1) / (4 * variance)
    }
}
