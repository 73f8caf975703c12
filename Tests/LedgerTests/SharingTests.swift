import CSQLite
import Domains
import Foundation
import Core
import RightClock
import Testing

@testable import Store

/// Several processes with the same store open, and a disk that is full.
@Suite struct SharingTests {
    let store: TestStore
    let ledger: Ledger

    init() throws {
        store = try TestStore()
        ledger = try store.open(busyTimeout: .zero)
        try ledger.allowMotionAndSteps()
        try ledger.commit(Batch(checkpoint: [1]))
    }

    @Test func aWriterThatWaitsTooLongIsToldAndCanTryAgain() throws {
        let other = try store.open(.visitor)
        try other.transaction { (_) throws(LedgerError) in
            #expect(throws: LedgerError.busy(path: store.path)) { try ledger.commit(Batch(checkpoint: [2])) }
        }
        #expect(try ledger.state() == [1])
        try ledger.commit(Batch(checkpoint: [2]))
        #expect(try other.state() == [2])
    }

    @Test func readersWaitForNobodyAndSeeWhatWasCommitted() throws {
        let reader = try store.open(.visitor, busyTimeout: .zero)
        try ledger.transaction { (_) throws(LedgerError) in
            try ledger.database.run("DELETE FROM checkpoint")
            let seen = try reader.state()
            #expect(seen == [1])
        }
        #expect(try reader.state() == nil)
    }

    @Test func aReaderSeesOneStateThroughout() throws {
        let reader = try store.open(.visitor)
        try reader.database.snapshot { () throws(LedgerError) in
            let before = try reader.state()
            try ledger.commit(Batch(checkpoint: [2]))
            let after = try reader.state()
            #expect(before == [1] && after == [1])
        }
        #expect(try reader.state() == [2])
    }

    @Test func manyWritersLoseNothing() async throws {
        let path = store.path
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<4 {
                group.addTask {
                    let vault = try Vault(key: TestStore.key)
                    let ledger = try Ledger.open(
                        path: path, vault: vault, role: .visitor, settleTime: TestStore.settleTime,
                        busyTimeout: .seconds(60))
                    for count in 0..<20 {
                        let at = someDay.start + .seconds(Int64(writer * 100 + count))
                        try ledger.commit(Batch(checkpoint: [0], events: [.sedentary(at)]))
                    }
                }
            }
            try await group.waitForAll()
        }
        let records = try ledger.queued()
        #expect(records.count == 80 && Set(records.map(\.key)).count == 80)
    }

    @Test func processesThatStartTogetherMakeOneStore() async throws {
        let fresh = try TestStore()
        let path = fresh.path
        try await withThrowingTaskGroup(of: Void.self) { group in
            for domain in Domain.all {
                group.addTask {
                    let vault = try Vault(key: TestStore.key)
                    let ledger = try Ledger.open(
                        path: path, vault: vault, role: .keeper, settleTime: TestStore.settleTime,
                        busyTimeout: .seconds(60))
                    #expect(ledger.movedAside == nil)
                    try ledger.allow(domain)
                }
            }
            try await group.waitForAll()
        }
        #expect(try fresh.open().consent().state.toggles == DomainSet(Domain.all))
        #expect(try fresh.open().trail().count == Domain.all.count + Permission.all.count)
        let report = try fresh.open().verifyTrail()
        #expect(report.isIntact, "\(report.findings)")
        #expect(try fresh.names() == ["store.sqlite"])
    }

    @Test func aFileBesideTheStoreThatCannotBeMadeIsNoMissingStore() throws {
        let closed = try TestStore()
        do { _ = try closed.open() }
        let path = closed.directory + "/refused.sqlite"
        try FileManager.default.copyItem(atPath: closed.path, toPath: path)
        let system = try #require(sqlite3_vfs_find(nil))
        let refusing = unsafeBitCast(openAllButRefused, to: sqlite3_syscall_ptr.self)
        #expect(system.pointee.xSetSystemCall(system, "open", refusing) == SQLITE_OK)
        defer { _ = system.pointee.xSetSystemCall(system, "open", nil) }
        let told = refusal(ofStoreAt: path)
        #expect(told.hasPrefix("cannot use the store \(path): ") && told.contains("\(path)-shm"), "\(told)")
    }

    /// What is said where the store cannot be read.
    private func refusal(ofStoreAt path: String) -> String {
        do {
            let database = try Database(path: path, busyTimeout: .zero)
            _ = try database.integer("SELECT count(*) FROM sqlite_schema")
            return ""
        } catch {
            return "\(error)"
        }
    }

    @Test func writesOfTheProcessAreCounted() throws {
        let before = try #require(ProcessWrites.total())
        try ledger.commit(Batch(checkpoint: [UInt8](repeating: 0, count: 400)))
        #expect(try #require(ProcessWrites.total()) >= before + 1048)
    }
}

/// What SQLite opens files with: a disk without space for another file refuses one of this name.
private let openAllButRefused: @convention(c) (UnsafePointer<CChar>?, Int32, Int32) -> Int32 = { path, flags, mode in
    guard let path else { return -1 }
    if flags & O_CREAT != 0, strstr(path, "refused.sqlite-shm") != nil {
        errno = ENOSPC
        return -1
    }
    return open(path, flags, mode_t(mode))
}
