import Domains
import Core
import Testing

@testable import Sensing

/// Fixes a second apart, of a receiver whose time is off by so many seconds.
@Suite struct ReceiverTimeTests {
    private let truth = WallTime(secondsSinceEpoch: 1_768_435_200)

    private func fix(_ second: Int64, off: Int64 = 0, mode: Fix.Mode = .threeD, dated: Bool = true) throws -> Fix {
        let place = try #require(Coordinates(latitude: 1, longitude: 2))
        let wall = truth + .seconds(second + off)
        return Fix(
            at: BootTime(nanoseconds: second * 1_000_000_000), place, mode: mode, error: 5, wall: dated ? wall : nil)
    }

    @Test func threeThatAgreeInARowAreBelieved() throws {
        var time = ReceiverTime()
        #expect(time.agreed([try fix(1), try fix(2)]) == nil)
        #expect(time.agreed([try fix(3)]) == truth)
    }

    @Test func oneThatDoesNotAgreeBeginsTheRowAnew() throws {
        let strangers = [
            try fix(3, off: 2), try fix(3, off: -2), try fix(3, mode: .twoD), try fix(3, dated: false),
            try fix(3, off: 2_300_000_000), try fix(3, off: -619_315_200),
        ]
        for stranger in strangers {
            var time = ReceiverTime()
            #expect(time.agreed([try fix(1), try fix(2), stranger, try fix(4), try fix(5)]) == nil)
            #expect(time.agreed([try fix(6)]) == truth, "whatever it said, those after it count")
        }
    }

    @Test func aRepeatedOneShowsNothing() throws {
        var time = ReceiverTime()
        #expect(time.agreed([try fix(1), try fix(2), try fix(2), try fix(2)]) == nil)
    }
}
