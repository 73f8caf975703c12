import Core

extension ActivityFeatures {
    /// Measures a window. Works on the stack, without allocation.
    public init(_ window: Window) {
        self = withUprightWindow(window) { upright in
            var features = ActivityFeatures()
            features.mean = upright.mean
            features.measureStrength(upright)
            features.measureLengths(upright)
            features.measureSteadiness(upright)
            features.measureSpectra(upright)
            features.measureRhythm(upright)
            // Last, because it smooths the window in place.
            features.measureSmoothed(upright)
            return features
        }
    }

    private mutating func measureStrength(_ window: UprightWindow) {
        var (xx, xy, yy, zz) = (Float(0), Float(0), Float(0), Float(0))
        for index in 0..<Window.length {
            let vector = window.vectors[index]
            xx += vector.x * vector.x
            xy += vector.x * vector.y
            yy += vector.y * vector.y
            zz += vector.z * vector.z
        }
        let share = 1 / Float(Window.length)
        let variance = (xx + yy + zz) * share
        vectorDeviation = variance.squareRoot()
        vectorVariance = variance.level
        verticalShare = zz * share / max(variance, ActivityFeatures.noise)
        // The difference of the horizontal scatter's two eigenvalues, over their sum.
        let sum = (xx + yy) * share
        let (difference, mixed) = ((xx - yy) * share, 2 * xy * share)
        let floor = max(sum * sum, ActivityFeatures.noise * ActivityFeatures.noise)
        let linearity = (difference * difference + mixed * mixed - (floor - sum * sum)) / floor
        horizontalLinearity = max(0, min(1, linearity)).squareRoot()
    }

    private mutating func measureLengths(_ window: UprightWindow) {
        withUnsafeTemporaryAllocation(of: Float.self, capacity: Window.length) { ranked in
            var (squares, cubes, fourths) = (Float(0), Float(0), Float(0))
            for index in 0..<Window.length {
                let length = window.lengths[index]
                let square = length * length
                squares += square
                cubes += square * length
                fourths += square * square
                excess += max(length, 0)
                ranked[index] = length
            }
            let share = 1 / Float(Window.length)
            excess *= share
            let deviation = max((squares * share).squareRoot(), 1e-3)
            let variance = deviation * deviation
            skewness = max(-4, min(4, cubes * share / (variance * deviation)))
            kurtosis = (max(fourths * share / (variance * variance), 0.1) + 1).decimalLogarithm

            sort(ranked) { $0 }
            let typical = max(window.meanLength, 0.1)
            lowest = (window.meanLength + ranked[0]) / typical
            highest = (window.meanLength + ranked[Window.length - 1]) / typical
            percentile5 = ranked[6] / deviation
            percentile25 = ranked[32] / deviation
            percentile75 = ranked[95] / deviation
            percentile95 = ranked[121] / deviation
        }
    }

    private mutating func measureSteadiness(_ window: UprightWindow) {
        var (before, swaySum, stepSum) = (Acceleration.zero, Float(0), Float(0))
        for part in 0..<16 {
            let mean = window.mean(of: part * 8..<(part + 1) * 8)
            swaySum += mean.dot(mean)
            if part > 0 { stepSum += (mean - before).squaredLength }
            before = mean
        }
        sway = (swaySum / 16).level
        swayStep = (stepSum / 15).level

        var (least, greatest, shift) = (Float.infinity, Float(0), Float(0))
        for quarter in 0..<4 {
            let range = quarter * 32..<(quarter + 1) * 32
            let mean = window.mean(of: range)
            var spread: Float = 0
            for index in range { spread += (window.vectors[index] - mean).squaredLength }
            least = min(least, spread / 32)
            greatest = max(greatest, spread / 32)
            for other in 0..<quarter {
                shift = max(shift, (mean - window.mean(of: other * 32..<(other + 1) * 32)).squaredLength)
            }
        }
        quietestQuarter = least.level
        quarterRatio = greatest.level - least.level
        postureShift = shift.level
    }

    private mutating func measureRhythm(_ window: UprightWindow) {
        let (lengths, vectors) = (window.lengths, window.vectors)
        let length = Repetition { lengths[$0] * lengths[$1] }
        lengthRegularity = length.regularity
        lengthBest = length.best
        lengthCadence = length.cadence
        lengthLag4 = length.lag4
        lengthTrough = length.trough
        let vector = Repetition { vectors[$0].dot(vectors[$1]) }
        vectorRegularity = vector.regularity
        vectorBest = vector.best
        vectorCadence = vector.cadence
        vectorLag4 = vector.lag4
        vectorTrough = vector.trough
    }
}

extension UprightWindow {
    fileprivate func mean(of range: Range<Int>) -> Acceleration {
        var sum = Acceleration.zero
        for index in range { sum = sum + vectors[index] }
        return sum * (1 / Float(range.count))
    }
}

extension Acceleration {
    var squaredLength: Float { dot(self) }
}

/// Sorts ascending by insertion, in place; equal elements keep their order.
func sort<Element>(_ elements: UnsafeMutableBufferPointer<Element>, by key: (Element) -> Float) {
    for next in elements.indices.dropFirst() {
        let element = elements[next]
        let rank = key(element)
        var place = next
        while place > 0, key(elements[place - 1]) > rank {
            elements[place] = elements[place - 1]
            place -= 1
        }
        elements[place] = element
    }
}
