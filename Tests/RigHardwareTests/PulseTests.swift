import Foundation
import Core
import Testing

@testable import rig_hardware

@Suite struct PulseTests {
    private func plan(_ count: Int, jitter: Interval = .zero, burst: Int? = nil, seed: UInt64 = 1) -> PulsePlan {
        PulsePlan(
            count: count, interval: .milliseconds(500), high: .milliseconds(20), burst: burst, pause: .seconds(2),
            jitter: jitter, seed: seed)
    }

    @Test func pulsesAreAnIntervalApart() {
        #expect(plan(4).gaps == Array(repeating: .milliseconds(500), count: 3))
        #expect(plan(1).gaps == [])
    }

    @Test func aPauseFollowsEachBurst() {
        #expect(plan(7, burst: 3).gaps.map(\.inMilliseconds) == [500, 500, 2500, 500, 500, 2500])
    }

    @Test(arguments: [UInt64(1), 2, 3])
    func jitterStaysWithinItsBounds(seed: UInt64) {
        let gaps = plan(1000, jitter: .milliseconds(100), seed: seed).gaps.map(\.inMilliseconds)
        #expect(gaps.allSatisfy { (400...600).contains($0) })
        #expect(Set(gaps).count > 100)
        #expect(gaps == plan(1000, jitter: .milliseconds(100), seed: seed).gaps.map(\.inMilliseconds))
    }

    @Test func aPlanThatCannotBeIsRefused() {
        #expect(plan(1).mistake == nil)
        #expect(plan(0).mistake != nil)
        #expect(plan(1, burst: 0).mistake != nil)
        #expect(plan(1, jitter: .milliseconds(480)).mistake != nil)
    }

    @Test(
        arguments: [
            ("500ms", 500_000_000), ("2s", 2_000_000_000), ("100us", 100_000), ("0s", 0), ("1min", 60_000_000_000),
        ] as [(String, Int64)])
    func aTimeIsRead(text: String, nanoseconds: Int64) {
        #expect(IntervalArgument(argument: text)?.length.nanoseconds == nanoseconds)
    }

    @Test(arguments: ["", "5", "ms", "5 ms", "-5ms", "5h", "9223372036854775808s", "9223372036854775807s", "31536000s"])
    func whatIsNoTimeIsRefused(text: String) { #expect(IntervalArgument(argument: text) == nil) }

    @Test func everyPulseIsMadeAndCounted() throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "pulses-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: directory) }
        let pull = directory.appending(path: "pull")
        let progress = directory.appending(path: "progress")
        try Data().write(to: pull)
        let plan = PulsePlan(count: 12, interval: Interval(nanoseconds: 20_000), high: Interval(nanoseconds: 5_000))
        let report = try PulseGenerator(pull: pull.path, progress: progress.path).run(plan)
        #expect(report.count == 12)
        #expect(report.last - report.first >= Interval(nanoseconds: 11 * 20_000))
        #expect(try String(contentsOf: progress, encoding: .utf8) == "       12\n")
        #expect(try String(contentsOf: pull, encoding: .utf8) == "pull-down")
    }

    @Test func aLineThatIsNotThereIsNamed() {
        #expect {
            try PulseGenerator(pull: "/nowhere/pull", progress: nil)
        } throws: { error in
            (error as? HardwareError)?.description == "/nowhere/pull: No such file or directory"
        }
    }
}
