import Core
import Domains
import Testing

@Suite struct CoverageTests {
    private static let day = UTCDay(daysSinceEpoch: 20_101)

    private func time(_ hours: Double) -> WallTime {
        Self.day.start + Interval(nanoseconds: Int64(hours * 3_600_000_000_000))
    }

    /// Quarters between two hours, each observed for so many minutes.
    private func parts(_ from: Double, _ to: Double, observed: Int64? = 15) -> [Coverage.Part] {
        stride(from: from, to: to, by: 0.25).map {
            Coverage.Part(time($0)..<time($0 + 0.25), observed: observed.map { .minutes($0) })
        }
    }

    private func coverage(_ parts: [Coverage.Part], _ reasons: Coverage.Reasons, until: Double = 24) -> Coverage {
        Coverage(of: Self.day.start..<time(until), parts, reasons)
    }

    private var powered: Coverage.Reasons {
        var reasons = Coverage.Reasons()
        reasons.powered = [time(-10)..<time(30)]
        return reasons
    }

    @Test func aWholeDay() {
        #expect(coverage(parts(0, 24), powered).minutes == [1440, 0, 0, 0, 0, 0, 0])
    }

    @Test func aDayWithoutAnythingIsSilent() {
        let coverage = coverage([], powered)
        #expect(coverage.minutes == [0, 0, 0, 0, 0, 1440, 0] && coverage.isKnown)
    }

    @Test func aSourceThatIsNotReadIsObservedWhileNothingElseHolds() {
        var reasons = powered
        reasons.isObservedWithoutData = true
        reasons.off = [time(-5)..<time(2)]
        reasons.powered = [time(-1)..<time(6), time(9)..<time(24)]
        #expect(coverage([], reasons).minutes == [19 * 60, 120, 0, 180, 0, 0, 0] as [Int64])
    }

    @Test func everyReasonHasItsTime() {
        var reasons = powered
        reasons.off = [time(-5)..<time(2)]
        reasons.suspended = [time(1)..<time(4)]
        reasons.powered = [time(-1)..<time(6), time(9)..<time(24)]
        let coverage = coverage(parts(10, 23, observed: 14), reasons)
        // Off 2 h, suspended 2 h, no power 3 h; silent from 4 to 6, 9 to 10 and 23 to 24, and a minute of each quarter.
        #expect(coverage.minutes == [13 * 4 * 14, 120, 120, 180, 0, 240 + 52, 0] as [Int64])
    }

    @Test func partOfAQuarterIsLostToItsOwnReasons() {
        var reasons = powered
        reasons.off = [time(10)..<time(10.1)]
        let coverage = coverage(parts(0, 10) + parts(10, 10.25, observed: 9) + parts(10.25, 24), reasons)
        #expect(coverage.minutes == [1434, 6, 0, 0, 0, 0, 0])
    }

    @Test func timeWithoutADateMayBeThatWithoutPower() {
        var reasons = Coverage.Reasons()
        reasons.powered = [time(0)..<time(8), time(11)..<time(24)]
        reasons.undated = .hours(2)
        #expect(coverage(parts(0, 8) + parts(11, 24), reasons).minutes == [1260, 0, 0, 60, 120, 0, 0])
        reasons.undated = .hours(200)
        #expect(coverage(parts(0, 8) + parts(11, 24), reasons).minutes == [1260, 0, 0, 0, 180, 0, 0])
        reasons.unplaced = .hours(1)
        #expect(coverage(parts(0, 8) + parts(11, 24), reasons).minutes == [1320, 0, 0, 0, 120, 0, 0])
    }

    @Test func dataThatDoesNotTellIsNotZero() {
        let coverage = coverage(parts(0, 24, observed: nil), powered)
        #expect(coverage.minutes == [0, 0, 0, 0, 0, 0, 1440] && !coverage.isKnown)
    }

    /// Quarters that begin with the boot, cross midnight or overlap after a clock was set.
    @Test func thePartsAlwaysAddUp() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<200 {
            func span() -> Range<WallTime> {
                let start = Double.random(in: -2...25, using: &random)
                return time(start)..<time(start + .random(in: 0...3, using: &random))
            }
            var reasons = Coverage.Reasons()
            reasons.off = [span(), span()]
            reasons.suspended = [span()]
            reasons.powered = [span(), span(), span()]
            reasons.undated = .minutes(.random(in: 0...100, using: &random))
            let parts = (0..<30).map { index in
                let start = Double.random(in: -0.2...24.2, using: &random)
                return Coverage.Part(
                    time(start)..<time(start + .random(in: 0...0.25, using: &random)),
                    observed: index % 5 == 0 ? nil : .seconds(.random(in: 0...900, using: &random)))
            }
            let until = Double(Int.random(in: 0...1440, using: &random)) / 60
            let minutes = coverage(parts, reasons, until: until).minutes
            #expect(minutes.reduce(0, +) == Int64((until * 60).rounded()) && minutes.allSatisfy { $0 >= 0 })
        }
    }
}
