import Core
import Testing

@testable import Simulation

@Suite struct SimulatedLifeTests {
    static let firstDay = UTCDay(daysSinceEpoch: 20_101)
    static let seeds: [UInt64] = [1, 2, 3, 4, 5]

    static func week(_ seed: UInt64) -> WearerLife { WearerLife(firstDay: firstDay, days: 7, seed: seed) }

    @Test(arguments: seeds) func episodesCoverAllTimeWithoutAGapOrAnOverlap(seed: UInt64) {
        let life = Self.week(seed)
        #expect(life.episodes.first?.start == life.start)
        #expect(life.episodes.last?.end == life.end)
        #expect(zip(life.episodes, life.episodes.dropFirst()).allSatisfy { $0.end == $1.start })
        #expect(life.episodes.allSatisfy { $0.start < $0.end })
    }

    @Test(arguments: seeds) func theTruthOfAllDaysIsThatOfTheEpisodes(seed: UInt64) {
        let life = Self.week(seed)
        let sedentary = life.episodes.filter(\.kind.isSedentary).reduce(Interval.zero) { $0 + ($1.end - $1.start) }
        #expect(life.truth.map(\.day) == (0..<7).map { Self.firstDay + $0 })
        #expect(life.truth.reduce(0) { $0 + $1.steps } == life.steps.count)
        #expect(life.truth.reduce(Interval.zero) { $0 + $1.sedentary } == sedentary)
    }

    @Test(arguments: seeds) func stepsAreTakenInOrderAndOnlyWhileWalkingOrRunning(seed: UInt64) {
        let life = Self.week(seed)
        #expect(zip(life.steps, life.steps.dropFirst()).allSatisfy { $0 < $1 })
        #expect(life.stepRanges.last?.upperBound == life.steps.count)
        for (episode, range) in zip(life.episodes, life.stepRanges) {
            let walks = episode.kind == .walking || episode.kind == .running
            #expect(range.isEmpty == !walks)
            #expect(life.steps[range].allSatisfy { episode.start <= $0 && $0 < episode.end })
        }
    }

    @Test(arguments: seeds) func aWeekHoldsEverythingThatAPersonDoes(seed: UInt64) {
        let life = Self.week(seed)
        #expect(Set(life.episodes.map(\.kind)) == Set(Episode.Kind.allCases))
        #expect(life.truth.filter { !$0.longSittings.isEmpty }.count >= 5)
        #expect(life.truth.allSatisfy { (6_500...18_000).contains($0.steps) })
        #expect((1...2).contains(life.episodes.filter { $0.kind == .running }.count))
        #expect(Set(life.truth.map(\.steps)).count == 7)
    }

    @Test func theQuartersOfADayAddUpToTheDay() {
        let life = WearerLife(firstDay: UTCDay(daysSinceEpoch: 20_103), days: 3, seed: 7)
        #expect(life.quarters.count == 3 * 96)
        for (index, day) in life.truth.enumerated() {
            let quarters = life.quarters[(index * 96)..<(index * 96 + 96)]
            #expect(quarters.first?.start == day.day.start)
            #expect(quarters.map(\.steps).reduce(0, +) == day.steps)
            #expect(quarters.map(\.sedentary).reduce(.zero, +) == day.sedentary)
            #expect(quarters.allSatisfy { $0.sedentary <= QuarterTruth.length })
            for quarter in quarters {
                let span = quarter.start..<(quarter.start + QuarterTruth.length)
                let steps = life.steps.filter { span.contains($0) }
                #expect(quarter.steps == steps.count)
            }
        }
    }

    @Test func theTypicalDayIsWhatTheBenchmarkStates() throws {
        let life = WearerLife.typicalDay(Self.firstDay)
        func hours(_ kinds: Episode.Kind...) -> Double {
            Double(
                life.episodes.filter { kinds.contains($0.kind) }.reduce(0) { $0 + ($1.end - $1.start).inSeconds })
                / 3600
        }
        let truth = try #require(life.truth.first)
        #expect(hours(.sleeping) == 8)
        #expect((8.0...10.0).contains(hours(.sitting)))
        #expect((0.9...1.1).contains(hours(.driving)))
        #expect((8_200...8_800).contains(truth.steps))
        #expect(truth.longSittings.count == 1)
    }

    @Test func aSeedGivesTheSameLifeAndAnotherSeedAnother() {
        #expect(Self.week(1).episodes == Self.week(1).episodes)
        #expect(Self.week(1).steps == Self.week(1).steps)
        #expect(Self.week(1).episodes != Self.week(2).episodes)
    }

    @Test(arguments: seeds) func aDayDoesNotDependOnTheDaysAfterIt(seed: UInt64) {
        let day = WearerLife(firstDay: Self.firstDay, days: 1, seed: seed)
        #expect(day.steps == Array(Self.week(seed).steps.prefix(day.steps.count)))
    }

    @Test func ninetyMinutesOfSittingGoOnThroughADriveAndEndWithAWalk() {
        // 60 minutes, a drive, 40 minutes: reached 30 minutes into the second sitting. Never again after the walk.
        let life = WearerLife(
            firstDay: Self.firstDay,
            episodes: [.sitting: 60, .driving: 20, .standing: 40, .walking: 3, .sitting: 80, .off: 10, .sitting: 85])
        #expect(life.truth[0].longSittings == [life.start + .minutes(110)])
        #expect(life.truth[0].sedentary == .minutes(265))
    }

    @Test func aSittingAcrossMidnightBelongsToBothDays() {
        let life = WearerLife(firstDay: Self.firstDay, episodes: [.sleeping: 1430, .sitting: 30, .sleeping: 1420])
        #expect(life.truth.map(\.sedentary) == [.minutes(10), .minutes(20)])
    }
}

extension WearerLife {
    /// Episodes one after another, each with its length in minutes.
    init(firstDay: UTCDay, episodes script: KeyValuePairs<Episode.Kind, Int64>) {
        var episodes: [Episode] = []
        var now = firstDay.start
        for (kind, minutes) in script {
            let cadence: Double = kind == .walking ? 110 : 0
            episodes.append(Episode(kind: kind, start: now, end: now + .minutes(minutes), cadence: cadence))
            now = now + .minutes(minutes)
        }
        let days = Int((now - firstDay.start).inMinutes + 1439) / 1440
        self.init(firstDay: firstDay, days: days, episodes: episodes, seed: 1)
    }
}
