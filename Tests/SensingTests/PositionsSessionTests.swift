import Domains
import Devices
import Core
import Testing

@testable import Sensing

/// gpsd in a session: asked only while its fixes are wanted.
@Suite struct PositionsSessionTests {
    private let morning = WallTime(secondsSinceEpoch: 1_768_435_200)  // 2026-01-15

    private func fix(_ harness: SessionHarness, late: Interval = .zero, mode: Fix.Mode = .threeD) throws -> Fix {
        let place = try #require(Coordinates(latitude: 1, longitude: 1))
        return Fix(at: harness.now.boot, place, mode: mode, error: 5, speed: 0, wall: harness.now.wall - late)
    }

    @Test func theReceiverIsTakenWithConsentAndReleasedWhenThePlaceIsKnown() throws {
        var harness = SessionHarness(from: morning)
        harness.run(for: .minutes(5))
        #expect(harness.times(of: .open(.positions)).isEmpty)
        harness.allow(.location)
        #expect(harness.times(of: .open(.positions)) == [harness.now])
        #expect(harness.session.isOpen(.positions))
        for _ in 0..<6 {
            harness.run(for: .seconds(1))
            harness.deliver(.fixes([try fix(harness)]))
        }
        #expect(harness.times(of: .close(.positions)).count == 1)
        #expect(!harness.session.isOpen(.positions))
        harness.run(for: .seconds(61))
        #expect(harness.times(of: .open(.positions)).count == 2, "the next look")
        harness.order([])
        #expect(harness.times(of: .close(.positions)).count == 2)
        harness.run(for: .hours(2))
        #expect(harness.times(of: .open(.positions)).count == 2)
    }

    @Test func theLastVisitEndsWhenLocationIsTurnedOff() throws {
        for (dropped, ends) in [(DomainSet(), true), (DomainSet(.location), false)] {
            var harness = SessionHarness(from: morning)
            // As the keeper orders a domain that is new.
            harness.order(DomainSet(.location), dropped: DomainSet(.location))
            for _ in 0..<400 {
                harness.run(for: .seconds(1))
                harness.deliver(.fixes([try fix(harness)]))
            }
            let left = harness.now.wall
            harness.run(for: .minutes(1))
            let commits = harness.times(of: .commit).count
            harness.order([], dropped: dropped)
            #expect(harness.times(of: .commit).count == commits + 1, "it is stored at once")
            let visits = harness.asked.compactMap { asked -> Visit? in
                guard case .keep(let note) = asked.action, case .visit(let visit)? = note.entry as? PlaceNote else {
                    return nil
                }
                return visit
            }
            #expect(visits.count == (ends ? 2 : 1), "one that was forgotten is not written anew")
            #expect(try #require(visits.last).left.map { left - $0 < .minutes(1) } ?? !ends)
        }
    }

    static let lasting: [PositionError] = [.absent, .denied, .noNetwork, .notGPSD(says: "\"SSH-2.0\"")]

    @Test(arguments: lasting) func withoutASocketTheDomainIsSuspended(error: PositionError) {
        var harness = SessionHarness(from: morning)
        harness.positionsFault = { _ in error.fault(at: "gpsd") }
        harness.allow(.location, .screenTime)
        let lost = harness.asked.compactMap { if case .lose(let loss) = $0.action { loss.domain } else { nil } }
        #expect(lost == [.location] && harness.session.allowed.allows(.screenTime))
        harness.run(for: .hours(2))
        #expect(harness.times(of: .open(.positions)).count == 1)
    }

    @Test func onlyPermissionsOfTheKernelEndConsent() {
        func outlook(_ error: PositionError) -> DeviceFault.Outlook { error.fault(at: "gpsd").outlook }
        #expect(outlook(.denied) == .lasting(.refused))
        #expect(outlook(.noNetwork) == .lasting(.absent) && outlook(.absent) == .lasting(.absent))
    }

    @Test func threeFixesThatAgreeMakeTimeTrusted() throws {
        var harness = SessionHarness(from: morning, isSynchronised: false)
        harness.allow(.location)
        for late in [Interval.milliseconds(300), .milliseconds(200)] {
            harness.deliver(.fixes([try fix(harness, late: late)]))
            harness.run(for: .seconds(1))
        }
        #expect(harness.session.clock == nil)
        harness.deliver(.fixes([try fix(harness, late: .milliseconds(250))]))
        let clock = try #require(harness.session.clock)
        #expect(clock.source == .receiver)
        #expect(harness.now.wall - clock.time(at: harness.now.boot).wall == .milliseconds(200))
    }

    @Test func aTimeThatCannotBeIsNotTrusted() throws {
        for late in [Interval.days(20 * 365), .days(-100 * 365)] {
            var harness = SessionHarness(from: morning, isSynchronised: false)
            harness.allow(.location)
            for _ in 0..<5 {
                harness.deliver(.fixes([try fix(harness, late: late)]))
                harness.run(for: .seconds(1))
            }
            #expect(harness.session.clock == nil)
        }
    }
}
