/// Judges one window on its own, by a small decision tree that reads from top to bottom.
///
/// The tree looks first at how much moves in the quietest 1.28 s of the window, because a gait and a vehicle move
/// all the time and hands do not; then at rhythm; then at whether the shaking is along gravity. It knows nothing of
/// where the sensor is worn. What it cannot tell is `unknown`, or has `low` confidence.
///
/// Limits: a train on smooth rails looks like a chair; the wrist of a driver like that of someone at a desk; and
/// pedalling at walking pace like walking.
public struct Classifier: Sendable {
    private let limits = ClassifierThresholds()

    public init() {}

    public func judge(_ features: Features) -> Judgement {
        if let rest = resting(features) { return rest }
        if features.quietestVectorDeviation > limits.vigorousDeviation { return vigorous(features) }
        if let walk = walking(features) { return walk }
        if let ride = riding(features) { return ride }
        if features.quietestVectorDeviation < limits.pausingDeviation { return Judgement(.stationary, .low) }
        return unknown(features)
    }

    private func resting(_ features: Features) -> Judgement? {
        guard features.quietestMagnitudeDeviation < limits.restingDeviation else { return nil }
        return Judgement(.stationary, features.vectorDeviation < limits.undisturbedDeviation ? .high : .medium)
    }

    /// Movement that never lets up and is too strong for most walks.
    private func vigorous(_ features: Features) -> Judgement {
        guard features.regularity >= limits.rhythmic else { return unknown(features) }
        let runsByStride =
            limits.runningStrides.contains(features.cadence)
            && features.magnitudeDeviation > limits.runningMagnitudeDeviation
        if runsByStride || features.cadence >= limits.slowestRunningSteps {
            let isSure = features.quietestVectorDeviation > limits.surelyVigorousDeviation
            return Judgement(.running, isSure ? .high : .medium)
        }
        return hasWalkingCadence(features) ? Judgement(.walking, .medium) : unknown(features)
    }

    private func walking(_ features: Features) -> Judgement? {
        guard features.quietestMagnitudeDeviation > limits.leastGait,
            features.magnitudeDeviation > limits.leastGaitDeviation,
            features.skewness > limits.leastSkewness
        else { return nil }
        if features.regularity >= limits.rhythmic, features.cadence <= limits.walkingSteps.upperBound,
            !looksLikePedalling(features)
        {
            let isSure =
                features.regularity >= limits.veryRhythmic && features.skewness > 0 && hasWalkingCadence(features)
            return Judgement(.walking, isSure ? .high : .medium)
        }
        return isUnevenGait(features) ? Judgement(.walking, .low) : nil
    }

    private func hasWalkingCadence(_ features: Features) -> Bool {
        limits.walkingStrides.contains(features.cadence) || limits.walkingSteps.contains(features.cadence)
    }

    private func looksLikePedalling(_ features: Features) -> Bool {
        limits.pedalling.contains(features.cadence) && features.skewness < limits.pedallingSkewness
    }

    private func isUnevenGait(_ features: Features) -> Bool {
        features.regularity >= limits.looselyRhythmic && hasWalkingCadence(features)
            && features.quietestMagnitudeDeviation > limits.unevenGaitQuietest
            && features.lowestMagnitude > limits.unevenGaitLowest
            && features.highFrequencyShare < limits.unevenGaitHighFrequency
    }

    /// A vehicle's shaking, or, where it is faint and not along gravity, a body at rest.
    private func riding(_ features: Features) -> Judgement? {
        guard couldBeVibration(features) else { return nil }
        let quietest = features.quietestMagnitudeDeviation
        if features.verticalShare > limits.clearlyVertical {
            let isSure = features.verticalShare > limits.surelyVertical && quietest > limits.restlessDeviation
            return Judgement(.automotive, isSure ? .high : .medium)
        }
        if quietest < limits.restlessDeviation {
            return Judgement(.stationary, features.verticalShare < limits.possiblyVertical ? .medium : .low)
        }
        if features.verticalShare > limits.possiblyVertical, features.postureShift < limits.passengerShift {
            return Judgement(.automotive, .medium)
        }
        return features.postureShift < limits.calmPassengerShift ? Judgement(.automotive, .low) : nil
    }

    private func couldBeVibration(_ features: Features) -> Bool {
        let isBodily =
            features.magnitudeDeviation > limits.bodilyDeviation && features.regularity > limits.bodilyRegularity
        return !isBodily && features.quietestVectorDeviation < limits.strongestVibration
            && features.quietestMagnitudeDeviation < limits.strongestMagnitudeVibration
            && features.reach < limits.farthestVibration
    }

    /// Surely none of the known activities where it is strong, without pause and without rhythm.
    private func unknown(_ features: Features) -> Judgement {
        let isSure =
            features.quietestVectorDeviation > limits.bodilyDeviation * 2
            && features.regularity < limits.bodilyRegularity
        return Judgement(.unknown, isSure ? .medium : .low)
    }
}
