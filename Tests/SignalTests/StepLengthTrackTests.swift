import Foundation
import Recordings
import Signal
import TestFiles
import Testing

private let folder = projectFile("../shared/tracks")

/// The length of a simulated wearer's steps, found from real tracks (SPEC §13).
///
/// The tracks have no speeds of a receiver, only positions. The speed of a second is the distance between two of them, which is
/// noisier; the wearer walks at their mean over half a minute, with the cadence that belongs to it.
@Suite(
    .enabled(
        if: FileManager.default.fileExists(atPath: folder.appendingPathComponent("index.csv").path),
        "no tracks beside the project: ../shared/tracks"))
struct StepLengthTrackTests {
    private static let height: Float = 1.75

    private struct Speed {
        let time: Double
        let metresPerSecond: Double
        let seconds: Double
    }

    private static func speeds(_ rows: [TrackTable.Row]) -> [Speed] {
        zip(rows, rows.dropFirst()).compactMap { before, after in
            let seconds = after.time - before.time
            guard seconds > 0, seconds <= 10 else { return nil }
            let east = (after.longitude - before.longitude) * 111_320 * cos(before.latitude * .pi / 180)
            let north = (after.latitude - before.latitude) * 110_540
            return Speed(
                time: after.time, metresPerSecond: (east * east + north * north).squareRoot() / seconds,
                seconds: seconds)
        }
    }

    /// The inverse of `StepLength`, for steps that are `factor` times as long.
    private static func cadence(at speed: Double, factor: Float) -> Float {
        2 * 64.8 * Float(pow(speed / Double(height * factor), 1 / 1.75))
    }

    /// Nil for a track with too little walking.
    private static func found(_ speeds: [Speed], factor: Float) -> Float? {
        var calibration = StepLengthCalibration()
        var count = 0
        for index in speeds.indices {
            let near = speeds[max(0, index - 15)...min(speeds.count - 1, index + 15)].filter {
                abs($0.time - speeds[index].time) <= 60
            }
            guard near.count >= 10, !near.contains(where: { $0.metresPerSecond > 3 }) else { continue }
            let metres = near.reduce(0) { $0 + $1.metresPerSecond * $1.seconds }
            let mean = metres / near.reduce(0) { $0 + $1.seconds }
            guard (0.9...1.9).contains(mean) else { continue }
            count += 1
            calibration.add(
                speed: Float(speeds[index].metresPerSecond), cadence: cadence(at: mean, factor: factor), height: height)
        }
        return count < 120 ? nil : calibration.factor
    }

    @Test func theLengthOfAStepIsFound() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".csv.gz") }
        let tracks = try names.sorted().map {
            Self.speeds(try TrackTable(path: folder.appendingPathComponent($0).path).rows)
        }
        for factor in [Float(0.85), 1, 1.15] {
            let errors = tracks.compactMap { Self.found($0, factor: factor) }.map { abs($0 / factor - 1) }.sorted()
            #expect(errors.count >= 29)
            #expect(errors[errors.count / 2] <= 0.025)
            // The others have few minutes of walking, or jumps of the receiver.
            #expect(errors.count { $0 <= 0.04 } * 3 >= errors.count * 2 - 1, "\(errors)")
        }
    }
}
