import Domains
import Core
import RightClock
import SimulatedBus
import Testing

@testable import Store

/// Random operations, each done to a store and to a model of plain arrays; after each, both must agree.
@Suite struct ModelTests {
    @Test(arguments: [1, 2, 3] as [UInt64])
    func theStoreAgreesWithAModel(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var store = try TestStore()
        var ledger = try store.open()
        var model = Model()
        for step in 0..<100 {
            let operation = UInt8.random(in: 0..<14, using: &random)
            switch operation {
            case 0:
                ledger = try store.open()
            case 1:
                store = try store.cut()
                ledger = try store.open()
            default:
                try model.apply(operation, to: ledger, &random)
            }
            #expect(ledger.movedAside == nil)
            try model.check(ledger, "seed \(seed), step \(step), operation \(operation)")
        }
        #expect(try ledger.isSound())
    }
}

private struct Model {
    struct Queued {
        let name: String
        let at: WallTime
        let key: IdempotencyKey
        /// The domains whose consent the record needs, and the entry of each.
        var parts: [(domain: Domain, consent: ConsentEntry.ID)]
        var attempts = 0
    }

    var now = noon(someDay)
    var toggles = DomainSet()
    var lastOn: [Domain: ConsentEntry.ID] = [:]
    var entries: ConsentEntry.ID = 0
    var checkpoint: [UInt8]?
    var history: [UTCDay: Int] = [:]
    var queued: [Queued] = []
    var settled: [(at: WallTime, wasDelivered: Bool)] = []
    var dropped = 0

    mutating func apply(_ operation: UInt8, to ledger: Ledger, _ random: inout SeededGenerator) throws {
        let chosen = queued.isEmpty ? nil : Int.random(in: 0..<queued.count, using: &random)
        switch operation {
        case 2, 3: try toggle(ledger, &random)
        case 4, 5: try closeDay(ledger)
        case 6, 7: try commitEvent(ledger)
        case 8: if let chosen { try deliver(chosen, ledger) }
        case 9: if let chosen { try fail(chosen, ledger) }
        case 10: if let chosen { try setAside(chosen, ledger) }
        case 11: try dropUnsendable(ledger)
        default: try expire(ledger)
        }
    }

    /// Long after the latest change, so that nothing is a flick.
    private mutating func toggle(_ ledger: Ledger, _ random: inout SeededGenerator) throws {
        let domain: Domain = Bool.random(using: &random) ? .motion : .steps
        let isOn = Bool.random(using: &random)
        now = now + .seconds(1)
        if isOn, lastOn[domain] == nil {
            entries += 2
            lastOn[domain] = entries
            try ledger.allow(domain, at: now)
        } else {
            if toggles.allows(domain) != isOn {
                entries += 1
                if isOn { lastOn[domain] = entries }
            }
            try ledger.turn(domain, on: isOn, at: now)
        }
        toggles.set(domain, to: isOn)
    }

    private mutating func closeDay(_ ledger: Ledger) throws {
        let day = UTCDay(containing: now)
        now = noon(day.next)
        let state = Array("closed \(day)".utf8)
        try ledger.commit(Batch(checkpoint: state, closedDays: [.usual(day)]))
        checkpoint = state
        let figures = (lastOn[.motion] == nil ? 0 : 1) + (lastOn[.steps] == nil ? 0 : 2)
        if figures > 0 { history[day] = figures }
        // Of a domain that is off nothing is queued for its day.
        try adopt("\(day)", at: day.end, [.motion, .steps].filter(toggles.allows), from: ledger)
    }

    private mutating func commitEvent(_ ledger: Ledger) throws {
        now = now + .minutes(3)
        let state = Array("event at \(now)".utf8)
        try ledger.commit(Batch(checkpoint: state, events: [.sedentary(now)]))
        checkpoint = state
        try adopt("event \(now)", at: now, [.motion], from: ledger)
    }

