import Core
import Testing

@testable import Domains

@Suite struct FixFilterTests {
    private func believed(_ fixes: [Fix], _ filter: inout FixFilter, pace: Double? = nil) -> Int {
        fixes.reduce(0) { $0 + (filter.believes($1, pace: pace) ? 1 : 0) }
    }

    @Test func distancesAreThoseOfTheSphere() {
        let paris = Coordinates(latitude: 48.8566, longitude: 2.3522)
        let london = Coordinates(latitude: 51.5074, longitude: -0.1278)
        // The great circle on the same sphere, 343,556 m, computed apart with the law of cosines; its chord is 42 m shorter.
        #expect(abs((paris?.distance(to: london ?? Way.middle) ?? 0) - 343_514) < 5)
        let (west, east) = (Coordinates(latitude: 0, longitude: 179.999), Coordinates(latitude: 0, longitude: -179.999))
        #expect(abs((west?.distance(to: east ?? Way.middle) ?? 0) - 222.4) < 0.1)
        #expect(west?.moved(by: 0.5, towards: east ?? Way.middle).longitude.magnitude == 180)
    }

    @Test func aDistanceBeyondItsLimitIsAboveItAndAtMostTheTrueOne() throws {
        for step in 0..<2000 {
            let part = Double(step) / 2000
            let place = try #require(Coordinates(latitude: 89.9 * (2 * part - 1), longitude: 360 * part - 180))
            let far = 2 - 4 * (part * 17).truncatingRemainder(dividingBy: 1)
            let other = try #require(Coordinates(latitude: max(-90, min(90, place.latitude + far)), longitude: 13))
            let near = try #require(
                Coordinates(latitude: max(-90, min(90, place.latitude + far / 100)), longitude: place.longitude))
            for end in [other, near] {
                let exact = place.distance(to: end)
                for limit in [0, 150, 5_000, 200_000, exact, .infinity] {
                    let found = place.distance(to: end, exactUpTo: limit)
                    #expect(exact <= limit ? found == exact : found > limit && found <= exact)
                }
            }
        }
    }

    static let places: [(Double, Double)] = [(90.1, 0), (0, 180.1), (.nan, 0), (0, .infinity)]
    @Test(arguments: places) func numbersThatAreNoPlaceAreNone(latitude: Double, longitude: Double) {
        #expect(Coordinates(latitude: latitude, longitude: longitude) == nil)
    }

    @Test func aFixCountsByItsQuality() {
        var settings = LocationSettings()
        var filter = FixFilter(settings)
        let now = BootTime(nanoseconds: 0)
        let bad = [
            Fix(at: now, Way.middle, error: nil), Fix(at: now, Way.middle, error: 51),
            Fix(at: now, Way.middle, mode: .twoD, error: 5), Fix(at: now, Way.middle, error: 5, speed: 98),
        ]
        #expect(believed(bad, &filter) == 0)
        #expect(believed([Fix(at: now, Way.middle, error: 5, speed: 96)], &filter) == 1)
        #expect(believed([Fix(at: now, Way.middle, error: 5)], &filter) == 0, "it is no later")
        settings.acceptsTwoD = true
        filter = FixFilter(settings)
        #expect(believed([bad[2]], &filter) == 1)
    }

    @Test func aSpikeIsNotBelieved() {
        var (way, filter) = (Way(), FixFilter(LocationSettings()))
        #expect(believed(way.stay(600), &filter) == 600)
        #expect(believed(way.stay(120, at: 1_500), &filter) == 0)
        #expect(believed(way.stay(60, at: 0), &filter) == 60)
    }

    @Test func aWallThatThrowsThePositionOffIsNotBelievedForMinutes() {
        var (way, filter) = (Way(), FixFilter(LocationSettings()))
        _ = believed(way.stay(3_600), &filter)
        #expect(believed(way.stay(600, at: 180), &filter) == 0)
        #expect(believed(way.stay(600), &filter) > 200, "after a quarter of an hour it is")
    }

    @Test func whoeverIsSeenMovingIsBelieved() {
        for speed in [1.2, 4, 15, 90] {
            var (way, filter) = (Way(), FixFilter(LocationSettings()))
            _ = believed(way.stay(600), &filter)
            let fixes = way.go(to: 2_000, metresPerSecond: speed)
            #expect(believed(fixes, &filter) == fixes.count)
        }
    }

    @Test func aWalkThatTheReceiverTakesForRestIsBelievedWithTheIMU() {
        var (way, filter) = (Way(), FixFilter(LocationSettings()))
        _ = believed(way.stay(600), &filter)
        let fixes = way.go(to: 500, metresPerSecond: 1.3).map { Fix(at: $0.at, $0.position, error: 8, speed: 0) }
        #expect(believed(fixes, &filter, pace: 2.5) == fixes.count)
    }

    @Test func aPauseAllowsWhatTheIMUSaw() {
        var (way, filter) = (Way(), FixFilter(LocationSettings()))
        _ = believed(way.stay(600), &filter)
        way.pass(.minutes(20))
        filter.elapse(until: way.now, pace: 0)
        #expect(believed(way.stay(30, at: 3_000), &filter, pace: 0) == 0, "the wearer sat")
        way.pass(.minutes(5))
        filter.elapse(until: way.now, pace: 20)
        #expect(believed(way.stay(30, at: 3_000), &filter, pace: 0) == 30, "the wearer drove")
    }

    @Test func aFirstFixBetweenWallsDoesNotLast() {
        var (way, filter) = (Way(), FixFilter(LocationSettings()))
        #expect(believed(way.stay(20, at: 400), &filter) == 20)
        #expect(believed(way.stay(120, at: 0), &filter) == 60, "a minute of agreement outweighs it")
    }

    @Test func aGhostAfterAPauseDoesNotLastEither() {
        var (way, filter) = (Way(), FixFilter(LocationSettings()))
        _ = believed(way.stay(3_600), &filter)
        way.pass(.seconds(70))
        #expect(believed(way.stay(3, at: 1_200), &filter, pace: 97) == 3, "the wearer may have driven there")
        #expect(believed(way.stay(120, at: 0), &filter, pace: 0) == 60, "a minute of agreement outweighs three seconds")
    }

    @Test func agreementGoesOnOverThePausesBetweenLooks() {
        var (way, filter) = (Way(), FixFilter(LocationSettings()))
        _ = believed(way.stay(3_600), &filter)
        let start = way.now
        // As the receiver is asked while nothing is believed.
        for minutes in [1, 2, 4, 8] {
            #expect(believed(way.stay(120, at: 300), &filter) == 0)
            way.pass(.minutes(Int64(minutes)))
        }
        #expect(believed(way.stay(1), &filter) == 1 && way.now - start > .minutes(15))
    }

    @Test func twoFixesFarApartPersuadeNobody() {
        var (way, filter) = (Way(), FixFilter(LocationSettings()))
        _ = believed(way.stay(60), &filter)
        for _ in 0..<20 {
            #expect(believed(way.stay(1, at: 300), &filter) == 0)
            way.pass(.minutes(2))
        }
    }

    @Test func afterTheReceiverWasAwayAMinuteOfAgreementDecides() {
        var (way, filter) = (Way(), FixFilter(LocationSettings()))
        _ = believed(way.stay(3_600), &filter)
        filter.interrupt()
        way.pass(.minutes(3))
        #expect(believed(way.stay(120, at: 2_000), &filter) == 60)
    }

    @Test(arguments: [6, 10, 15, 30]) func aReceiverThatReportsSeldomPersuadesToo(seconds: Int64) {
        var (way, filter) = (Way(), FixFilter(LocationSettings()))
        _ = believed(way.stay(20, at: 400), &filter)
        way.every = .seconds(seconds)
        let count = Int(120 / seconds)
        #expect(believed(way.stay(count + 1, at: 0), &filter) == 1, "after two minutes")
    }
}
