import Signal
import Testing

/// The bounds are the figures reached on the same recordings, with a small margin.
@Suite(.enabled(if: RecordedData.isPresent, RecordedData.absence))
struct RecordedStepTests {
    /// The mean, over recordings, of the error as a share of the true steps.
    private func meanError(_ isWanted: (RecordedData.Entry) -> Bool) throws -> Double {
        let entries = try RecordedData.entries(isWanted)
        let errors = try entries.compactMap { entry -> Double? in
            guard let truth = entry.trueSteps else { return nil }
            return Double(abs(try RecordedData.steps(RecordedData.samples(entry)) - truth)) / Double(truth)
        }
        try #require(errors.count >= 8)
        let mean = errors.reduce(0, +) / Double(errors.count)
        print("\(entries[0].dataset): step error \(mean) over \(errors.count) walks")
        return mean
    }

    @Test func walksWithFootSwitchesInSevenPlaces() throws {
        // Every second of 48.
        var count = 0
        let error = try meanError { entry in
            guard entry.dataset == "oxford_steps_opt" else { return false }
            count += 1
            return count % 2 == 0
        }
        #expect(error <= 0.03)
    }

    @Test func countedWalksAtTheWrist() throws {
        #expect(try meanError { $0.dataset == "wrist_steps" && $0.activity == "walking" } <= 0.04)
    }

    @Test(arguments: ["stationary", "automotive"])
    func anHourAtADeskAndTwoDrivesHaveFewFalseSteps(activity: String) throws {
        for entry in try RecordedData.entries({ $0.dataset == "wrist_steps" && $0.activity == activity }) {
            let steps = try RecordedData.steps(RecordedData.samples(entry))
            // Bare: the classifier keeps these from counting.
            #expect(Double(steps - entry.trueSteps!) / entry.hours <= 130, "\(entry.name)")
        }
    }

    @Test func trainsHaveFewFalseSteps() throws {
        let rides = try RecordedData.entries { $0.dataset.hasPrefix("transport") && $0.activity == "rail" }
        try #require(rides.count >= 4)
        let steps = try rides.map { try RecordedData.steps(RecordedData.samples($0)) }.reduce(0, +)
        #expect(Double(steps) / rides.map(\.hours).reduce(0, +) <= 130, "bare: the classifier keeps them from counting")
    }
}
