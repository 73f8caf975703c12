import Domains
import Core
import SimulatedBus
import Testing

@testable import Store

/// Random events; after each, the snapshot must equal the fold of the trail, by rules that are written anew here.
@Suite struct FoldTests {
    @Test(arguments: [11, 12] as [UInt64])
    func theSnapshotIsTheFoldOfTheTrail(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let store = try TestStore()
        var ledger = try store.open()
        var fold = Fold()
        var now = noon(someDay)
        var domain = Domain.motion
        // Of the others only the obstacles and deletions change.
        let domains = Domain.all + [Domain](repeating: .motion, count: 8) + [Domain](repeating: .steps, count: 8)
        for step in 0..<3000 {
            now = now + .milliseconds(Int64.random(in: -20...300, using: &random))
            if Bool.random(using: &random) { domain = domains.randomElement(using: &random) ?? domain }
            let event = ConsentEvent.random(about: domain, using: &random)
            let outcome = try ledger.change([event], at: now)
            let added = try ledger.trail(after: fold.last)
            let comment: Comment = "seed \(seed), step \(step), \(event)"
            #expect(added == outcome.entries, comment)
            for entry in added { fold.add(entry) }
            let consent = try ledger.consent()
            #expect(consent == outcome.snapshot, comment)
            fold.check(consent, comment)
            if step % 250 == 249 {
                ledger = try store.open()
                #expect(try ledger.consent() == consent, comment)
                var whole = Fold()
                for entry in try ledger.trail() { whole.add(entry) }
                whole.check(consent, comment)
                let report = try ledger.verifyTrail()
                #expect(report.isIntact && report.entries == Int(fold.last), comment)
            }
        }
        #expect(fold.last > 500, "seed \(seed)")
        #expect(fold.flicks > 20, "seed \(seed)")
    }
}

private struct Fold {
    var last: ConsentEntry.ID = 0
    var flicks = 0
    private var state = ConsentState()
    private var lastOn: [Domain: ConsentEntry.ID] = [:]
    private var forgotten: [Domain: ConsentEntry.ID] = [:]
    private var toggled: [Domain: WallTime] = [:]
    private var changed: [Domain: WallTime] = [:]
    /// The entry that turned a domain off, unless it was, or has since been, withdrawn.
    private var slips: [Domain: ConsentEntry] = [:]

    mutating func add(_ entry: ConsentEntry) {
        #expect(entry.id == last + 1)
        last = entry.id
        state.apply(entry.change, by: entry.by)
        switch entry.change {
        case .toggle(let domain, let from, let to):
            #expect(from != to)
            toggled[domain] = entry.at
            if !to {
                slips[domain] = entry
            } else if let slip = slips.removeValue(forKey: domain),
                abs((entry.at - slip.at).inMilliseconds) < 220
            {
                flicks += 1
            } else {
                lastOn[domain] = entry.id
            }
        case .answer(let permission, let from, let to):
            #expect(from != to)
            for domain in permission.domains { changed[domain] = entry.at }
        case .obstacle(let domain, let from, let to):
            #expect(from != to)
            changed[domain] = entry.at
        case .forgotten(let domain): forgotten[domain] = entry.id
        case .part(_, _, let from, let to): #expect(from != to)
        case .unknown: Issue.record("this version wrote what it does not understand")
        }
        for domain in Domain.all where !state.status(of: domain).allowsCollection { slips[domain] = nil }
    }

    func check(_ consent: ConsentSnapshot, _ comment: Comment) {
        #expect(consent.isTrusted && consent.state == state && consent.lastEntry == last, comment)
        for domain in Domain.all {
            let isOn = state.toggles.allows(domain)
            #expect(consent.lastOn(domain) == lastOn[domain], comment)
            #expect(consent.onSince(domain) == (isOn ? lastOn[domain] : nil), comment)
            #expect(consent.toggledAt(domain) == toggled[domain], comment)
            #expect(consent.statusChangedAt(domain) == changed[domain], comment)
            #expect(consent.forgottenAt(domain) == forgotten[domain] ?? 0, comment)
            let slip = slips[domain]
            let wait = consent.settling(domain, at: slip?.at ?? noon(someDay))
            #expect(wait == (slip == nil ? nil : .milliseconds(220)), comment)
        }
    }
}

extension ConsentEvent {
    fileprivate static func random(about domain: Domain, using random: inout SeededGenerator) -> ConsentEvent {
        let permission = domain.permission
        let scope = Scope(rawValue: UInt64.random(in: 0..<128, using: &random)).intersection(permission.wholeScope)
        let answer: Answer =
            switch UInt8.random(in: 0..<12, using: &random) {
            case 0: .declined
            case 1: .notAsked
            case 2 where !scope.isEmpty: .agreed(scope)
            default: .agreedWholly(to: permission)
            }
        switch UInt8.random(in: 0..<20, using: &random) {
        case 0..<7: return .turn(domain, on: true)
        case 7..<12: return .turn(domain, on: false)
        case 12: return .reply(domain, answer)
        case 13: return Bool.random(using: &random) ? .widen(domain, answer) : .narrow(domain)
        case 14: return .decide(permission, answer)
        case 15: return .forget(domain)
        case 16: return .granted(Permission.all.filter { _ in Bool.random(using: &random) })
        case 17: return Bool.random(using: &random) ? .forbidden([]) : .forbidden(DomainSet(domain))
        case 18: return .found(domain, Bool.random(using: &random) ? .absent : .refused)
        default: return .found(domain, nil)
        }
    }
}
