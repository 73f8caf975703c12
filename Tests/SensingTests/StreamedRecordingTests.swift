import Foundation
import Core
import Recordings
import Testing

@testable import Simulation

/// A recording is played while it is read: what is in memory does not depend on its length.
@Suite struct StreamedRecordingTests {
    private let start = BootTime(nanoseconds: 5_000_000_000)
    private let up = Acceleration(x: 0, y: 0, z: 1)

    @Test func anHourAndADayHoldTheSame() {
        let held = [Int64(3600), 86_400].map { (seconds: Int64) -> Int in
            var index: Int64 = 0
            let wearer = StreamedWearer {
                defer { index += 50 }
                return index >= seconds * 25 ? [] : (index..<index + 50).map { (start + .milliseconds(40 * $0), up) }
            }
            var most = 0
            for second in 0..<seconds {
                let time = start + .seconds(second)
                wearer.read(until: time + .seconds(4))
                #expect(wearer.acceleration(at: time) == up)
                most = max(most, wearer.held)
            }
            return most
        }
        #expect(held[0] == held[1])
        #expect(held[0] < 3000)
    }

    @Test func itReadsNoFurtherThanItIsAsked() {
        var count: Int64 = 0
        let wearer = StreamedWearer {
            count += 1
            return [(start + .seconds(count), up)]
        }
        #expect(count == 0)
        #expect(wearer.read(until: start + .seconds(3)) == start + .seconds(3))
        #expect(count == 3)
        _ = wearer.acceleration(at: start + .milliseconds(4500))
        #expect(count == 5)
    }

    @Test func ofSamplesAtOneTimeTheLastIsFelt() {
        let other = Acceleration(x: 0, y: 1, z: 0)
        let time = start + .milliseconds(40)
        var rest = [[(start, up)], [(time, up)], [(time, other)], [(time + .milliseconds(40), up)]].makeIterator()
        let wearer = StreamedWearer { rest.next() ?? [] }
        #expect(wearer.read(until: time) == time)
        #expect(wearer.acceleration(at: time) == other)
    }

    @Test func theEndIsTheLastSample() {
        var rest = [[(start, up)], [(start + .seconds(1), up)]].makeIterator()
        let wearer = StreamedWearer { rest.next() ?? [] }
        #expect(wearer.read(until: start + .seconds(9)) == start + .seconds(1))
        #expect(StreamedWearer { [] }.read(until: start) == nil)
    }

    @Test func twoWhoFollowWithinAMinuteHoldAMinute() throws {
        let recording = try file(rows: (0..<20_000).map { "\($0 * 40),0,0,1000" })
        var most = 0
        var days: [Interval] = []
        var nights: [Interval] = []
        var taken = recording.take(for: .days)
        while !taken.isEmpty {
            days += taken.map(\.time)
            most = max(most, recording.waiting(for: .nights))
            if recording.waiting(for: .nights) >= 1500 { nights += recording.take(for: .nights).map(\.time) }
            taken = recording.take(for: .days)
        }
        nights += recording.take(for: .nights).map(\.time)
        #expect((1500..<1600).contains(most))
        #expect(days == (0..<20_000).map { .milliseconds(40 * $0) })
        #expect(nights == days)
        #expect(recording.samples == 20_000)
        #expect(recording.length == .milliseconds(19_999 * 40))
        #expect(recording.isOver(for: .days) && recording.isOver(for: .nights))
    }

    @Test func whatAFollowerDoesNotWantYetWaits() throws {
        let recording = try file(rows: ["0,0,0,1000", "40,0,0,1000", "80,0,0,1000", "120,0,0,1000"])
        #expect(recording.take(for: .nights) { $0.time < .milliseconds(80) }.map(\.time) == [.zero, .milliseconds(40)])
        #expect(recording.take(for: .nights) { $0.time < .milliseconds(80) }.isEmpty)
        #expect(!recording.isOver(for: .nights))
        #expect(recording.take(for: .nights).map(\.time) == [.milliseconds(80), .milliseconds(120)])
        #expect(recording.take(for: .days).count == 4)
    }

    @Test func itsFaultEndsItForBothAfterTheRowsBeforeIt() throws {
        let recording = try file(rows: ["0,0,0,1000", "40,0,0,1000", "80,0,0,x", "120,0,0,1000"])
        #expect(recording.take(for: .days).count == 2)
        #expect(recording.take(for: .days).isEmpty)
        #expect("\(try #require(recording.fault))".contains(":4: z_mg is not a number: \"x\""))
        #expect(recording.take(for: .nights).count == 2)
        #expect(recording.isOver(for: .nights))
    }

    @Test func gapsAreLeftOutOfVirtualTimeAndOfTheLength() throws {
        let recording = try file(rows: ["0,0,0,1000", "40,0,0,1000", "7040,0,0,1000", "7080,0,0,1000"])
        let parts = RecordedParts(from: start)
        let lived = parts.add(recording.take(for: .days)).map(\.time)
        #expect(lived == [0, 40, 60, 100].map { start + .milliseconds($0) })
        #expect(recording.gaps.count == 1)
        #expect(recording.gaps.time == .seconds(7))
        #expect(recording.length == .milliseconds(80))
        #expect(parts.part(at: start + .milliseconds(50)).number == 0)
        #expect(parts.part(at: start + .milliseconds(80)).number == 1)
        #expect(parts.part(at: start + .milliseconds(80)).recorded(start + .milliseconds(80)) == .milliseconds(7060))
    }

    /// Opened, the file stays readable without its name.
    private func file(rows: [String]) throws -> SharedRecording {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("shared-\(UUID().uuidString).csv").path
        try Data(("t_ms,x_mg,y_mg,z_mg\n" + rows.map { $0 + "\n" }.joined()).utf8).write(to: URL(fileURLWithPath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        return SharedRecording(try RecordingReader(path: path))
    }
}
