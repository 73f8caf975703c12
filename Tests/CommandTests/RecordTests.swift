import Devices
import Commands
import Foundation
import Core
import Recordings
import SimulatedBus
import TestFiles
import Testing

@testable import anicca

/// A recording, from the chip to the laboratory that reads it.
@Suite struct RecordTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.path + "/walk.csv" }

    init() throws { directory = try TemporaryDirectory() }

    private static let period = Interval.milliseconds(40)
    private static let flat = [Acceleration](repeating: Acceleration(x: 0, y: 0.0005, z: 1), count: 25)

    /// Seconds of a sensor that lies still.
    private func record(_ seconds: Int, steps: Int? = nil) throws {
        let file = try RecordingFile(path, label: "walking")
        try file.begin(from: "/dev/i2c-1, MPU-6050 at 0x68", at: WallTime(nanoseconds: 0))
        for second in 1...seconds {
            try file.add(Self.flat, period: Self.period, until: BootTime(nanoseconds: Int64(second) * 1_000_000_000))
        }
        if let steps { try file.put(steps: steps) }
        try file.finish()
    }

    @Test func theLaboratoryReadsWhatWasRecorded() throws {
        try record(10, steps: 200)
        let index = try RecordingIndex(folder: directory.path)
        let entry = try #require(index.entries.first)
        #expect(index.entries.count == 1 && index.faults.isEmpty)
        #expect(entry.name == "walk" && entry.activity == "walking" && entry.trueSteps == 200)
        let reader = try RecordingReader(path: try index.path(of: entry))
        var rows: [RecordedSample] = []
        while let row = try reader.next() { rows.append(row) }
        #expect(rows.count == 250)
        #expect(rows.last?.time == .milliseconds(9960), "the first sample is at zero, and one comes every 40 ms")
        #expect(rows.allSatisfy { $0.acceleration == Acceleration(x: 0, y: 0.0005, z: 1) && $0.label == "walking" })
    }

    @Test func stepsThatNobodyCountedAreNotKnown() throws {
        try record(10)
        #expect(try RecordingIndex(folder: directory.path).entries.first?.trueSteps == nil)
    }

    /// The chip's own rate is off, and the times are those of the clock.
    @Test func timesAreThoseOfTheClock() throws {
        let file = try RecordingFile(path, label: "sitting")
        try file.begin(from: "", at: WallTime(nanoseconds: 0))
        for second in 1...60 {
            try file.add(
                Array(Self.flat.prefix(24)), period: Self.period,
                until: BootTime(nanoseconds: Int64(second) * 1_000_000_000))
        }
        #expect(file.length == .milliseconds(59_960))
    }

    @Test func aGapStaysAGap() throws {
        let file = try RecordingFile(path, label: "sitting")
        try file.begin(from: "", at: WallTime(nanoseconds: 0))
        let second: Int64 = 1_000_000_000
        try file.add(Self.flat, period: Self.period, until: BootTime(nanoseconds: second))
        file.skip(until: BootTime(nanoseconds: 11 * second))
        try file.add(Self.flat, period: Self.period, until: BootTime(nanoseconds: 12 * second))
        try file.finish()
        let reader = try RecordingReader(path: path)
        var times: [Interval] = []
        while let row = try reader.next() { times.append(row.time) }
        #expect(times[25] - times[24] > .seconds(10))
    }

    @Test func theFileIsItsOwnersAloneAndNothingIsOverwritten() throws {
        try record(1)
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        let before = try Data(contentsOf: URL(fileURLWithPath: path))
        #expect(throws: (any Error).self) { try RecordingFile(path, label: "other") }
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
        let link = directory.path + "/link.csv"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: directory.path + "/away.csv")
        #expect(throws: (any Error).self) { try RecordingFile(link, label: "other") }
        #expect(!FileManager.default.fileExists(atPath: directory.path + "/away.csv"))
    }

    @Test func anEmptyFileOfAnAttemptBeforeIsTaken() throws {
        try make(mode: 0o600)
        try record(1)
        #expect(try RecordingIndex(folder: directory.path).entries.count == 1)
    }

    /// Somebody else may have it open, or know it by another name.
    @Test func anEmptyFileThatIsNotOneselfsAloneIsRefused() throws {
        try make(mode: 0o644)
        #expect(throws: Failure.self) { try RecordingFile(path, label: "walking") }
        #expect(chmod(path, 0o600) == 0 && link(path, directory.path + "/other") == 0)
        #expect(throws: Failure.self) { try RecordingFile(path, label: "walking") }
        #expect(unlink(directory.path + "/other") == 0)
        #expect(throws: Never.self) { try RecordingFile(path, label: "walking") }
    }

    private func make(mode: Int) throws {
        #expect(FileManager.default.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: mode]))
    }

    private static let heads: [(line: String, label: String?, steps: Int?)] = [
        ("# anicca recording; label=walking; steps=12; sensor=a=b", "walking", 12),
        ("# anicca recording; steps=  ; label=", "", nil),
        ("# anicca recording", "", nil),
        ("# anicca recording; steps=x", nil, nil),
        ("# anicca recording; steps=-1", nil, nil),
        ("# anicca recording; steps=99999999999999999999", nil, nil),
    ]

    @Test func headsAreHostileUntilRead() throws {
        for (line, label, steps) in Self.heads {
            try Data("\(line)\nt_ms,x_mg,y_mg,z_mg,label\n0,0,0,1000,\n".utf8).write(to: URL(fileURLWithPath: path))
            let index = try RecordingIndex(folder: directory.path)
            #expect(index.entries.first?.activity == label, "\(line)")
            #expect(index.entries.first?.trueSteps == steps, "\(line)")
            #expect(index.faults.isEmpty == (label != nil), "\(line)")
        }
    }

    /// Without an index, and with tables of others alone.
    @Test func aFolderOfOthersHasNoIndex() throws {
        try Data("t_ms,x_mg,y_mg,z_mg\n0,0,0,1000\n".utf8).write(to: URL(fileURLWithPath: path))
        #expect(throws: RecordingError.self) { try RecordingIndex(folder: directory.path) }
    }

    @Test func aRecorderTellsAndGoesOnAfterAFault() throws {
        let bench = try SensorBenchDouble(noiseDensity: 0)
        let file = try RecordingFile(path, label: "sitting")
        try file.begin(from: "", at: WallTime(nanoseconds: 0))
        let recorder = SensorRecorder(bench.sensor, file)
        try recorder.begin()
        func live(_ seconds: Int) throws {
            for _ in 0..<seconds * 5 {
                try bench.time.wait(.milliseconds(200))
                recorder.take(at: bench.now)
                try recorder.write(until: bench.now)
            }
        }
        try live(10)
        let before = file.samples
        #expect((240...250).contains(before))
        bench.bus.fault = .lasting(.noAcknowledge)
        try live(5)
        #expect(file.samples == before)
        bench.bus.fault = nil
        try live(10)
        #expect(file.samples - before > 200)
        #expect(file.length > .seconds(23))
    }
}
