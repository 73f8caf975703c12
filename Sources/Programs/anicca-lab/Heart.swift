import ArgumentParser
import Commands
import Foundation
import Recordings
import System

/// `anicca-lab heart`
struct Heart: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Compare heart rates from recorded pulse signals with true ones.",
        discussion: """
            Judges windows of 8 s of each recording of a folder as the device does, and compares the rates that it \
            keeps with the true ones. The folder has NAME.csv or NAME.csv.gz (t_ms, ppg1, ppg2, x_mg, y_mg, z_mg) and \
            NAME.bpm.csv (from_ms, to_ms, bpm) for each recording; windows are those of the second file, 8 s long.

            The rows of the table: the first signal alone, the second alone, and the better of both; at rest (the \
            first and last 30 s of each recording), at rest with no more movement than the device accepts, and in \
            motion (the others). A rate is wrong if it is off by more than 10 beats a minute; rejected windows count \
            with the rate that they would have had.

            Examples:
              anicca-lab heart recordings
              anicca-lab heart --json recordings | jq 'select(.recording == null)'

            With --json, every line is an object: for each recording and then for all: signal, part, windows, kept, \
            meanAbsoluteError (of those kept, beats a minute), wrong, wrongKept.
            """)

    @Argument(help: ArgumentHelp("The folder with the recordings.", valueName: "folder"))
    var folder: String

    @OptionGroup var output: OutputOptions

    func run() throws {
        var all = HeartScores()
        for name in try names() {
            var scores = HeartScores()
            do throws(RecordingError) {
                scores.add(try PulseRecording(folder: folder, name: name))
            } catch {
                throw Failure(error)
            }
            if output.json { for object in scores.json(of: name) { print(object) } }
            all.add(scores)
        }
        if output.json { return all.json(of: nil).forEach { print($0) } }
        printLines(aligned(all.cells))
    }

    private func names() throws(Failure) -> [String] {
        guard let files = try? FileManager.default.contentsOfDirectory(atPath: folder) else {
            throw Failure("\(folder): no such folder", .noInput)
        }
        let ending = PulseRecording.ending
        let names = files.filter { $0.hasSuffix(ending) }.map { String($0.dropLast(ending.count)) }.sorted()
        guard !names.isEmpty else { throw Failure("\(folder): no files *\(ending)", .noInput) }
        return names
    }
}
