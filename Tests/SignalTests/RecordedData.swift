import Foundation
import Core
import Recordings
import Signal
import Testing

/// The recordings of real people, which are not part of the project.
///
/// Looked for in `ANICCA_RECORDINGS`, else in `../shared/recordings-2` beside the package.
enum RecordedData {
    static let folder: String = {
        if let folder = ProcessInfo.processInfo.environment["ANICCA_RECORDINGS"] { return folder }
        var package = URL(fileURLWithPath: #filePath)
        for _ in 0..<3 { package.deleteLastPathComponent() }
        return package.deletingLastPathComponent().appendingPathComponent("shared/recordings-2").path
    }()

    static let isPresent = FileManager.default.fileExists(atPath: folder + "/index.csv")
    static let absence: Comment = "no recordings at \(folder); set ANICCA_RECORDINGS to test against real people"

    struct Entry {
        let name, dataset, activity: String
        let hours: Double
        let trueSteps: Int?

        var path: String { "\(RecordedData.folder)/\(dataset)/\(name).csv.gz" }
    }

    static func entries(_ isWanted: (Entry) -> Bool) throws -> [Entry] {
        let index = try String(contentsOfFile: folder + "/index.csv", encoding: .utf8)
        return index.split(whereSeparator: \.isNewline).dropFirst().map { line in
            let columns = columns(of: line)
            return Entry(
                name: columns[1], dataset: columns[2], activity: columns[6], hours: (Double(columns[9]) ?? 0) / 3600,
                trueSteps: Int(columns[10]))
        }.filter(isWanted)
    }

    /// The fields of a line; a comma between quotes does not part them.
    private static func columns(of line: Substring) -> [String] {
        var columns = [""]
        var isQuoted = false
        for character in line {
            if character == "\"" { isQuoted.toggle() }
            if character == ",", !isQuoted { columns.append("") } else { columns[columns.count - 1].append(character) }
        }
        return columns
    }

    static func samples(_ entry: Entry) throws -> [ResampledSample] {
        let reader = try RecordingReader(path: entry.path)
        var resampler = Resampler()
        var samples: [ResampledSample] = []
        while let sample = try reader.next() {
            resampler.add(sample)
            while let even = resampler.next() { samples.append(even) }
        }
        return samples
    }

    /// Consecutive windows within a segment, each with its label where all its samples have the same.
    static func windows(
        _ samples: [ResampledSample], as seen: (Acceleration) -> Acceleration = { $0 }
    ) -> [(window: Window, label: String?)] {
        var windows: [(Window, String?)] = []
        var pending: [ResampledSample] = []
        for sample in samples {
            if sample.startsSegment { pending = [] }
            pending.append(sample)
            guard let window = Window(pending.map { seen($0.acceleration) }) else { continue }
            windows.append((window, pending.allSatisfy { $0.label == pending[0].label } ? pending[0].label : nil))
            pending = []
        }
        return windows
    }

    static func steps(_ samples: [ResampledSample]) -> Int {
        var detector = StepDetector()
        var steps = 0
        for sample in samples {
            if sample.startsSegment { detector = StepDetector() }
            steps += detector.add(sample.acceleration)
        }
        return steps
    }
}
