import Foundation
import Core
import Recordings
import Testing

@Suite struct PulseRecordingTests {
    private static let header = "t_ms,ppg1,ppg2,x_mg,y_mg,z_mg\n"
    private static let truth = "from_ms,to_ms,bpm\n0,8000,71.5\n2000,10000,72\n"

    /// A folder with the recording `a`, which exists for the length of the test.
    private final class Folder {
        let path: String
        private let files: ScratchFile

        init(_ table: String, _ truth: String = PulseRecordingTests.truth) throws {
            files = try ScratchFile(table, named: "a.csv")
            path = (files.path as NSString).deletingLastPathComponent
            try truth.write(toFile: "\(path)/a.bpm.csv", atomically: true, encoding: .utf8)
        }

        func read() throws -> PulseRecording { try PulseRecording(folder: path, name: "a") }
    }

    /// Ten seconds at 125 Hz.
    private func table(from start: Int = 0, _ value: (Double) -> Double) -> String {
        Self.header + (0..<1250).map { "\(start + $0 * 8),\(value(Double($0) * 0.008)),-7,0,250,1000\n" }.joined()
    }

    @Test func itIsResampledTo25HertzWithItsUnits() throws {
        let recording = try Folder(table(from: 400) { _ in 5 }).read()
        #expect(recording.start == 400 && recording.acceleration.count == 250)
        #expect(recording.light.first.allSatisfy { abs($0 - 5) < 1e-4 })
        #expect(recording.light.second.allSatisfy { abs($0 + 7) < 1e-4 })
        #expect(recording.acceleration.allSatisfy { ($0 - Acceleration(x: 0, y: 0.25, z: 1)).magnitude < 1e-5 })
        #expect(recording.truths.map { [$0.from, $0.to, $0.rate] } == [[0, 8000, 71.5], [2000, 10_000, 72]])
        #expect(recording.samples(from: 2400, count: 200) == 50..<250)
        #expect(recording.samples(from: 2440, count: 200) == nil && recording.samples(from: 0, count: 10) == nil)
    }

    @Test func aPulsePassesAndAnAliasDoesNot() throws {
        for (hertz, passes) in [(1.5, true), (3.3, true), (22, false), (24, false), (26, false)] {
            let recording = try Folder(table { 1000 * sin(2 * .pi * hertz * $0) }).read()
            let height = recording.light.first.dropFirst(5).dropLast(5).map(abs).max() ?? 0
            #expect(passes ? height > 900 : height < 30, "\(hertz) Hz: \(height)")
        }
    }

    @Test(arguments: [
        ("0,1,1,0,0\n", RowFault.columnCount(found: 5, expected: 6)),
        ("0,x,1,0,0,1\n", .notANumber(column: "ppg1", text: "x")),
        ("8,1,1,0,0,1\n0,1,1,0,0,1\n", .timeGoesBackwards),
    ])
    func saysWhichRowIsBroken(rows: String, fault: RowFault) throws {
        let folder = try Folder(Self.header + rows)
        let line = rows.filter { $0 == "\n" }.count + 1
        #expect(throws: RecordingError.brokenRow(file: "\(folder.path)/a.csv", line: line, fault)) { try folder.read() }
    }

    @Test(arguments: ["0", "-71", "301"])
    func aRateThatNoHeartHasIsRefused(rate: String) throws {
        let folder = try Folder(table { _ in 1 }, "from_ms,to_ms,bpm\n0,8000,\(rate)\n")
        let fault = RowFault.outOfRange(column: "bpm", text: rate)
        #expect(throws: RecordingError.brokenRow(file: "\(folder.path)/a.bpm.csv", line: 2, fault)) {
            try folder.read()
        }
    }

    @Test func saysWhatIsMissing() throws {
        let empty = try Folder(Self.header)
        #expect(throws: RecordingError.empty(file: "\(empty.path)/a.csv")) { try empty.read() }
        let other = try Folder("t_ms,ppg1,x_mg,y_mg,z_mg\n0,1,0,0,1\n")
        #expect(throws: RecordingError.missingColumn(file: "\(other.path)/a.csv", column: "ppg2")) { try other.read() }
        let untrue = try Folder(table { _ in 1 }, "from_ms,to_ms,bpm\n")
        #expect(throws: RecordingError.empty(file: "\(untrue.path)/a.bpm.csv")) { try untrue.read() }
    }
}
