import Foundation
import Core
import Testing

@testable import Signal

/// Windows, features and probabilities computed by `Training`, in 64 bits.
private struct Golden: Decodable {
    struct Case: Decodable {
        let samples: [Int]
        let features: [Double]
        let probabilities: [Double]
    }

    let scale: Float
    let features: [String]
    let classes: [String]
    let windows: [Case]

    static func read() throws -> Golden {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("golden.json")
        return try JSONDecoder().decode(Golden.self, from: Data(contentsOf: file))
    }

    func window(_ one: Case) throws -> Window {
        let samples = stride(from: 0, to: one.samples.count, by: 3).map { index in
            Acceleration(
                x: Float(one.samples[index]) / scale, y: Float(one.samples[index + 1]) / scale,
                z: Float(one.samples[index + 2]) / scale)
        }
        return try #require(Window(samples))
    }
}

/// The device must compute the features and probabilities of the training.
@Suite struct GoldenActivityTests {
    @Test func featuresAreThoseOfTheTraining() throws {
        let golden = try Golden.read()
        try #require(golden.windows.count >= 100)
        var worst = (error: 0.0, name: "")
        for (number, one) in golden.windows.enumerated() {
            let features = ActivityFeatures(try golden.window(one))
            let numbers = features.withNumbers { Array($0) }
            for (index, name) in golden.features.enumerated() {
                let error = abs(Double(numbers[index]) - one.features[index]) / max(1, abs(one.features[index]))
                #expect(error <= 1e-4, "window \(number), \(name): \(numbers[index]), not \(one.features[index])")
                if error > worst.error { worst = (error, name) }
            }
        }
        print("features: at most \(worst.error) from those of the training (\(worst.name))")
    }

    @Test func probabilitiesAreThoseOfTheTraining() throws {
        let golden = try Golden.read()
        let activities = try golden.classes.map { name in
            try #require(Activity.allCases.first { "\($0)" == name })
        }
        var worst = 0.0
        for (number, one) in golden.windows.enumerated() {
            let likely = ActivityNet().probabilities(of: ActivityFeatures(try golden.window(one)))
            for (index, activity) in activities.enumerated() {
                let error = abs(Double(likely[activity]) - one.probabilities[index])
                #expect(error <= 1e-3, "window \(number), \(activity)")
                worst = max(worst, error)
            }
        }
        print("probabilities: at most \(worst) from those of the training")
    }

    @Test func thePropertiesStandInTheOrderOfTheTraining() throws {
        let features = ActivityFeatures(window(gait(stepsPerMinute: 110, strength: 0.3)))
        let properties = Array(Mirror(reflecting: features).children.prefix(ActivityFeatures.count))
        let names = try Golden.read().features
        #expect(properties.compactMap { $0.label } == names)
        #expect(properties.compactMap { $0.value as? Float } == features.withNumbers { Array($0) })
    }

    @Test func theConstantsAreOneModelAndSmall() throws {
        func numbers(_ keyPath: KeyPath<ActivityModel, [Float]>) -> [Float] { ActivityModel.standard[keyPath: keyPath] }
        let arrays: [[Float]] = [
            numbers(\.centre), numbers(\.spread), numbers(\.hiddenWeights), numbers(\.hiddenBiases),
            numbers(\.outputWeights), numbers(\.outputBiases),
        ]
        func model(_ change: (inout [[Float]]) -> Void) -> ActivityModel? {
            var changed = arrays
            change(&changed)
            return ActivityModel(
                centre: changed[0], spread: changed[1], hiddenWeights: changed[2], hiddenBiases: changed[3],
                outputWeights: changed[4], outputBiases: changed[5])
        }
        func isRefused(_ change: (inout [[Float]]) -> Void) -> Bool { model(change) == nil }
        let whole = try #require(model { _ in })
        #expect(whole.networks == ActivityModel.standard.networks)
        #expect(whole.hidden == ActivityModel.standard.hidden)
        for index in arrays.indices {
            #expect(isRefused { $0[index].removeLast() }, "array \(index)")
            #expect(isRefused { $0[index][0] = .nan }, "array \(index)")
        }
        #expect(isRefused { $0[1][7] = 0 })
        #expect(isRefused { $0 = Array(repeating: [], count: 6) })
        let count = arrays.reduce(0) { $0 + $1.count }
        #expect(4 * count <= 32 * 1024)
    }
}
