import Core

extension ActivityFeatures {
    /// The samples of a window after smoothing.
    private static let smoothLength = Window.length - 4
    private static let parts = 10
    private static let partLength = 12
    /// A hundredth of a milli-g, so that rounding at rest does not count as zero crossings.
    private static let negative: Float = -1e-5

    /// Rate of change of the smoothed length (`stir`) and of the smoothed vector (`turn`): mean squares, in g².
    private struct Part {
        var stir: Float = 0
        var turn: Float = 0
    }

    /// Smooths the window in place and measures the result.
    mutating func measureSmoothed(_ window: UprightWindow) {
        smooth(window)
        let line = window.lengths
        smoothVariance = ActivityFeatures.variance(line[0..<ActivityFeatures.smoothLength]).level
        measureSmoothQuarters(line)
        measureParts(window)
        var crossings = 0
        for index in 1..<ActivityFeatures.smoothLength
        where (line[index] < ActivityFeatures.negative) != (line[index - 1] < ActivityFeatures.negative) {
            crossings += 1
        }
        smoothCrossings = Float(crossings) / Float(ActivityFeatures.smoothLength - 1)
    }

    /// The binomial filter (1 4 6 4 1)/16: passes 2 Hz with 0.88, 4 Hz with 0.59, 6.25 Hz with 0.25.
    private func smooth(_ window: UprightWindow) {
        let (lengths, vectors) = (window.lengths, window.vectors)
        for index in 0..<ActivityFeatures.smoothLength {
            let lengthSides = lengths[index] + lengths[index + 4] + 4 * (lengths[index + 1] + lengths[index + 3])
            lengths[index] = (lengthSides + 6 * lengths[index + 2]) * (1 / 16)
            let vectorSides = vectors[index] + vectors[index + 4] + (vectors[index + 1] + vectors[index + 3]) * 4
            vectors[index] = (vectorSides + vectors[index + 2] * 6) * (1 / 16)
        }
    }

    private mutating func measureSmoothQuarters(_ line: UnsafeMutableBufferPointer<Float>) {
        withUnsafeTemporaryAllocation(of: Float.self, capacity: 4) { quarters in
            let length = ActivityFeatures.smoothLength / 4
            for quarter in 0..<4 {
                quarters[quarter] = ActivityFeatures.variance(line[quarter * length..<(quarter + 1) * length])
            }
            sort(quarters) { $0 }
            smoothQuarter0 = quarters[0].level
            smoothQuarter1 = quarters[1].level
            smoothQuarter2 = quarters[2].level
            smoothQuarter3 = quarters[3].level
        }
    }

    private mutating func measureParts(_ window: UprightWindow) {
        withUnsafeTemporaryAllocation(of: Part.self, capacity: ActivityFeatures.parts) { parts in
            for index in parts.indices { parts[index] = ActivityFeatures.part(index, of: window) }
            sort(parts) { $0.turn }
            turn0 = parts[0].turn.level
            turn2 = parts[2].turn.level
            turn5 = parts[5].turn.level
            turn9 = parts[9].turn.level
            var calm = Part()
            for part in parts.prefix(5) {
                calm.stir += part.stir / 5
                calm.turn += part.turn / 5
            }
            calmStir = calm.stir.level - calm.turn.level
            sort(parts) { $0.stir }
            stir0 = parts[0].stir.level
            stir2 = parts[2].stir.level
            stir5 = parts[5].stir.level
            stir9 = parts[9].stir.level
        }
    }

    private static func part(_ number: Int, of window: UprightWindow) -> Part {
        var part = Part()
        for index in number * partLength..<(number + 1) * partLength {
            let change = window.lengths[index + 1] - window.lengths[index]
            part.stir += change * change / Float(partLength)
            part.turn += (window.vectors[index + 1] - window.vectors[index]).squaredLength / Float(partLength)
        }
        return part
    }

    private static func variance(_ values: Slice<UnsafeMutableBufferPointer<Float>>) -> Float {
        let share = 1 / Float(values.count)
        var (mean, variance) = (Float(0), Float(0))
        for value in values { mean += value * share }
        for value in values { variance += (value - mean) * (value - mean) * share }
        return variance
    }
}
