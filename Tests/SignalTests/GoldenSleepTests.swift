import Foundation
import Testing

@testable import Signal

/// Nights, features and scores computed by `Training`, in 64 bits.
private struct GoldenNights: Decodable {
    struct Night: Decodable {
        let counts: [Float?]
        let features: [[Double]]
        let scores: [Double]
    }

    let features: [String]
    let nights: [Night]

    static func read() throws -> GoldenNights {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        return try JSONDecoder().decode(
            Self.self, from: Data(contentsOf: folder.appendingPathComponent("golden-sleep.json")))
    }
}

/// The device must compute the features and scores of the training.
@Suite struct GoldenSleepTests {
    @Test func featuresAndScoresAreThoseOfTheTraining() throws {
        let golden = try GoldenNights.read()
        try #require(golden.nights.count >= 10)
        var worst = 0.0
        for (number, night) in golden.nights.enumerated() {
            let movement = SleepMovement(night.counts)
            let features = movement.features()
            let scores = SleepScorer.scores(movement)
            try #require(scores.count == night.scores.count)
            for index in night.counts.indices where night.counts[index] != nil {
                let mine = numbers(features[index]) + [scores[index]]
                let training = night.features[index] + [night.scores[index]]
                for (place, (mine, training)) in zip(mine, training).enumerated() {
                    let error = abs(Double(mine) - training) / max(1, abs(training))
                    #expect(error <= 1e-4, "night \(number), epoch \(index), number \(place): \(mine), not \(training)")
                    worst = max(worst, error)
                }
            }
        }
        print("sleep: at most \(worst) from the training")
    }

    @Test func verdictsAreThoseOfTheTraining() throws {
        for (number, night) in try GoldenNights.read().nights.enumerated() {
            let asleep = SleepScorer().asleep(night.counts)
            for index in night.counts.indices where night.counts[index] != nil && abs(night.scores[index]) > 1e-3 {
                #expect(asleep[index] == (night.scores[index] > 0), "night \(number), epoch \(index)")
            }
        }
    }

    @Test func thePropertiesStandInTheOrderOfTheTraining() throws {
        let names = Mirror(reflecting: SleepFeatures()).children.compactMap(\.label)
        let trained = try GoldenNights.read().features
        #expect(names == trained)
    }

    private func numbers(_ features: SleepFeatures) -> [Float] {
        Mirror(reflecting: features).children.compactMap { $0.value as? Float }
    }
}
