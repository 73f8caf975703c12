import Foundation
import Core
import Recordings
import TestFiles
import Testing

/// Recordings of real people, one after another, as long as an hour and more. They are not part of the project.
@Suite struct RecordedReplayTests {
    /// Vehicles and walks with a telephone; an hour at a desk, a walk, and a drive on the wrist.
    @Test(
        .enabled(if: sharedRecordings != nil, "skipped: no recordings beside the checkout (../shared/recordings-2)"),
        arguments: [("transport_bk", [8, 10, 6, 11, 8, 16]), ("wrist_steps", [12, 11, 9])])
    func lookingOnceAMinuteGivesTheMinutesOfLookingAllTheTime(dataset: String, numbers: [Int]) throws {
        let device = try TestDevice()
        let folder = try #require(sharedRecordings).appending(path: dataset)
        let parts = numbers.map { folder.appending(path: String(format: "\(dataset)_%04d.csv.gz", $0)).path }
        try device.write("long.csv", try Self.joined(parts))
        let sparse = try Self.minutes(["replay", "--json", device.path("long.csv")])
        let all = try Self.minutes(["replay", "--continuous", "--json", device.path("long.csv")])
        let hours = try #require(all.values.isEmpty ? nil : all.values.reduce(0, +) / 60)
        #expect(hours > 1)
        for activity in ["stationary", "walking"] {
            let (seen, whole) = (sparse[activity] ?? 0, all[activity] ?? 0)
            #expect(abs(seen - whole) <= 0.05 * 60 * hours, "\(activity): \(seen) instead of \(whole) minutes")
        }
    }

    private static func minutes(_ arguments: [String]) throws -> [String: Double] {
        let summary = try #require(try AniccaProgram.runLab(arguments).jsonLines().last)
        return try #require(summary["minutes"] as? [String: Double])
    }

    /// One recording after the other, without a gap.
    private static func joined(_ files: [String]) throws -> String {
        var text = "t_ms,x_mg,y_mg,z_mg\n"
        var end = Int64(0)
        for file in files {
            let reader = try RecordingReader(path: file)
            var last = end
            var offset: Int64?
            while let sample = try reader.next() {
                let time = sample.time.inMilliseconds
                if offset == nil { offset = end - time }
                last = time + (offset ?? 0)
                let axes = [sample.acceleration.x, sample.acceleration.y, sample.acceleration.z]
                text += "\(last)," + axes.map { "\(Int(($0 * 1000).rounded()))" }.joined(separator: ",") + "\n"
            }
            end = last + 100
        }
        return text
    }
}
