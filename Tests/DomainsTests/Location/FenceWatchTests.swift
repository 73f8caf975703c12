import Core
import Testing

@testable import Domains

@Suite struct FenceWatchTests {
    private func watch(at east: Double = 0) throws -> FenceWatch {
        try #require(FenceWatch(Way.fence(at: east), dwell: .seconds(60)))
    }

    private func crossings(_ fixes: [Fix], _ watch: inout FenceWatch) -> [BootTime] {
        fixes.compactMap { watch.take($0) }
    }

    @Test func theFirstSideIsNoChange() throws {
        for east in [0.0, 500] {
            var (way, watch) = (Way(), try watch())
            #expect(crossings(way.stay(100, at: east), &watch).isEmpty)
            #expect(watch.isInside == (east == 0))
        }
    }

    @Test func aChangeIsToldAfterTheDwellTimeWithTheTimeAtWhichItWasBeyondDoubt() throws {
        var (way, watch) = (Way(), try watch())
        _ = crossings(way.stay(100), &watch)
        way.error = 7
        let walk = way.go(to: 300, metresPerSecond: 2)
        let told = crossings(walk, &watch)
        // 100 m and the error of 7 m, in steps of 2 m.
        #expect(told == [walk[53].at] && walk[53].position == Way.place(108))
        #expect(watch.isInside == false)
    }

    @Test func theDwellTimeEndsBetweenTwoFixesToo() throws {
        var (way, watch) = (Way(), try watch())
        _ = crossings(way.stay(100), &watch)
        #expect(crossings(way.stay(59, at: 400), &watch).isEmpty)
        let due = try #require(watch.decidesAt)
        #expect(due == way.now + .seconds(2) && watch.decide(at: way.now + .seconds(1)) == nil)
        #expect(watch.decide(at: due) != nil && watch.isInside == false)
    }

    @Test func doubtBeginsAnewBothWays() throws {
        var (way, watch) = (Way(), try watch())
        _ = crossings(way.stay(100), &watch)
        for _ in 0..<20 {
            #expect(crossings(way.stay(50, at: 130), &watch).isEmpty)
            way.error = 40
            #expect(crossings(way.stay(1), &watch).isEmpty, "with this error it may be inside")
            way.error = 8
        }
        _ = crossings(way.stay(100, at: 400), &watch)
        for _ in 0..<20 {
            #expect(crossings(way.stay(50, at: 80), &watch).isEmpty)
            #expect(crossings(way.stay(5, at: 97), &watch).isEmpty)
        }
        #expect(watch.isInside == false)
    }

    @Test func fixesThatStopShowNothing() throws {
        var (way, watch) = (Way(), try watch())
        _ = crossings(way.stay(100), &watch)
        _ = crossings(way.stay(45, at: 400), &watch)
        #expect(watch.decidesAt == nil, "the end is not near")
        way.pass(.seconds(30))
        #expect(crossings(way.stay(60), &watch).isEmpty, "it begins anew")
        #expect(crossings(way.stay(1), &watch).count == 1)
        _ = crossings(way.stay(58, at: 0), &watch)
        let due = try #require(watch.decidesAt)
        #expect(watch.decide(at: due + .seconds(6)) == nil && watch.decidesAt == nil, "the latest is 9 s old")
        way.pass(.minutes(5))
        #expect(crossings(way.stay(60), &watch).isEmpty && watch.isInside == false, "it begins anew")
        #expect(crossings(way.stay(1), &watch).count == 1)
    }

    @Test(arguments: [2, 5, 6, 7, 15, 30]) func aReceiverThatReportsSeldomShowsAChangeToo(seconds: Int64) throws {
        var (way, watch) = (Way(), try watch())
        way.every = .seconds(seconds)
        _ = crossings(way.stay(40), &watch)
        for place in [400.0, 0] {
            let fixes = way.stay(Int(max(60 / seconds, 2)) + 2, at: place)
            #expect(crossings(fixes, &watch) == [fixes[0].at])
        }
    }

    @Test func whoStaysAtTheBorderCrossesItOnce() throws {
        var (way, watch) = (Way(), try watch())
        way.error = 1
        _ = crossings(way.stay(100), &watch)
        var told = 0
        for _ in 0..<100 {
            told += crossings(way.stay(120, at: 102), &watch).count
            told += crossings(way.stay(120, at: 96), &watch).count
        }
        #expect(told == 1 && watch.isInside == false)
        #expect(crossings(way.stay(120, at: 70), &watch).count == 1, "beyond the drift of a receiver")
        #expect(crossings(way.stay(120, at: 102), &watch).count == 1, "from within the fence the border counts")
    }

    @Test func aSideThatWasRestoredIsHeldAtTheBorder() throws {
        var (way, watch) = (Way(), try watch())
        way.error = 1
        watch.restore(isInside: true)
        #expect(crossings(way.stay(120, at: 102), &watch).isEmpty && watch.isInside == true)
        #expect(crossings(way.stay(120, at: 130), &watch).count == 1)
    }

    @Test func aFenceElsewhereHasAnotherDigest() throws {
        let digests = try [
            watch().digest, watch(at: 1).digest, #require(FenceWatch(Way.fence(radius: 101), dwell: .zero)).digest,
        ]
        #expect(Set(digests).count == 3)
        #expect(FenceWatch(Fence(name: "nowhere"), dwell: .zero) == nil)
    }
}