    /// Takes over the key that the store made for a new record.
    private mutating func adopt(_ name: String, at: WallTime, _ domains: [Domain], from ledger: Ledger) throws {
        let parts = domains.compactMap { domain in lastOn[domain].map { (domain: domain, consent: $0) } }
        guard !parts.isEmpty else { return }
        let record = try #require(try ledger.queued().first { $0.name == name })
        queued.append(Queued(name: name, at: at, key: record.key, parts: parts))
        queued.sort { $0.at < $1.at }
    }

    private func id(_ index: Int, _ ledger: Ledger) throws -> OutboxRecord.ID {
        try #require(try ledger.queued().first { $0.key == queued[index].key }).id
    }

    private mutating func deliver(_ index: Int, _ ledger: Ledger) throws {
        try ledger.markDelivered(try id(index, ledger), at: now)
        settled.append((queued.remove(at: index).at, true))
    }

    private mutating func fail(_ index: Int, _ ledger: Ledger) throws {
        try ledger.markRetry(try id(index, ledger), notBefore: now, error: "503", at: now)
        queued[index].attempts += 1
    }

    private mutating func setAside(_ index: Int, _ ledger: Ledger) throws {
        try ledger.setAside(try id(index, ledger), error: "400", at: now)
        settled.append((queued.remove(at: index).at, false))
    }

    private mutating func dropUnsendable(_ ledger: Ledger) throws {
        now = now + .seconds(1)
        var dropped = 0
        for index in queued.indices {
            let before = queued[index].parts.count
            queued[index].parts.removeAll { !toggles.allows($0.domain) || $0.consent != lastOn[$0.domain] }
            dropped += before - queued[index].parts.count
        }
        // A withheld record expires as quietly as a delivered one.
        for record in queued where record.parts.isEmpty { settled.append((record.at, true)) }
        queued.removeAll { $0.parts.isEmpty }
        #expect(try ledger.dropUnsendable(at: now) == dropped)
    }

    private mutating func expire(_ ledger: Ledger) throws {
        let oldest = now - .days(2)
        // A day is a nanosecond older in the store than its end; only events can be as close as that.
        let lateSetAside = settled.filter { !$0.wasDelivered && $0.at <= oldest }
        let late = queued.filter { $0.at <= oldest }.count + lateSetAside.count
        #expect(try ledger.dropExpired(olderThan: oldest + Interval(nanoseconds: 1)) == late)
        dropped += late
        queued.removeAll { $0.at <= oldest }
        settled.removeAll { $0.at <= oldest }
    }

    func check(_ ledger: Ledger, _ comment: Comment) throws {
        let consent = try ledger.consent()
        #expect(consent.isTrusted && consent.state.toggles == toggles && consent.lastEntry == entries, comment)
        for domain in [Domain.motion, .steps] { #expect(consent.lastOn(domain) == lastOn[domain], comment) }
        #expect(try ledger.trail().count == Int(entries), comment)
        #expect(try ledger.state() == checkpoint, comment)
        let records = try ledger.queued()
        #expect(records.map(\.name) == queued.map(\.name), comment)
        #expect(records.map(\.key) == queued.map(\.key), comment)
        #expect(records.map(\.state.attempts) == queued.map(\.attempts), comment)
        #expect(records.map(\.consents) == queued.map { $0.parts.map(\.consent).sorted() }, comment)
        let days = try ledger.days(limit: 1000)
        #expect(days.map(\.day) == history.keys.sorted(by: >), comment)
        #expect(days.allSatisfy { $0.figures.count == history[$0.day] }, comment)
        let status = try ledger.deliveryStatus()
        #expect(status.setAside == settled.filter { !$0.wasDelivered }.count && status.dropped == dropped, comment)
    }
}

extension OutboxRecord {
    fileprivate var consents: [ConsentEntry.ID] {
        switch content {
        case .day(_, let fields): fields.map(\.consent).sorted()
        case .event(_, let consent): [consent]
        case .erasure, .unreadable: []
        }
    }

    fileprivate var name: String {
        switch content {
        case .day(let day, _): "\(day)"
        case .event(let event, _): "event \(event.at)"
        case .erasure(_, let until): "erasure \(until)"
        case .unreadable: "unreadable"
        }
    }
}
