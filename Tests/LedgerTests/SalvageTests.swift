import Domains
import Foundation
import Core
import RightClock
import SimulatedBus
import Testing

@testable import Store

/// A new store begins with what can still be read of the one that was moved aside (SPEC §9).
@Suite struct SalvageTests {
    let store: TestStore
    private let keys: [IdempotencyKey]

    /// Motion and steps on, twenty days, of which all but one wait to be sent.
    init() throws {
        store = try TestStore()
        let ledger = try store.open()
        try ledger.allowMotionAndSteps()
        for day in 0..<20 { try ledger.commit(Batch(checkpoint: [7], closedDays: [.usual(someDay + day)])) }
        let first = try #require(try ledger.queued().first)
        try ledger.markDelivered(first.id, at: noon(someDay + 20))
        keys = try ledger.queued().map(\.key)
        _ = ledger.scrub()
    }

    private func flip(_ offset: Int, _ bit: UInt8 = 0) throws {
        var bytes = store.bytes()
        bytes[offset] ^= 1 << bit
        try store.write(bytes)
    }

    private func expectWhole(_ ledger: Ledger) throws {
        #expect(try ledger.consent().isTrusted && ledger.consent().state.toggles == [.motion, .steps])
        #expect(try ledger.verifyTrail().isIntact && ledger.trail().count == 4)
        #expect(try ledger.days(limit: 99).count == 20)
        #expect(try ledger.queued().map(\.key) == keys, "the same keys, in the same order")
        #expect(try ledger.dayDeliveries()[someDay] == .delivered)
    }

    /// What is nowhere vouched for: magic, page size, versions, fractions, format, encoding, owner, version of the tables.
    @Test(arguments: [0, 15, 16, 17, 18, 19, 20, 21, 22, 23, 47, 55, 59, 60, 63, 67, 68, 71, 90])
    func aBrokenHeaderLosesNothing(offset: Int) throws {
        let anchor = URL(fileURLWithPath: StoreAnchor(ofStoreAt: store.path).path)
        let anchored = try Data(contentsOf: anchor)
        for bit in [0, 1, 6] as [UInt8] {
            let whole = store.bytes()
            try flip(offset, bit)
            let changed = store.bytes()
            do {
                let ledger = try store.open()
                if let aside = ledger.movedAside {
                    #expect(store.bytes(String(try #require(aside.path).dropFirst(store.path.count))) == changed)
                    #expect(aside.salvaged.days == 20 && aside.salvaged.consentIsKept)
                }
                try expectWhole(ledger)
            }
            for suffix in ["-wal", "-shm"] { unlink(store.path + suffix) }
            try store.write(whole)
            unlink(RunningState.path(in: store.directory))
            try anchored.write(to: anchor)
        }
    }

    @Test(arguments: ["history", "quarter", "boot", "day", "outbox", "delivery", "consent", "meta"])
    func aTableThatIsGoneIsDamageAndTheOthersAreCarriedOver(table: String) throws {
        do {
            let ledger = try store.open()
            try ledger.tamper("DROP TABLE \(table)")
            _ = ledger.scrub()
        }
        let ledger = try store.open()
        let aside = try #require(ledger.movedAside)
        #expect(aside.salvaged.brokenTables.contains(table), "\(aside.salvaged)")
        #expect(try ledger.days(limit: 99).count == (table == "history" ? 0 : 20))
        #expect(try ledger.consent().isTrusted == (table != "consent" && table != "meta"))
        let settlement = try ledger.commit(Batch(checkpoint: [1], closedDays: [.usual(someDay + 21)]))
        #expect(settlement.closedDays.isEmpty, "something of it may be lost")
        #expect(try settlement.incompleteDays.isEmpty != ledger.consent().isTrusted)
    }

    @Test func aTableOfAnotherNameIsDamage() throws {
        do {
            let ledger = try store.open()
            try ledger.tamper("ALTER TABLE delivery RENAME TO delivera")
        }
        #expect(try store.open().movedAside?.salvaged.brokenTables == ["delivery"])
    }

    @Test func everyPageMayBeBroken() throws {
        let whole = store.bytes()
        var random = SeededGenerator(seed: 3)
        for page in 1..<whole.count / 1024 where page % 7 == 0 {
            var bytes = whole
            for index in page * 1024..<(page + 1) * 1024 { bytes[index] = UInt8.random(in: 0...255, using: &random) }
            for suffix in ["-wal", "-shm"] { unlink(store.path + suffix) }
            try store.write(bytes)
            StoreAnchor(ofStoreAt: store.path).remove()
            let ledger = try store.open()
            let consent = try ledger.consent()
            #expect(consent.isTrusted ? consent.state.toggles == [.motion, .steps] : consent.state.toggles == [])
            let sent = Set(try ledger.queued().map(\.key))
            #expect(sent.isSubset(of: keys), "nothing gets another key")
            try ledger.commit(Batch(checkpoint: [1]))
            #expect(try store.open().movedAside == nil, "page \(page): the new one is sound")
        }
    }

