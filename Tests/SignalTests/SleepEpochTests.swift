import Foundation
import Core
import Testing

@testable import Signal

@Suite struct SleepEpochTests {
    @Test func keepsTheMovementToWithinAThird() {
        for movement in stride(from: Float(0.1), to: 80, by: 0.37) {
            let kept = SleepEpoch(unrest: 0, movement: movement, turned: false).movement ?? 0
            #expect(kept / movement > 0.74 && kept / movement < 1.36, "\(movement) became \(kept)")
        }
        #expect(SleepEpoch(unrest: 0, movement: 0, turned: false).movement == 0)
        #expect(SleepEpoch(unrest: 0, movement: nil, turned: true).movement == nil)
    }

    @Test func keepsTheTurnAndTheUnrestApart() {
        for (level, unrest) in [Float(0.05), 0.14, 0.2, 0.26, 0.35, 0.4, 0.45, 0.9].enumerated() {
            for turned in [false, true] {
                let epoch = SleepEpoch(unrest: unrest, movement: 3, turned: turned)
                #expect(epoch.turned == turned && epoch.isKnown)
                #expect(epoch.isStill(below: .highest) == (level < 7))
                #expect(epoch.isStill(below: .lowest) == (level == 0))
            }
        }
        #expect(!SleepEpoch.unknown.isKnown && !SleepEpoch.notWorn.isKnown)
        #expect(!SleepEpoch.unknown.isStill(below: .highest) && !SleepEpoch.notWorn.turned)
        #expect(SleepEpoch(unrest: 9, movement: nil, turned: true).isKnown)
    }

    /// The clamps of SPEC §5: 0.13° and 0.50°.
    @Test func thresholdStaysWithinItsBounds() {
        #expect(UnrestThreshold(nearest: 0.001) == .lowest && UnrestThreshold(nearest: 7) == .highest)
        #expect(UnrestThreshold.lowest.degrees == 0.13 && abs(UnrestThreshold.highest.degrees - 0.50) < 1e-6)
        for degrees in stride(from: Float(0.13), through: 0.5, by: 0.01) {
            #expect(abs(UnrestThreshold(nearest: degrees).degrees - degrees) <= 0.032)
        }
    }

    @Test func thresholdIsFifteenTimesTheTenthPercentile() {
        var span = UnrestSpan()
        #expect(span.threshold == .highest, "nothing is known")
        for index in 0..<1000 {
            span.add(index % 100 < 11 ? 0.02 : 1, at: BootTime(nanoseconds: Int64(index) * 30_000_000_000))
        }
        #expect(span.threshold == UnrestThreshold(nearest: 0.30))
        var busy = UnrestSpan()
        for index in 0..<1000 {
            busy.add(index % 100 < 9 ? 0.02 : 1, at: BootTime(nanoseconds: Int64(index) * 30_000_000_000))
        }
        #expect(busy.threshold == .highest)
    }

    @Test func spanForgetsTheDayBeforeYesterday() throws {
        var span = UnrestSpan()
        let start = BootTime(nanoseconds: 0)
        for index in Int64(0)..<960 { span.add(0.001, at: start + SleepEpoch.length * index) }
        #expect(span.threshold == .lowest)
        for index in Int64(0)..<2880 { span.add(0.5, at: start + .hours(30) + SleepEpoch.length * index) }
        #expect(span.threshold == .highest)

        var packer = Packer()
        span.pack(into: &packer)
        var unpacker = Unpacker(packer.bytes)
        var restored = UnrestSpan()
        try restored.unpack(from: &unpacker, RestoredTimes(shift: .zero, now: start + .hours(60)))
        #expect(restored == span && unpacker.isAtEnd)
    }

    @Test func arctangentIsThatOfTheLibrary() {
        for tangent in stride(from: Float(-60), through: 60, by: 0.013) {
            #expect(abs(tangent.arctangent - Float(atan(Double(tangent)))) < 2e-6)
        }
        #expect(abs(Float.infinity.arctangent - .pi / 2) < 1e-6 && abs((-Float.infinity).arctangent + .pi / 2) < 1e-6)
    }
}

@Suite struct SleepEpochsTests {
    private static let noon = BootTime(nanoseconds: 0)

    private static func posture(_ degrees: Double) -> Acceleration {
        Acceleration(x: Float(cos(degrees * .pi / 180)), y: 0, z: Float(sin(degrees * .pi / 180)))
    }

