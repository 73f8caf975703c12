/// Judges one window on its own, by the networks of an `ActivityModel`.
public struct ActivityNet: Sendable {
    private typealias Numbers = UnsafeMutableBufferPointer<Float>

    private let model: ActivityModel

    public init(_ model: ActivityModel = .standard) { self.model = model }

    /// The probability of each activity, given the window alone. Allocates nothing. A NaN feature counts as the
    /// greatest input of the networks, so that the result is always a distribution.
    public func probabilities(of features: ActivityFeatures) -> ActivityProbabilities {
        withUnsafeTemporaryAllocation(of: Float.self, capacity: ActivityFeatures.count) { inputs in
            withUnsafeTemporaryAllocation(of: Float.self, capacity: ActivityModel.outputs) { likely in
                scale(features, into: inputs)
                likely.initialize(repeating: 0)
                for network in 0..<model.networks { run(network, on: inputs, addingTo: likely) }
                return ActivityProbabilities { likely[ActivityNet.output(of: $0)] }
            }
        }
    }

    /// The index of the activity among the networks' outputs.
    private static func output(of activity: Activity) -> Int {
        switch activity {
        case .stationary: 0
        case .walking: 1
        case .running: 2
        case .automotive: 3
        case .unknown: 4
        }
    }

    private func scale(_ features: ActivityFeatures, into inputs: Numbers) {
        features.withNumbers { numbers in
            for index in 0..<ActivityFeatures.count {
                let input = (numbers[index] - model.centre[index]) / model.spread[index]
                inputs[index] = max(-ActivityModel.clip, input < ActivityModel.clip ? input : ActivityModel.clip)
            }
        }
    }

    private func run(_ network: Int, on inputs: Numbers, addingTo likely: Numbers) {
        withUnsafeTemporaryAllocation(of: Float.self, capacity: model.hidden) { hidden in
            for unit in 0..<model.hidden {
                let row = network * model.hidden + unit
                let sum = ActivityNet.product(model.hiddenWeights, row: row, with: inputs)
                hidden[unit] = max(0, sum + model.hiddenBiases[row])
            }
            withUnsafeTemporaryAllocation(of: Float.self, capacity: ActivityModel.outputs) { scores in
                for index in 0..<ActivityModel.outputs {
                    let row = network * ActivityModel.outputs + index
                    let sum = ActivityNet.product(model.outputWeights, row: row, with: hidden)
                    scores[index] = sum + model.outputBiases[row]
                }
                ActivityNet.addShares(scores, to: likely)
            }
        }
    }

    /// Adds the softmax of the scores. Its exponents are at most 0, so it cannot overflow.
    private static func addShares(_ scores: Numbers, to likely: Numbers) {
        var greatest = scores[0]
        for score in scores { greatest = max(greatest, score) }
        var sum: Float = 0
        for index in scores.indices {
            scores[index] = (scores[index] - greatest).naturalExponential
            sum += scores[index]
        }
        for index in scores.indices { likely[index] += scores[index] / sum }
    }

    private static func product(_ matrix: [Float], row: Int, with vector: Numbers) -> Float {
        var sum: Float = 0
        for index in 0..<vector.count { sum += matrix[row * vector.count + index] * vector[index] }
        return sum
    }
}

extension ActivityFeatures {
    /// The first `count` properties, which lie one after another because all are of the same type.
    func withNumbers<Result>(_ body: (UnsafeBufferPointer<Float>) -> Result) -> Result {
        withUnsafeBytes(of: self) { bytes in
            body(UnsafeBufferPointer(rebasing: bytes.assumingMemoryBound(to: Float.self)[0..<ActivityFeatures.count]))
        }
    }
}