    @Test(
        arguments: ["history", "day", "quarter", "outbox", "outbox_delivery", "delivery"], [true, false])
    func rowsThatAreRemovedAreTold(table: String, isOpen: Bool) throws {
        do {
            let ledger = try store.open()
            let column = [
                "history": "day", "day": "day", "quarter": "start", "delivery": "sink", "outbox": "id",
                "outbox_delivery": "record",
            ][table]
            try ledger.noteRunBegan(at: noon(someDay))
            try ledger.tamper(
                "DELETE FROM \(table) WHERE \(column ?? "rowid") = (SELECT max(\(column ?? "rowid")) FROM \(table))")
            if isOpen {
                try ledger.commit(Batch(checkpoint: [1], closedDays: [.usual(someDay + 21)]))
                #expect(ledger.changedTables.first == table)
                #expect(try ledger.dayDeliveries()[someDay + 21] == .incomplete)
                return
            }
        }
        let ledger = try store.open()
        #expect(ledger.changedTables.first == table && ledger.movedAside == nil)
        #expect(try !store.open().changedTables.contains(table), "once")
    }

    /// The commit of a day finds it.
    private func expectDamage(_ ledger: Ledger) {
        let commit = Result { () throws(LedgerError) in
            try ledger.commit(Batch(checkpoint: [1], closedDays: [.usual(someDay + 21)]))
        }
        if case .failure(.damaged) = commit { return }
        Issue.record("not noticed")
    }

    @Test func aBootThatIsRemovedLeavesNoDayThatLooksWhole() throws {
        let ledger = try store.open()
        try ledger.tamper("DELETE FROM boot WHERE id = (SELECT max(id) FROM boot)")
        expectDamage(ledger)
        #expect(try store.open().movedAside != nil)
        #expect(try store.open().movedAside == nil, "the new one is sound")
    }

    /// What vouches for all other rows is read before more than the state is written over it.
    @Test func aMarkThatWasChangedUnderAnOpenStoreIsNoticed() throws {
        let ledger = try store.open()
        try ledger.tamper("UPDATE meta SET sealed = zeroblob(length(sealed))")
        try ledger.commit(Batch(checkpoint: [1]))
        expectDamage(ledger)
    }

    @Test func aRowThatIsPutBackIsTold() throws {
        let ledger = try store.open()
        try ledger.database.execute("CREATE TABLE old AS SELECT * FROM boot")
        try ledger.commit(Batch(checkpoint: [1], closedDays: [.usual(someDay + 21)]))
        try ledger.tamper("DELETE FROM boot; INSERT INTO boot SELECT * FROM old; DROP TABLE old")
        #expect(try store.open().changedTables == ["boot"])
    }

    @Test func aRecordWithoutOneOfItsFieldsIsNotSent() throws {
        let ledger = try store.open()
        let record = try #require(try ledger.queued().first)
        try ledger.tamper(
            "UPDATE outbox SET sealed = CAST(substr(sealed, 1, length(sealed) - 19) AS BLOB) WHERE id = \(record.id)")
        #expect(try ledger.queued().first?.content == .unreadable)
    }

    @Test func aDeliveredRecordThatWasMovedTellsNothingOfTheOtherDay() throws {
        let ledger = try store.open()
        let day = Interval.days(30).nanoseconds
        try ledger.tamper("UPDATE outbox SET at = at + \(day) WHERE id = 1")
        #expect(try ledger.dayDeliveries()[someDay + 30] == nil)
        let settlement = try ledger.commit(Batch(checkpoint: [1], closedDays: [.usual(someDay + 30)]))
        #expect(settlement.strangers == 1, "it is told")
        #expect(try ledger.dayDeliveries()[someDay + 30] == .queued, "and keeps no other record from being sent")
    }

    @Test(arguments: ["", "-wal", "-shm"])
    func aFileThatIsDeletedUnderItIsNoticedByTheNextCommit(suffix: String) throws {
        let ledger = try store.open()
        try ledger.commit(Batch(checkpoint: [1]))
        unlink(store.path + suffix)
        #expect(throws: LedgerError.self) { try ledger.commit(Batch(checkpoint: [2])) }
        try ledger.recover()
        try ledger.commit(Batch(checkpoint: [3]))
        #expect(try ledger.state() == [3] && store.open(.visitor).state() == [3])
        #expect(try ledger.days(limit: 99).count == (suffix.isEmpty ? 0 : 20) || ledger.movedAside != nil)
    }

    @Test func aStoreThatIsEmptiedOrOverwrittenUnderItIsNoticed() throws {
        for bytes in [[], Array("no database at all".utf8)] as [[UInt8]] {
            let ledger = try store.open()
            try ledger.commit(Batch(checkpoint: [1]))
            let file = try FileHandle(forWritingTo: URL(fileURLWithPath: store.path))
            try file.truncate(atOffset: 0)
            try file.write(contentsOf: Data(bytes))
            try file.close()
            if bytes.isEmpty {
                #expect(throws: LedgerError.self) { try ledger.commit(Batch(checkpoint: [2])) }
            }
            try ledger.recover()
            #expect(ledger.movedAside != nil)
            try ledger.commit(Batch(checkpoint: [3]))
            #expect(try ledger.state() == [3])
        }
    }

    @Test func anIndexThatIsCutShortEndsNothing() throws {
        let ledger = try store.open()
        try ledger.commit(Batch(checkpoint: [1]))
        for length in [0, 100, 4096] {
            truncate(store.path + "-shm", length)
            try ledger.commit(Batch(checkpoint: [UInt8(length % 251)]))
            #expect(try ledger.state() == [UInt8(length % 251)])
        }
        #expect(try ledger.isSound() && store.open().movedAside == nil)
    }
}
