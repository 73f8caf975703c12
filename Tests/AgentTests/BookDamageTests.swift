import Sensing
import Domains
import Glibc
import System
import Core
import Testing

@testable import Store

/// Rows of alarms and nudges that were changed outside the programs: no wrong alarm plays, it is told, and nothing else suffers.
@Suite struct BookDamageTests {
    /// What somebody does to the file.
    enum Damage: String, CaseIterable, Sendable {
        case beginning = "UPDATE book SET sealed = CAST(x'00' || sealed AS BLOB) WHERE id = 1"
        case end = "UPDATE book SET sealed = CAST(sealed || x'00' AS BLOB) WHERE id = 1"
        case swap = "UPDATE book SET sealed = (SELECT other.sealed FROM book other WHERE other.id = 3 - book.id)"
        case delete = "DELETE FROM book WHERE id = 1"
        case provenance = "UPDATE book SET consent = consent + 1 WHERE id = 1"
    }

    /// With an alarm in ten minutes, a nudge that was played, and motion beside the alarm.
    private func run() throws -> AlarmRun {
        let run = try AlarmRun(domains: [.alarm, .motion])
        try run.nudge(.light)
        run.live(for: .seconds(10))
        try run.set(.custom, in: .minutes(10))
        run.live(for: .seconds(10))
        return run
    }

    private func tamper(_ run: AlarmRun, _ sql: String) throws {
        try Database(path: run.settings.store.ledgerPath, busyTimeout: .seconds(1)).execute(sql)
    }

    @Test(arguments: Damage.allCases) func whileItRunsTheAlarmPlaysAsItWasSet(damage: Damage) throws {
        let run = try run()
        try tamper(run, damage.rawValue)
        // A commit of motion finds it first.
        run.live(for: .minutes(5))
        let event = RaisedEvent(
            kind: .sedentaryLong, boot: AlarmRun.boot, at: run.loop.now.boot, value: 90)
        _ = try run.store.commit(Batch(checkpoint: [1], events: [event]))
        run.live(for: .minutes(25))
        #expect(run.lines(.alarmPlayed).count == 1 && run.edges.count == 22, "the daemon knows it")
        #expect(try run.store.ledger.book(AlarmBook.self).alarms.map(\.outcome) == [.played], "and has written it anew")
        #expect(run.lines(.storeDamaged).count + run.lines(.storeFailed).count >= 1)
        try check(run)
    }

    @Test(arguments: Damage.allCases) func atAStartItIsToldAndPlaysNothingWrong(damage: Damage) throws {
        let run = try run()
        let sql = damage.rawValue
        let later = try run.restarted { try tamper(run, sql) }
        later.live(for: .minutes(30))
        #expect(later.openingNotice?.contains("in: book; alarms and nudges may be missing") == true)
        #expect(later.lines(.alarmPlayed).isEmpty && later.edges.isEmpty)
        try check(later)
        try later.set(.custom, in: .minutes(10))
        later.live(for: .minutes(11))
        #expect(later.lines(.alarmPlayed).count == 1, "a new one is as good as ever")
    }

    @Test func anOlderCopyIsTold() throws {
        let run = try run()
        try tamper(run, "CREATE TABLE older AS SELECT * FROM book")
        try run.set(.wake, in: .minutes(20))
        run.live(for: .seconds(10))
        let later = try run.restarted {
            try tamper(run, "REPLACE INTO book SELECT * FROM older; DROP TABLE older")
        }
        later.live(for: .minutes(30))
        #expect(later.openingNotice?.contains("in: book; alarms") == true)
        #expect(later.lines(.alarmPlayed).count <= 1)
        try check(later)
    }

    /// Motion is collected as before, and its days are whole.
    private func check(_ run: AlarmRun) throws {
        #expect(run.daemon?.service.session.order?.domains == [.alarm, .motion])
        #expect(run.store.ledger.mark.gaps.isEmpty)
    }
}
