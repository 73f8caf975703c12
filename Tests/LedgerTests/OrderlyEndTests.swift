import Domains
import Foundation
import Core
import RightClock
import Testing

@testable import Store

/// A start after an orderly end reads no rows, unless the files were written to since.
@Suite struct OrderlyEndTests {
    let store: TestStore

    /// Motion and steps on, and three days, the last by a process that ended in good order.
    init() throws {
        store = try TestStore()
        let ledger = try store.open()
        try ledger.allowMotionAndSteps()
        for number in 0..<3 {
            try ledger.commit(Batch(checkpoint: [UInt8(number)], closedDays: [.usual(someDay + number)]))
        }
    }

    private func endOfDay(_ number: Int) -> Batch { Batch(checkpoint: [9], closedDays: [.usual(someDay + number)]) }

    /// Whether the next start looks at all of the store, which then has nothing to tell.
    private func startLooks() throws -> Bool {
        let ledger = try store.open()
        #expect(ledger.changedTables.isEmpty && ledger.movedAside == nil && !ledger.lacksCommits)
        return ledger.hashedRows > 0
    }

    /// Has the anchor say that the files are whole as they lie there: a card that forgot what it held gives them no other times.
    private func vouch() throws {
        let vault = try Vault(key: TestStore.key)
        let anchor = StoreAnchor(ofStoreAt: store.path)
        var record = try #require(anchor.read(vault).record)
        record.files = OpenFiles.stamps(of: store.path)
        #expect(anchor.write(record, vault) == nil)
    }

    @Test func aStartAfterAnOrderlyEndReadsNoRows() throws {
        #expect(try !startLooks())
        #expect(try !startLooks(), "also where nothing was written")
    }

    @Test func theLogMayStay() throws {
        let ledger = try store.open()
        try ledger.commit(Batch(checkpoint: [4]))
        ledger.end()
        #expect(!store.usedLog().isEmpty)
        #expect(throws: LedgerError.self) { try ledger.commit(Batch(checkpoint: [5])) }
        #expect(try !startLooks() && store.open().state() == [4])
    }

    @Test func othersThatEndInGoodOrderChangeNothing() throws {
        try store.open(.visitor).noteRunBegan(at: noon(someDay))
        #expect(try store.open(.visitor).checkpoint() != nil)
        #expect(try !startLooks())
        let ledger = try store.open()
        try store.open(.visitor).noteRunBegan(at: noon(someDay))
        try ledger.commit(endOfDay(3))
        ledger.end()
        #expect(try !startLooks())
    }

    /// As after a power cut, and after a kill.
    @Test(arguments: [true, false]) func aStartAfterAnotherEndLooks(isState: Bool) throws {
        let ledger = try store.open()
        try ledger.commit(isState ? Batch(checkpoint: [4]) : endOfDay(3))
        ledger.database.abandon()
        #expect(try startLooks())
        #expect(try !startLooks())
    }

    /// What another wrote was looked at by nobody.
    @Test func anEndAfterTheCommitOfAnotherIsNoOrderlyOne() throws {
        let ledger = try store.open()
        try ledger.commit(endOfDay(3))
        try store.change("DELETE FROM history WHERE sample_type = 4")
        ledger.end()
        #expect(try store.open().changedTables == ["history"])
    }

    /// Nor is one that found damage: it is told at each start.
    @Test func aRowThatDoesNotOpenIsToldAtEachStart() throws {
        try store.change("UPDATE history SET source = 3 WHERE sample_type = 4")
        for _ in 0..<3 { #expect(try store.open().changedTables == ["history"]) }
    }

    static let changes = [
        "UPDATE history SET sealed = CAST(x'00' || sealed AS BLOB) WHERE sample_type = 4",
        "UPDATE history SET sealed = (SELECT sealed FROM history WHERE sample_type = 5 AND day = 20103)",
        "UPDATE history SET day = day + 100", "DELETE FROM history WHERE sample_type = 4",
    ]

    @Test(arguments: changes) func whatIsChangedAfterAnOrderlyEndIsFoundAtTheStart(sql: String) throws {
        try store.change(sql)
        #expect(try store.open().changedTables == ["history"])
    }

    @Test func pagesThatAreChangedAfterAnOrderlyEndAreFoundAtTheStart() throws {
        let file = try #require(fopen(store.path, "r+"))
        for page in 3..<store.bytes().count / 1024 {
            fseek(file, page * 1024, SEEK_SET)
            fputs("rot", file)
        }
        fclose(file)
        #expect(try store.open().movedAside != nil)
    }

    /// The copy is older and whole; a file that takes the place of another is no less looked at.
    @Test func anOlderCopyIsFoundAtTheStart() throws {
        let old = store.bytes()
        try store.open().turn(.motion, on: false)
        #expect(try !startLooks())
        let whole = store.bytes()
        try store.write(whole)
        #expect(try startLooks())
        try store.write(old)
        #expect(try store.open().movedAside?.why == Ledger.putBack)
    }

    /// Of what no time of a file tells, each night tells.
    @Test(arguments: changes) func whatTheFilesDoNotShowIsFoundAtNight(sql: String) throws {
        try store.change(sql)
        try vouch()
        let ledger = try store.open()
        #expect(ledger.hashedRows == 0 && ledger.changedTables.isEmpty)
        try ledger.commit(Batch(checkpoint: [4]))
        #expect(ledger.changedTables.isEmpty)
        try ledger.commit(endOfDay(3))
        #expect(ledger.changedTables == ["history"])
        let isMissing = sql.hasPrefix("DELETE") || sql.contains("sample_type = 5")
        #expect(try ledger.dayDeliveries()[someDay + 3] == (isMissing ? .incomplete : .queued))
    }

    @Test func pagesThatTheFilesDoNotShowAreFoundAtNight() throws {
        try store.change("PRAGMA writable_schema = ON; UPDATE sqlite_schema SET rootpage = 3 WHERE name = 'book'")
        try vouch()
        let ledger = try store.open()
        #expect(ledger.movedAside == nil)
        #expect(throws: LedgerError.self) { try ledger.commit(endOfDay(3)) }
        try ledger.recover()
        #expect(ledger.movedAside != nil)
        try ledger.commit(endOfDay(3))
    }
}
