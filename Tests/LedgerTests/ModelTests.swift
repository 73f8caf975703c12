import Consent
import Daybook
import Quantities
import Testing
import Vault

@testable import Ledger

/// Random operations, each done to a store and to a model of plain arrays; after each, both must agree.
@Suite struct ModelTests {
    @Test(arguments: [1, 2, 3] as [UInt64])
    func theStoreAgreesWithAModel(seed: UInt64) throws {
        var random = SplitMix(state: seed)
        var store = try TestStore()
        var ledger = try store.open()
        var model = Model()
        for step in 0..<100 {
            let operation = UInt8.random(in: 0..<12, using: &random)
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
        var attempts = 0
    }

    var now = noon(someDay)
    var toggles = Toggles()
    var everOn = Toggles()
    var entries = 0
    var checkpoint: [UInt8]?
    var history: [UTCDay: Int] = [:]
    var queued: [Queued] = []
    var settled: [(at: WallTime, wasDelivered: Bool)] = []
    var dropped = 0

    mutating func apply(_ operation: UInt8, to ledger: Ledger, _ random: inout SplitMix) throws {
        let chosen = queued.isEmpty ? nil : Int.random(in: 0..<queued.count, using: &random)
        switch operation {
        case 2, 3: try toggle(ledger, &random)
        case 4, 5: try closeDay(ledger)
        case 6, 7: try commitEvent(ledger)
        case 8: if let chosen { try deliver(chosen, ledger) }
        case 9: if let chosen { try fail(chosen, ledger) }
        case 10: if let chosen { try setAside(chosen, ledger) }
        default: try expire(ledger)
        }
    }

    private mutating func toggle(_ ledger: Ledger, _ random: inout SplitMix) throws {
        let domain: Domain = Bool.random(using: &random) ? .motion : .steps
        let isOn = Bool.random(using: &random)
        if toggles.allows(domain) != isOn { entries += 1 }
        toggles.set(domain, to: isOn)
        if isOn { everOn.insert(Toggles(domain)) }
        try ledger.setToggle(domain, on: isOn, at: now, by: .wearer)
    }

    private mutating func closeDay(_ ledger: Ledger) throws {
        let day = UTCDay(containing: now)
        now = noon(day.next)
        let state = Array("closed \(day)".utf8)
        try ledger.commit(Batch(checkpoint: state, closedDays: [.usual(day)]))
        checkpoint = state
        let figures = (everOn.allows(.motion) ? 1 : 0) + (everOn.allows(.steps) ? 2 : 0)
        if figures > 0 { history[day] = figures }
        if toggles.allows(.motion) || toggles.allows(.steps) { try adopt("\(day)", at: day.end, from: ledger) }
    }

    private mutating func commitEvent(_ ledger: Ledger) throws {
        now = now + .minutes(3)
        let state = Array("event at \(now)".utf8)
        try ledger.commit(Batch(checkpoint: state, events: [.sedentary(now)]))
        checkpoint = state
        if toggles.allows(.motion) { try adopt("event \(now)", at: now, from: ledger) }
    }

    /// Takes over the key that the store made for a new record.
    private mutating func adopt(_ name: String, at: WallTime, from ledger: Ledger) throws {
        let record = try #require(try ledger.queued(at: now).first { $0.name == name })
        queued.append(Queued(name: name, at: at, key: record.key))
        queued.sort { $0.at < $1.at }
    }

    private func id(_ index: Int, _ ledger: Ledger) throws -> OutboxRecord.ID {
        try #require(try ledger.queued(at: now).first { $0.key == queued[index].key }).id
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
        #expect(try ledger.toggles() == toggles, comment)
        #expect(try ledger.trail().count == entries, comment)
        #expect(try ledger.checkpoint() == checkpoint, comment)
        let records = try ledger.queued(at: now)
        #expect(records.map(\.name) == queued.map(\.name), comment)
        #expect(records.map(\.key) == queued.map(\.key), comment)
        #expect(records.map(\.attempts) == queued.map(\.attempts), comment)
        let days = try ledger.days(limit: 1000)
        #expect(days.map(\.day) == history.keys.sorted(by: >), comment)
        #expect(days.allSatisfy { $0.figures.count == history[$0.day] }, comment)
        let status = try ledger.deliveryStatus()
        #expect(status.setAside == settled.filter { !$0.wasDelivered }.count && status.dropped == dropped, comment)
    }
}

extension OutboxRecord {
    fileprivate var name: String {
        switch content {
        case .day(let day, _): "\(day)"
        case .event(let event, _): "event \(event.at)"
        case .unreadable: "unreadable"
        }
    }
}

/// SplitMix64 (Steele, Lea, Flood, "Fast Splittable Pseudorandom Number Generators", 2014).
private struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}
