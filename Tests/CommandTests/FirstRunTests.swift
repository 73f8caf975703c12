import Domains
import Foundation
import LaterVersion
import Sensing
import Testing

@testable import anicca

/// The first run (SPEC §2 rule 9), over hardware that is as a test says.
@Suite struct FirstRunTests {
    private static let openings = ["Screen time:", "Phone:", "Health:", "Motion:", "Heart:", "Location:", "Alarm:"]

    @Test func asksInOrderOneAtATimeAndTurnsOnWhatIsAgreedTo() throws {
        let desk = try Desk(.later)
        let wearer = ScriptedWearer("y", "y", "y", "n", "n", "events only", "y")
        #expect(try desk.setUp(wearer) == .complete)
        #expect(wearer.questions == 7)
        let places = try Self.openings.map { try #require(wearer.shown.range(of: $0)?.lowerBound) }
        #expect(places == places.sorted())
        for number in 1...7 { #expect(wearer.shown.contains("\(number) of 7\n")) }
        var on = DomainSet()
        for domain in [Domain.screenTime, .phone, .steps, .sleep, .walks, .location, .alarm] {
            on.set(domain, to: true)
        }
        #expect(try desk.state.toggles == on)
        #expect(try desk.state.status(of: .motion) == .denied)
        #expect(try desk.state.status(of: .location.later) == .limited)
    }

    @Test func asksAboutWhatThisVersionCollectsAndAboutTheRestInALaterOne() throws {
        let desk = try Desk(.withSleep)
        let wearer = ScriptedWearer("y", "y")
        #expect(try desk.setUp(wearer) == .complete)
        #expect(wearer.questions == 2)
        #expect(wearer.shown.contains("\n1 of 2\nHealth: your steps and your sleep.\n  Collected "))
        #expect(wearer.shown.contains("\n2 of 2\nMotion: "))
        for domain in Domain.afterSleep { #expect(!wearer.shown.contains("\(domain)")) }
        #expect(try desk.state.toggles == [.motion, .steps, .sleep])

        let later = try Desk(.later, over: desk)
        let again = ScriptedWearer("n", "n", "n", "n", "n", "y", "n")
        #expect(try later.setUp(again) == .complete)
        #expect(again.questions == 7, "all but walks of health, and all but floors of motion, are answered")
        #expect(try later.state.toggles == [.motion, .steps, .sleep, .location])
    }

    @Test(arguments: ["q", nil])
    func canBeLeftAtAnyPointAndGoesOnThere(leaving: String?) throws {
        for answered in Permission.all.indices {
            let desk = try Desk(.later)
            let first = ScriptedWearer(Array(repeating: "y", count: answered) + (leaving.map { [$0] } ?? []))
            #expect(try desk.setUp(first) == .left(at: Permission.all[answered]))
            #expect(try desk.state.answer(to: Permission.all[answered]) == .notAsked)

            let second = ScriptedWearer(Array(repeating: "n", count: Permission.all.count - answered))
            #expect(try desk.setUp(second) == .complete)
            #expect(second.questions == Permission.all.count - answered)
            for (index, permission) in Permission.all.enumerated() {
                let all = permission.wholeScope
                let answer = index < answered ? Answer.agreed(all, offered: all) : .declined
                #expect(try desk.state.answer(to: permission) == answer)
            }
        }
    }

    @Test func aPartOfHealthTurnsOnThatPart() throws {
        for (typed, domain) in [("only steps", Domain.steps), ("only sleep", .sleep)] {
            let desk = try Desk(.later)
            let wearer = ScriptedWearer("n", "n", typed, "q")
            #expect(try desk.setUp(wearer) == .left(at: .motion))
            #expect(wearer.shown.contains("\(domain) is on now"))
            #expect(!wearer.shown.contains("denied"), "the other part was not turned on in vain")
            #expect(try desk.state.toggles == DomainSet(domain))
            #expect(
                try desk.state.answer(to: .health)
                    == .agreed(domain.leastScope, offered: Permission.health.offeredScope))
        }
    }

    @Test func whatIsNotThereIsToldAndNotAskedAbout() throws {
        let desk = try Desk(.later) { $0.consent.forbidden = DomainSet(.location) }
        for domain in [Domain.motion, .floors, .heart] {
            desk.handler(domain).currentStatus = .blocked(.absent, reason: "no sensor answers")
        }
        desk.handler(.steps).currentStatus = .blocked(.absent, reason: "no line is wired")
        let wearer = ScriptedWearer("y", "y", "y", "y")
        #expect(try desk.setUp(wearer) == .complete)
        #expect(wearer.questions == 4, "screenTime, phone, health for the sake of sleep, and alarm")
        #expect(wearer.shown.contains("motion is off (unsupported); no sensor answers; mend motion, which"))
        #expect(wearer.shown.contains("location is off (restricted)"))
        #expect(try desk.state.toggles.allows(.sleep))
        #expect(try !desk.state.toggles.allows(.steps))
        #expect(try desk.state.answer(to: .motion) == .notAsked)
    }

    @Test func aSecondRunOnlyTells() throws {
        let desk = try Desk(.later)
        _ = try desk.setUp(ScriptedWearer("y", "y", "y", "n", "n", "y", "y"))
        let count = try desk.ledger.trail().count
        let wearer = ScriptedWearer("y")
        #expect(try desk.setUp(wearer) == .complete)
        #expect(wearer.questions == 0)
        #expect(try desk.ledger.trail().count == count)
        #expect(try desk.flow(nil).openQuestions().isEmpty)
    }
}
