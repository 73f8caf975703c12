import Domains
import Foundation
import Core
import RightClock
import Testing

@testable import Store

@Suite struct DamageTests {
    let store: TestStore

    init() throws {
        store = try TestStore()
        let ledger = try store.open()
        try ledger.allowMotionAndSteps()
        for day in 0..<20 { try ledger.commit(Batch(checkpoint: [7], closedDays: [.usual(someDay + day)])) }
    }

    private func damage() throws {
        var bytes = store.bytes()
        for index in 1024..<bytes.count { bytes[index] = UInt8(truncatingIfNeeded: index &* 151) }
        try store.write(bytes)
    }

    @Test func onlyTheOwnerReachesTheFiles() throws {
        let ledger = try store.open()
        try ledger.commit(Batch(checkpoint: [1]))
        for name in try store.names() {
            let attributes = try FileManager.default.attributesOfItem(atPath: "\(store.directory)/\(name)")
            #expect(attributes[.posixPermissions] as? Int == 0o600, "\(name)")
        }
        #expect(try store.names().count == 3)
    }

    @Test func aDamagedStoreIsMovedAsideAndANewOneBegins() throws {
        try damage()
        try store.write([1, 2, 3], to: "-wal")
        let damaged = store.bytes()
        let ledger = try store.open()
        let moved = try #require(ledger.movedAside)
        #expect(moved.path == store.path + ".damaged-1" && !moved.why.isEmpty)
        #expect(store.bytes(".damaged-1") == damaged, "nothing of it is lost")
        #expect(try ledger.consent().state.toggles == [] && ledger.state() == nil)
        try ledger.commit(Batch(checkpoint: [1]))
        #expect(try store.open(.visitor).state() == [1])
    }

    @Test func theLogGoesWithItsStore() throws {
        try damage()
        // SQLite removes the log when it closes, so the log that a power cut left is written afterwards.
        try store.write([UInt8](repeating: 9, count: 5000), to: "-wal")
        #expect(try DamagedStore(path: store.path).moveAside() == store.path + ".damaged-1")
        #expect(try store.names() == ["store.sqlite.damaged-1", "store.sqlite.damaged-1-wal"])
    }

    @Test(arguments: [true, false])
    func aLogWithoutItsStoreIsMovedAside(mainFileIsThere: Bool) throws {
        let log = [UInt8](repeating: 9, count: 5000)
        try store.write(log, to: "-wal")
        if mainFileIsThere { try store.write([]) } else { try FileManager.default.removeItem(atPath: store.path) }
        #expect(try store.open().movedAside?.path == store.path + ".damaged-1")
        #expect(store.bytes(".damaged-1-wal") == log)
    }

    @Test func theNextDamagedStoreGetsANameOfItsOwn() throws {
        for number in 1...3 {
            try store.write(Array("this is no database at all, whoever wrote it".utf8))
            #expect(try store.open().movedAside?.path == store.path + ".damaged-\(number)")
        }
        try store.write([0], to: ".damaged-4-wal")
        try damage()
        #expect(try store.open().movedAside?.path == store.path + ".damaged-5", "a half-used name is not free")
    }

    @Test func aVisitorLeavesADamagedStoreWhereItIs() throws {
        try store.write(Array("this is no database at all, whoever wrote it".utf8))
        do {
            _ = try store.open(.visitor)
            Issue.record("it opened")
        } catch LedgerError.damaged(let path, _) {
            #expect(path == store.path)
        }
        #expect(try store.names() == ["store.sqlite"])
    }

    @Test func aVisitorMakesNoStore() throws {
        let empty = try TestStore()
        #expect(throws: LedgerError.absent(path: empty.path)) { try empty.open(.visitor) }
        #expect(try empty.names().isEmpty)
        try empty.write([])
        #expect(throws: LedgerError.absent(path: empty.path)) { try empty.open(.visitor) }
    }

