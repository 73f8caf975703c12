/// The constants of small neural networks that judge a window: a hidden layer of rectified units and a softmax over the
/// activities. The networks' probabilities are averaged, because the average depends less on random initialisation than
/// a single network.
///
/// A feature x enters as (x − `centre`) / `spread`, clipped to ±`clip`. Arrays of several dimensions are flat, and the
/// last dimension runs fastest.
public struct ActivityModel: Sendable {
    /// Stationary, walking, running, automotive, unknown, in this order.
    static let outputs = 5
    static let clip: Float = 4

    let networks: Int
    /// Units of each network's hidden layer.
    let hidden: Int
    let centre: [Float]
    let spread: [Float]
    /// By network, hidden unit and feature.
    let hiddenWeights: [Float]
    /// By network and hidden unit.
    let hiddenBiases: [Float]
    /// By network, activity and hidden unit.
    let outputWeights: [Float]
    /// By network and activity.
    let outputBiases: [Float]

    /// Nil unless the arrays have the sizes of one model for the 70 numbers of `ActivityFeatures`, all finite and every
    /// spread above 0.
    public init?(
        centre: [Float], spread: [Float], hiddenWeights: [Float], hiddenBiases: [Float], outputWeights: [Float],
        outputBiases: [Float]
    ) {
        let inputs = ActivityFeatures.count
        let outputs = ActivityModel.outputs
        networks = outputBiases.count / outputs
        guard networks > 0 else { return nil }
        hidden = hiddenBiases.count / networks
        guard hidden > 0, outputBiases.count == networks * outputs, hiddenBiases.count == networks * hidden,
            centre.count == inputs, spread.count == inputs, hiddenWeights.count == networks * hidden * inputs,
            outputWeights.count == networks * outputs * hidden
        else { return nil }
        for numbers in [centre, spread, hiddenWeights, hiddenBiases, outputWeights, outputBiases] {
            for number in numbers where !number.isFinite { return nil }
        }
        for number in spread where number <= 0 { return nil }
        self.centre = centre
        self.spread = spread
        self.hiddenWeights = hiddenWeights
        self.hiddenBiases = hiddenBiases
        self.outputWeights = outputWeights
        self.outputBiases = outputBiases
    }

    /// The model that the device uses, trained on all recordings.
    public static let standard = ActivityModel()

    private init() {
        centre = ActivityConstants.centre
        spread = ActivityConstants.spread
        hiddenWeights = ActivityConstants.hiddenWeights
        hiddenBiases = ActivityConstants.hiddenBiases
        outputWeights = ActivityConstants.outputWeights
        outputBiases = ActivityConstants.outputBiases
        networks = outputBiases.count / ActivityModel.outputs
        hidden = hiddenBiases.count / networks
    }
}