    /// Epochs of ten minutes of samples at a period, whose angle is a function of the seconds.
    private static func epochs(
        every period: Interval, seconds: Double = 600, angle: (Double) -> Double
    ) -> [SleepEpochs.Finished] {
        var epochs = SleepEpochs()
        var finished: [SleepEpochs.Finished] = []
        let count = Int(seconds * 1e9 / Double(period.nanoseconds))
        for index in 0..<count {
            let time = noon + period * Int64(index)
            let sample = posture(angle(Double(time.nanoseconds) * 1e-9))
            finished += epochs.add([sample], every: period, until: time)
        }
        return finished
    }

    private static let periods: [Interval] = [
        .milliseconds(40), .milliseconds(80), .milliseconds(256), .seconds(1), .milliseconds(1280),
    ]

    @Test(arguments: periods) func stillnessIsStillAtEveryRate(period: Interval) {
        let finished = Self.epochs(every: period) { _ in 30 }
        #expect(finished.count >= 14)
        #expect(finished.allSatisfy { $0.unrest == 0 && $0.epoch.movement == 0 && !$0.epoch.turned })
        let starts: [Int64] = finished.indices.map { Int64($0) * 30_000_000_000 }
        #expect(finished.map(\.start.nanoseconds) == starts)
    }

    /// One degree from one five seconds to the next, up and down.
    @Test(arguments: periods) func unrestIsTheMedianChangeOfTheAngle(period: Interval) {
        let finished = Self.epochs(every: period) { Int($0 / 5) % 2 == 0 ? 30 : 31 }
        #expect(finished.dropFirst(5).allSatisfy { abs(($0.unrest ?? 0) - 1) < 0.01 })
        #expect(finished.allSatisfy { !$0.epoch.turned })
    }

    @Test func aTurnIsInItsEpochAndNoneOther() {
        let finished = Self.epochs(every: .milliseconds(256)) { $0 < 200 ? 10 : 16 }
        #expect(finished.indices.filter { finished[$0].epoch.turned } == [6], "200 s lie in the seventh")
        let small = Self.epochs(every: .milliseconds(256)) { $0 < 200 ? 10 : 14.9 }
        #expect(small.allSatisfy { !$0.epoch.turned })
    }

    @Test(arguments: periods) func movementIsInItsEpochAlone(period: Interval) {
        let finished = Self.epochs(every: period) { (241..<262).contains($0) ? 40 * sin($0 * 1.1) : 0 }
        #expect(finished[8].epoch.movement ?? 0 > 3)
        #expect(finished.indices.filter { finished[$0].epoch.movement ?? 0 > 0.5 } == [8])
    }

    @Test func breathIsNoMovement() {
        let finished = Self.epochs(every: .milliseconds(256)) { 20 + 0.5 * sin($0 * 2 * .pi * 0.25) }
        #expect(finished.allSatisfy { $0.epoch.movement == 0 && $0.unrest ?? 1 < 0.2 })
    }

    @Test func windowsOnceAMinuteGiveEveryOtherEpochItsMovement() {
        var epochs = SleepEpochs()
        var finished: [SleepEpochs.Finished] = []
        for minute in 1...20 {
            let window = [Acceleration](repeating: Self.posture(Double(minute % 2) * 0.2), count: 128)
            finished += epochs.add(window, every: .milliseconds(40), until: Self.noon + .minutes(Int64(minute)))
        }
        let late = finished.dropFirst(6)
        #expect(late.count >= 20 && late.allSatisfy { $0.epoch.isKnown })
        #expect(late.count { $0.epoch.movement == nil } == late.count / 2)
    }

    @Test func afterAGapTheEpochsBetweenAreUnknownAndAfterALongOneItBeginsAnew() {
        var epochs = SleepEpochs()
        func minutes(_ from: Int64, _ to: Int64) -> [SleepEpochs.Finished] {
            (from * 60..<to * 60).flatMap {
                epochs.add([Self.posture(5)], every: .seconds(1), until: Self.noon + .seconds($0))
            }
        }
        _ = minutes(0, 20)
        let after = minutes(40, 60)
        #expect(after.count { $0.epoch == .unknown } >= 30)
        #expect(after.last?.epoch.isStill(below: .lowest) == true)
        let later = minutes(300, 310)
        #expect(later.first.map { $0.start >= Self.noon + .minutes(299) } == true)
    }
}
