import Foundation
import Recordings
import Signal
import Testing

/// Recorded pulse signals with the true heart rate, which are not part of the project.
///
/// Looked for in `ANICCA_PULSE_RECORDINGS`, else in `../shared/recordings-3/troika` beside the package.
enum RecordedPulses {
    static let folder: String = {
        if let folder = ProcessInfo.processInfo.environment["ANICCA_PULSE_RECORDINGS"] { return folder }
        var package = URL(fileURLWithPath: #filePath)
        for _ in 0..<3 { package.deleteLastPathComponent() }
        return package.deletingLastPathComponent().appendingPathComponent("shared/recordings-3/troika").path
    }()

    static let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [])
        .filter { $0.hasSuffix(PulseRecording.ending) }.map { String($0.dropLast(PulseRecording.ending.count)) }

    static let absence: Comment =
        "no pulse signals at \(folder); set ANICCA_PULSE_RECORDINGS to test against real people"
}

/// The bounds are the targets of the heart rate. `anicca-lab heart` shows the figures.
@Suite(.enabled(if: !RecordedPulses.names.isEmpty, RecordedPulses.absence))
struct RecordedPulseTests {
    private struct Judged {
        let isCalm, isMotion: Bool
        let rate: PulseRate?
        /// In beats a minute; of a rejected window, that of the rate that it would have had.
        let error: Double?
    }

    /// Each window with both signals. Calm: within 30 s of an end, and the arm swings no more than is accepted.
    private func judged() throws -> [Judged] {
        try RecordedPulses.names.flatMap { name in
            let recording = try PulseRecording(folder: RecordedPulses.folder, name: name)
            let end = recording.start + 40 * Double(recording.acceleration.count)
            return recording.truths.compactMap { truth -> Judged? in
                guard let range = recording.samples(from: truth.from, count: PulseWindow.length) else { return nil }
                let evidence = [recording.light.first, recording.light.second].compactMap { light in
                    PulseWindow(light: Array(light[range]), acceleration: Array(recording.acceleration[range]))
                        .map { PulseEvidence($0) }
                }
                guard evidence.count == 2 else { return nil }
                let rate = try? PulseRate(evidence[0], evidence[1])
                let better = evidence[0].regularity >= evidence[1].regularity ? evidence[0] : evidence[1]
                let isRest = truth.to <= recording.start + 30_000 || truth.from >= end - 30_000
                let found = rate?.beatsPerMinute ?? better.estimate
                return Judged(
                    isCalm: isRest && better.movement < PulseEvidence.mostMovement, isMotion: !isRest, rate: rate,
                    error: found.map { abs(Double($0) - truth.rate) })
            }
        }
    }

    @Test func aCalmWindowIsMostlyKeptAndRight() throws {
        let calm = try judged().filter(\.isCalm)
        let errors = calm.filter { $0.rate != nil }.compactMap(\.error)
        try #require(calm.count >= 50)
        #expect(Double(errors.count) >= 0.7 * Double(calm.count))
        #expect(errors.reduce(0, +) / Double(errors.count) <= 3)
    }

    @Test func aWrongRateInMotionIsRejected() throws {
        let wrong = try judged().filter { $0.isMotion && ($0.error ?? 0) > 10 }
        try #require(wrong.count >= 200)
        #expect(Double(wrong.filter { $0.rate != nil }.count) <= 0.05 * Double(wrong.count))
    }
}
