import Domains
import System
import Core
import Testing

@testable import Store
@testable import Sensing

@Suite struct ConsentActTests {
    private let ledger: Ledger
    private let scratch: Scratch
    init() throws {
        scratch = try Scratch()
        ledger = try scratch.ledger()
    }

    /// The acts of these events, each at its own second.
    private func acts(_ steps: [ConsentEvent]...) throws -> [ConsentAct] {
        var time = noon
        for events in steps {
            try ledger.change(events, at: time)
            time = time + .seconds(1)
        }
        return ConsentAct.acts(in: try ledger.trail())
    }

    private func logged(_ act: ConsentAct) -> JournalEntry? {
        let book = LogBook()
        book.journal.log(act)
        #expect(book.entries.count == 1 && book.entries.first?.priority == .notice)
        return book.entries.first
    }

    @Test func emptyTrailHasNoActs() { #expect(ConsentAct.acts(in: []).isEmpty) }

    @Test func entriesOfOneTimeAndActorAreOneAct() throws {
        let acts = try acts(
            [.reply(.motion, .agreedWholly(to: .motion))], [.turn(.motion, on: false)],
            [.forbidden(DomainSet(.location)), .turn(.motion, on: true)])
        #expect(acts.map(\.entries.count) == [2, 1, 1, 1])
        #expect(acts.map(\.by) == [.wearer, .wearer, .administrator, .wearer])
    }

    @Test func textIsOnePlainSentence() throws {
        let acts = try acts(
            [.reply(.steps, .agreed([.steps, .sleep]))], [.turn(.sleep, on: true)], [.decide(.health, .declined)],
            [.decide(.health, .notAsked)], [.reply(.location, .declined)],
            [.forbidden(DomainSet([.location, .alarm]))],
            [.forbidden([])], [.found(.motion, .absent)], [.found(.motion, .refused)], [.found(.motion, nil)],
            [.found(.alarm, .absent)], [.found(.alarm, nil)], [.forget(.motion), .forget(.steps)])
        #expect(
            acts.map(\.text) == [
                "steps is on: the wearer agreed to steps and sleep",
                "sleep is on: turned by the wearer",
                "steps and sleep are off: the wearer withdrew health",
                "the wearer may be asked about health again",
                "the wearer declined location",
                "location and alarm are blocked: forbidden by the config",
                "location and alarm are no longer blocked: was forbidden by the config",
                "motion is blocked: not there",
                "motion is blocked: refused by the kernel",
                "motion is no longer blocked: was refused by the kernel",
                "alarm is blocked: not there",
                "alarm is no longer blocked: was not there",
                "all data of motion and steps is deleted at the request of the wearer",
            ])
    }

    /// With one act of both, a search of the log for one domain would not find why it is off.
    @Test func aDeviceThatTwoDomainsShareIsAnActOfEachWithWhatIsKnown() throws {
        try ledger.change([.granted([.motion, .health])], at: noon)
        for domain in [Domain.motion, .steps] { try ledger.change([.turn(domain, on: true)], at: noon) }
        let before = try ledger.consent()
        let losses = [Domain.motion, .steps].map {
            DeviceLoss(domain: $0, obstacle: .refused, reason: "/dev/i2c-1: permission denied")
        }
        try ledger.change(losses.map { .found($0.domain, $0.obstacle) }, at: noon)
        let acts = ConsentAct.acts(
            in: try ledger.trail(after: before.lastEntry), following: before.state, because: losses)
        #expect(
            acts.map(\.text)
                == [
                    "motion is off: refused by the kernel (/dev/i2c-1: permission denied)",
                    "steps is off: refused by the kernel (/dev/i2c-1: permission denied)",
                ])
        #expect(acts.map(\.domain) == [.motion, .steps])
    }

    @Test func logHasTheFittingEventDomainAndFields() throws {
        let acts = try acts(
            [.reply(.steps, .agreedWholly(to: .health))], [.turn(.steps, on: false)], [.forget(.steps)],
            [.decide(.health, .declined)])
        let entries = acts.compactMap(logged)
        #expect(entries.map(\.event) == [.permissionChanged, .toggleChanged, .dataForgotten, .permissionChanged])
        #expect(entries.map(\.domains) == [[.steps], [.steps], [.steps], []])
        let fields = entries.map { entry in entry.fields.map { "\($0.name)=\($0.value)" } }
        #expect(
            fields == [
                ["FROM=notDetermined", "TO=authorized", "BY=wearer"], ["FROM=on", "TO=off", "BY=wearer"], ["BY=wearer"],
                ["BY=wearer"],
            ])
    }
}