    @Test(arguments: [Ledger.Role.keeper, .visitor])
    func aWrongKeyIsNotDamage(role: Ledger.Role) throws {
        let bytes = store.bytes()
        #expect(throws: LedgerError.wrongKey(path: store.path)) {
            try store.open(role, key: [UInt8](repeating: 0, count: 32))
        }
        #expect(store.bytes() == bytes)
        #expect(try store.names() == ["store.sqlite"])
        #expect(try store.open(role).state() == [7])
    }

    @Test func oneDamagedSealIsNotAWrongKey() throws {
        try store.change("UPDATE seal_check SET sealed = randomblob(46)")
        #expect(try store.open().state() == [7])
        #expect(try store.open().movedAside == nil)
    }

    @Test func aNewerStoreIsLeftAlone() throws {
        let ledger = try store.open()
        try ledger.transaction { transaction in transaction.changeMark { $0.schema = 99 } }
        try ledger.database.execute("PRAGMA user_version = 99")
        try ledger.database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        let bytes = store.bytes()
        #expect(throws: LedgerError.newerSchema(path: store.path, found: 99, known: Schema.version)) {
            try store.open()
        }
        #expect(store.bytes() == bytes)
    }

    @Test(arguments: ["PRAGMA application_id = 1", "PRAGMA application_id = 0"])
    func someOtherProgramsDatabaseIsLeftAlone(sql: String) throws {
        let store = try TestStore()
        try store.write([])
        let other = try Database(path: store.path, busyTimeout: .zero)
        try other.execute("CREATE TABLE theirs(id INTEGER PRIMARY KEY); \(sql)")
        let bytes = store.bytes()
        #expect(throws: LedgerError.foreign(path: store.path)) { try store.open() }
        #expect(store.bytes() == bytes)
    }

    @Test(arguments: [0o666, 0o640, 0o604])
    func aStoreThatOthersReachIsRefused(mode: mode_t) throws {
        chmod(store.path, mode)
        for role in [Ledger.Role.keeper, .visitor] {
            do {
                _ = try store.open(role)
                Issue.record("it opened")
            } catch let error as LedgerError {
                #expect(error == .refused(.exposed(path: store.path, mode: UInt32(S_IFREG | mode))))
                #expect("\(error)".hasSuffix("chmod 600 \(store.path)") && error.exitCode(for: role) == .noPermission)
            }
        }
        chmod(store.path, 0o600)
        #expect(try store.open().movedAside == nil)
    }

    @Test func aReadOnlyFileSystemIsNoLackOfPermission() {
        let error = LedgerError.readOnly(path: "/s")
        #expect("\(error)".contains("the file system is read-only") && error.exitCode(for: .keeper) == .temporary)
    }

    @Test func aMissingDirectoryIsSaid() throws {
        let path = store.directory + "/no/store.sqlite"
        let vault = try Vault(key: TestStore.key)
        let detail = "cannot make it: No such file or directory"
        #expect(throws: LedgerError.failed(path: path, detail: detail)) {
            try Ledger.open(path: path, vault: vault, role: .keeper, settleTime: TestStore.settleTime)
        }
    }

    @Test(arguments: [
        "UPDATE history SET sealed = (SELECT sealed FROM history WHERE sample_type = 5 AND day = 20103)",
        "UPDATE history SET consent = 9", "UPDATE history SET day = day + 100", "UPDATE history SET source = 3",
        "UPDATE history SET source = 99",
    ])
    func aMovedFigureIsShownAsUnreadable(sql: String) throws {
        let ledger = try store.open()
        try ledger.database.execute(sql)
        let latest = try #require(try ledger.days(limit: 1).first)
        #expect(latest.figures.count == 3 && latest.figures.allSatisfy { $0.value == nil })
    }

    @Test(arguments: ["day = 9223372036854775807", "day = -1", "sample_type = 77", "source = 999", "granularity = -1"])
    func aRowThatWeNeverWriteIsPassedOver(change: String) throws {
        let ledger = try store.open()
        let latest = someDay + 19
        try ledger.database.execute(
            "UPDATE history SET \(change) WHERE day = \(latest.daysSinceEpoch) AND sample_type = 4")
        let days = try ledger.days(limit: 90)
        #expect(days.count == 20 && days.first?.day == latest)
        #expect(days.first?.figures.map(\.figure) == [.sedentaryMinutes, .rawPulses])
    }

    @Test(arguments: ["SET consent = 99", "SET source = 77", "SET sealed = x''", "SET sealed = randomblob(500)"])
    func aCheckpointThatWasTamperedWithIsNotUsed(change: String) throws {
        let ledger = try store.open()
        try ledger.database.execute("UPDATE checkpoint \(change)")
        #expect(throws: LedgerError.unreadable(path: store.path, row: "the checkpoint")) { try ledger.state() }
        try ledger.commit(Batch(checkpoint: [8]))
        #expect(try ledger.state() == [8], "the next commit makes it good")
    }

    @Test func messagesSayWhatWhereAndWhatToDo() {
        let full = LedgerError.full(path: "/s").description
        #expect(full == "no space left to write the store /s: free some on its file system")
        #expect(LedgerError.newerSchema(path: "/s", found: 2, known: 1).description.contains("install the newer"))
    }
}
