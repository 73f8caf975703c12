import Core
import Signal
import Testing

@Suite struct GaitStepsTests {
    private let walk = samples(seconds: 60, gait(stepsPerMinute: 110, strength: 0.3))

    private func belief(_ activity: Activity) -> ActivityProbabilities {
        ActivityProbabilities { $0 == activity ? 0.98 : 0.005 }
    }

    /// Steps credited by each window of the walk, where `activity` is believed after it, and at the end.
    private func credits(_ activity: (Int) -> Activity) -> [Int] {
        var steps = GaitSteps()
        var credits: [Int] = []
        for (index, sample) in walk.enumerated() {
            steps.add(sample)
            guard (index + 1) % Window.length == 0 else { continue }
            credits.append(steps.credit(given: belief(activity(credits.count)), alone: .even))
        }
        return credits + [steps.finish()]
    }

    @Test func creditsAWalkThatTheClassifierSees() {
        var detector = StepDetector()
        let expected = walk.reduce(0) { $0 + detector.add($1) }
        #expect(abs(expected - 110) <= 2)
        #expect(credits { _ in .walking }.reduce(0, +) == expected)
    }

    @Test func creditsNothingThatItTakesForSomethingElse() {
        for activity in [Activity.automotive, .unknown] {
            #expect(credits { _ in activity }.allSatisfy { $0 == 0 })
        }
    }

    @Test func creditsTheBeginningOfAWalkThatIsRecognisedLate() {
        let prompt = credits { _ in .walking }
        let late = credits { $0 < 2 ? .unknown : .walking }
        #expect(late.prefix(2).allSatisfy { $0 == 0 })
        let credited: Int = late.reduce(0, +)
        let due: Int = prompt.reduce(0, +)
        #expect(credited == due)
    }

    @Test func dropsWhatPrecededAWalkByMoreThanItsPatience() {
        let prompt = credits { _ in .walking }
        let late = credits { $0 < 8 ? .unknown : .walking }
        let credited: Int = late.reduce(0, +)
        let due: Int = prompt.dropFirst(8).reduce(0, +)
        #expect(credited == due)
    }

    @Test func theEndCreditsOnlyAWalkThatGoesOn() throws {
        #expect(walk.count % Window.length > 50, "some steps follow the last window")
        #expect(try #require(credits { _ in .walking }.last) > 0)
        #expect(credits { $0 < 10 ? .walking : .unknown }.last == 0)
    }
}
