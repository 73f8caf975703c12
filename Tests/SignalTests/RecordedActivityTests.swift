import Core
import Signal
import Testing

/// The device's judgements of the training's recordings. The standard model has learnt from these very recordings, so
/// the bounds say nothing about other people (docs/accuracy.md does).
@Suite(.enabled(if: RecordedData.isPresent, RecordedData.absence))
struct RecordedActivityTests {
    private static let labels: [String: Activity] = [
        "SITTING": .stationary, "STANDING": .stationary, "LAYING": .stationary, "WALKING": .walking,
        "WALKING_UPSTAIRS": .walking, "WALKING_DOWNSTAIRS": .walking,
    ]

    /// Every fifth recording of HAPT, which are of different people.
    private func waist() throws -> [RecordedData.Entry] {
        try RecordedData.entries { $0.dataset == "hapt" }.enumerated().filter { $0.offset % 5 == 0 }.map(\.element)
    }

    private func rightShare(as seen: (Acceleration) -> Acceleration) throws -> Double {
        var right = 0
        var all = 0
        for entry in try waist() {
            var judge = ActivityJudge()
            for (window, label) in try RecordedData.windows(RecordedData.samples(entry), as: seen) {
                let seen = judge.judge(ActivityFeatures(window), after: Window.duration)
                guard let truth = label.flatMap({ Self.labels[$0] }) else { continue }
                all += 1
                if seen.activity == truth { right += 1 }
            }
        }
        try #require(all > 300)
        print("hapt: still against walking right in \(right) of \(all) windows")
        return Double(right) / Double(all)
    }

    @Test func stillAgainstWalkingIsRightAtTheWaist() throws {
        #expect(try rightShare { $0 } >= 0.97)
    }

    @Test func itIsRightThroughTheEyesOfAnMPU6050Too() throws {
        // ±8 g in 16 bits, and a zero-g offset that its datasheet allows.
        let share = try rightShare { actual in
            func quantised(_ value: Float) -> Float { (value * 4096).rounded() / 4096 }
            return Acceleration(
                x: quantised(actual.x + 0.05), y: quantised(actual.y - 0.05), z: quantised(actual.z + 0.08))
        }
        #expect(share >= 0.97)
    }

    private func shares(_ isWanted: (RecordedData.Entry) -> Bool) throws -> [Activity: Double] {
        var counts: [Activity: Double] = [:]
        for entry in try RecordedData.entries(isWanted) {
            var judge = ActivityJudge()
            for (window, _) in try RecordedData.windows(RecordedData.samples(entry)) {
                counts[judge.judge(ActivityFeatures(window), after: Window.duration).activity, default: 0] += 1
            }
        }
        let all = counts.values.reduce(0, +)
        try #require(all > 50)
        return counts.mapValues { $0 / all }
    }

    @Test func joggingIsRunning() throws {
        let shares = try shares { $0.dataset == "wisdm2019" && $0.activity == "running" && $0.name.hasSuffix("0") }
        #expect(shares[.running, default: 0] >= 0.85)
    }

    @Test func anHourAtADeskIsNotWalking() throws {
        let shares = try shares { $0.dataset == "wrist_steps" && $0.activity == "stationary" }
        #expect(shares[.stationary, default: 0] >= 0.78)
        #expect(shares[.walking, default: 0] <= 0.02)
    }

    @Test(arguments: ["transport_bk", "transport_g67", "transport_giray", "wrist_steps"])
    func ridesAreNotWalking(dataset: String) throws {
        let shares = try shares { $0.dataset == dataset && ["automotive", "rail"].contains($0.activity) }
        #expect(shares[.walking, default: 0] + shares[.running, default: 0] <= 0.03)
        #expect(shares[.automotive, default: 0] >= 0.5)
    }

    @Test func cyclingIsMostlyUnknown() throws {
        let shares = try shares { $0.dataset == "transport_bk" && $0.activity == "cycling" }
        #expect(shares[.unknown, default: 0] >= 0.6)
        #expect(shares[.walking, default: 0] <= 0.12)
    }

    @Test func countedWalksAtTheWristAreWalking() throws {
        let shares = try shares { $0.dataset == "wrist_steps" && $0.activity == "walking" }
        #expect(shares[.walking, default: 0] >= 0.93)
    }
}
