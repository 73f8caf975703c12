import Core
import Domains
import Recordings
import Sensing
import TestFiles
import Testing

@testable import Simulation

/// Workouts of real people with a telephone, through chip, driver and session.
@Suite(.enabled(if: sharedRecordings != nil, "skipped: no recordings beside the checkout (../shared/recordings-2)"))
struct RecordedWorkoutTests {
    private static let walks = [
        "transport_bk_0009", "transport_bk_0016", "transport_bk_0018", "transport_mlqs25_0004", "wrist_steps_0011",
    ]

    private struct Spell {
        let start, end: WallTime
        let isWalk: Bool
    }

    /// Recordings one after another, each half a minute after the one before: their truth, and the spans of the workouts.
    private func play(_ names: [String]) throws -> (truth: [Spell], workouts: [ClosedRange<WallTime>]) {
        let recordings = try names.map { name in
            let dataset = name.split(separator: "_").dropLast().joined(separator: "_")
            let file = try #require(sharedRecordings).appending(path: "\(dataset)/\(name).csv.gz")
            let reader = try RecordingReader(path: file.path)
            var samples: RecordedWearer.Samples = []
            while let row = try reader.next() { samples.append((row.time, row.acceleration)) }
            return samples
        }
        let day = UTCDay(daysSinceEpoch: 20_103)
        let clock = VirtualClock(bootingAt: day.start + .hours(8))
        let wearer = RecordedWearer(recordings, from: clock.now.boot + .seconds(30), pause: .seconds(30))
        var truth: [Spell] = []
        var start = clock.now.wall + .seconds(30)
        for (name, samples) in zip(names, recordings) {
            let end = start + (samples[samples.count - 1].time - samples[0].time)
            let isWalk = Self.walks.contains(name)
            // A pause of half a minute ends no workout.
            let last = isWalk && truth.last?.isWalk == true ? truth.removeLast() : nil
            truth.append(Spell(start: last?.start ?? start, end: end, isWalk: isWalk))
            start = end + .seconds(30)
        }
        let devices = SimulatedDevices(source: wearer, pulses: [], clock: clock, hasPulseLine: false, seed: 1)
        let store = MemoryStore()
        let service = SensingService(
            rules: SensingRules(), devices: devices, store: store, note: { _ in }, signal: {})
        service.allow(CollectionOrder(domains: DomainSet([.motion, .steps, .walks])), at: clock.now)
        ServiceRun(service: service, devices: devices, seed: 1).run(until: clock.now.wall(at: wearer.end) + .minutes(6))
        service.stop(at: clock.now)
        let row = store.figures(of: day, with: service.session).first { $0.figure == .workouts }?.value.numbers ?? []
        let workouts = stride(from: 0, to: row.count, by: 5).map { index in
            let began = WallTime(secondsSinceEpoch: row[index + 1])
            return began...began + .minutes(row[index + 2])
        }
        return (truth, workouts)
    }

    @Test(arguments: [
        [
            "transport_bk_0008", "transport_bk_0009", "transport_bk_0003", "transport_bk_0016", "transport_bk_0006",
            "transport_bk_0018",
        ],
        [
            "transport_mlqs25_0002", "transport_mlqs25_0004", "transport_mlqs25_0004", "transport_mlqs25_0003",
            "transport_mlqs25_0006",
        ],
        ["wrist_steps_0012", "wrist_steps_0011", "wrist_steps_0009"],
    ]) func onlyTheWalksAmongRidesOnRailBicyclesAndInCarsAreWorkouts(names: [String]) throws {
        let (truth, workouts) = try play(names)
        let walked = truth.filter(\.isWalk)
        try #require(workouts.count == walked.count)
        for (walk, workout) in zip(walked, workouts) {
            #expect(abs((workout.lowerBound - walk.start).inSeconds) <= 120)
            #expect(abs((workout.upperBound - walk.end).inSeconds) <= 120)
        }
    }
}
