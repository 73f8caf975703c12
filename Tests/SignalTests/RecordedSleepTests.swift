import Foundation
import Core
import Recordings
import Signal
import Testing

/// Nights beside polysomnography. The scorer was made from these very nights, so the bounds say nothing about other
/// people (docs/sleep.md does).
@Suite(.enabled(if: RecordedNights.isPresent, RecordedNights.absence))
struct RecordedSleepTests {
    @Test func sleepAndWakeAreThoseOfTheLaboratory() throws {
        var sleep = (found: 0, all: 0)
        var wake = (found: 0, all: 0)
        var errors: [Double] = []
        for path in try RecordedNights.paths() {
            let night = try RecordedNights.read(path)
            let asleep = SleepScorer().asleep(night.counts)
            var error = 0.0
            for case (let truth?, let said) in zip(night.truth, asleep) {
                if truth {
                    sleep = (sleep.found + (said ? 1 : 0), sleep.all + 1)
                } else {
                    wake = (wake.found + (said ? 0 : 1), wake.all + 1)
                }
                if said != truth { error += said ? 0.5 : -0.5 }
            }
            errors.append(error)
        }
        try #require(errors.count >= 16)
        let sensitivity = Double(sleep.found) / Double(sleep.all)
        let specificity = Double(wake.found) / Double(wake.all)
        let bias = errors.reduce(0, +) / Double(errors.count)
        print("sleep: sensitivity \(sensitivity), specificity \(specificity), bias \(bias) min, seen in training")
        #expect(sensitivity >= 0.94)
        #expect(specificity >= 0.63)
        #expect(abs(bias) <= 10)
    }
}

/// The nights among the recordings of real people, which are not part of the project.
enum RecordedNights {
    static let folder = RecordedData.folder

    static let isPresent = FileManager.default.fileExists(atPath: folder + "/sleep_walch")
    static let absence: Comment = "no nights at \(folder)/sleep_walch; set ANICCA_RECORDINGS to test on them"

    static func paths() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder + "/sleep_walch").sorted()
            .filter { $0.hasSuffix(".csv.gz") }.map { "\(folder)/sleep_walch/\($0)" }
    }

    /// By epoch of 30 s; nil where there is no row.
    static func read(_ path: String) throws -> (counts: [Float?], truth: [Bool?]) {
        let rows = try MovementTable(path: path).rows
        let stages = try MovementTable(path: path, count: "psg").rows
        let start = try #require(rows.first).time
        let places = rows.map { Int((($0.time - start).inSeconds + 15) / 30) }
        var counts = [Float?](repeating: nil, count: places[places.count - 1] + 1)
        var truth = [Bool?](repeating: nil, count: counts.count)
        for (index, place) in places.enumerated() {
            counts[place] = rows[index].count
            truth[place] = stages[index].count > 0
        }
        return (counts, truth)
    }
}
