/// The features of the movement around an epoch. `Training/sleep_features.py` defines each.
struct SleepFeatures {
    var shortMean: Float = 0
    var longMean: Float = 0
    var greatest: Float = 0
    var restless: Float = 0
    var restlessSince: Float = 0
    var restlessUntil: Float = 0
}

/// The levels of the epochs of a time in bed, and the rests among them.
struct SleepMovement {
    /// A level is log2(1 + 2.5 count / mean count).
    private static let gain: Float = 2.5
    /// An epoch above this level moved: a count of 0.4 of the mean.
    private static let moved: Float = 1
    /// The quiet epochs in a row that make a rest: 5 min.
    private static let rest = 10
    /// The epochs of rest that halve the restlessness: 7 min.
    private static let halfLife: Float = 14
    /// Longer stillness, in epochs, carries no more information: 30 min.
    private static let longest = 60
    /// The epochs to either side of the windows: 1.5 and 15.5 min in all, and 15 min to either side.
    private static let short = 1
    private static let long = 15
    private static let far = 30

    private(set) var isKnown: [Bool]
    /// 0 where unknown.
    private var levels: [Float]

    init(_ counts: [Float?]) {
        isKnown = counts.map { $0.map { $0 >= 0 && $0 < .infinity } ?? false }
        levels = [Float](repeating: 0, count: counts.count)
        var mean: Float = 0
        var known: Float = 0
        for case (let count?, true) in zip(counts, isKnown) {
            known += 1
            mean += (count - mean) / known
        }
        guard mean > 0 else { return }
        for index in counts.indices where isKnown[index] {
            levels[index] = (1 + Self.gain * (counts[index] ?? 0) / mean).binaryLogarithm
        }
    }

    func features() -> [SleepFeatures] {
        let resting = restingEpochs()
        var features = levels.indices.map { index in
            var epoch = SleepFeatures()
            epoch.shortMean = mean(around: index, reach: Self.short)
            epoch.longMean = mean(around: index, reach: Self.long)
            epoch.greatest = levels[reach(Self.far, around: index)].max() ?? 0
            return epoch
        }
        var walk = Restlessness()
        for index in levels.indices {
            walk.pass(isResting: resting[index], hasMoved: levels[index] > Self.moved)
            features[index].restless = walk.fade
            features[index].restlessSince = walk.fade * walk.stillness
        }
        walk = Restlessness()
        for index in levels.indices.reversed() {
            walk.pass(isResting: resting[index], hasMoved: levels[index] > Self.moved)
            features[index].restlessUntil = walk.fade * walk.stillness
        }
        return features
    }

    /// Walks through the epochs in one direction.
    private struct Restlessness {
        private var rested: Float = 0
        private var still = SleepMovement.longest

        mutating func pass(isResting: Bool, hasMoved: Bool) {
            if isResting { rested += 1 }
            still = hasMoved ? 0 : min(still + 1, SleepMovement.longest)
        }

        /// 1 before any rest, halved by every 7 min of it.
        var fade: Float { (-rested / SleepMovement.halfLife).binaryExponential }

        /// Logarithmic, because the first minute without movement tells more than the tenth.
        var stillness: Float { Float(1 + still).binaryLogarithm }
    }

    /// Whether each epoch belongs to a rest: known, and in an unbroken row of quiet ones. Unknown epochs neither count
    /// nor break the row.
    private func restingEpochs() -> [Bool] {
        var resting = [Bool](repeating: false, count: levels.count)
        var row = 0
        for index in levels.indices where isKnown[index] {
            row = levels[index] > Self.moved ? 0 : row + 1
            if row == Self.rest {
                // The remaining epochs of the row so far, counted backwards.
                var left = row
                var earlier = index
                while left > 0 {
                    if isKnown[earlier] {
                        resting[earlier] = true
                        left -= 1
                    }
                    earlier -= 1
                }
            } else if row > Self.rest {
                resting[index] = true
            }
        }
        return resting
    }

    private func reach(_ reach: Int, around index: Int) -> Range<Int> {
        max(index - reach, 0)..<min(index + reach + 1, levels.count)
    }

    /// The mean level of the known epochs within reach; 0 if there are none.
    private func mean(around index: Int, reach span: Int) -> Float {
        var sum: Float = 0
        var known: Float = 0
        for near in reach(span, around: index) where isKnown[near] {
            sum += levels[near]
            known += 1
        }
        return known > 0 ? sum / known : 0
    }
}
