import Domains
import Foundation
import Core
import RightClock
import TestFiles
import Testing

@testable import Store

/// The store of each version, as a script of SQL under `Fixtures/VERSION.sql`. Every later version reads them whole.
///
/// At a release, `ANICCA_WRITE_FIXTURE=VERSION swift test --filter FixtureTests` writes the store of this version beside them. A
/// script that was committed never changes.
@Suite struct FixtureTests {
    private static let folder = projectFile("Tests/LedgerTests/Fixtures")

    static var versions: [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.filter { $0.hasSuffix(".sql") }.map { String($0.dropLast(4)) }.sorted()
    }

    private let boot = BootID("0b6f8c52-91d3-4e7a-8a40-5f3d2c1b0a99")
    private let now = noon(someDay.next)

    /// Long before everything else.
    private var gap: StoreGap {
        var gap = StoreGap(from: StoreGap.Moment(boot: rightBoot, at: BootTime(nanoseconds: 1)))
        gap.until = StoreGap.Moment(boot: rightBoot, at: BootTime(nanoseconds: 2))
        return gap
    }

    @Test func everyVersionLeftAStore() {
        #expect(FixtureTests.versions.contains("0.1"))
    }

    @Test(arguments: versions) func theStoreOfEveryVersionIsReadWhole(version: String) throws {
        let store = try TestStore()
        let script = try String(
            contentsOf: FixtureTests.folder.appendingPathComponent("\(version).sql"), encoding: .utf8)
        try store.write([])
        try Database(path: store.path, busyTimeout: .seconds(1)).execute(script)
        try store.anchor()
        let ledger = try store.open()
        #expect(ledger.movedAside == nil)
        #expect(ledger.changedTables.isEmpty && ledger.mark.gaps == [gap])
        try check(ledger)
        try checkTimes(ledger)
        try checkAlarms(ledger)
        // It goes on: what is written now goes beside what was there.
        try ledger.turn(.motion, on: false, at: now)
        let alarms = try ledger.book(AlarmBook.self).alarms.count
        _ = try ledger.changeBook(AlarmBook.self) { $0.add(AlarmPlan(kind: .custom, minute: 1), at: now) }
        #expect(try ledger.book(AlarmBook.self).alarms.count == alarms + 1)
        try ledger.commit(Batch(checkpoint: [9], closedDays: [.usual(someDay + 5)]))
        #expect(try ledger.verifyTrail().isIntact && ledger.days(limit: 9).count == 3)
    }

    /// Everything that `fill` put in.
    private func check(_ ledger: Ledger) throws {
        let consent = try ledger.consent()
        #expect(consent.isTrusted && consent.state.toggles == [.motion, .steps] && consent.lastEntry == 9)
        #expect(try ledger.verifyTrail().isIntact)
        #expect(consent.state.answer(to: .screenTime) == .declined)
        #expect(consent.state.obstacle(to: .location) == .absent)
        #expect(consent.forgottenAt(.sleep) == 9)
        #expect(try ledger.trail().count == 9)
        #expect(try ledger.checkpoint() == StoredCheckpoint(bytes: [1, 2, 3], consent: 9))
        let days = try ledger.days(limit: 9)
        #expect(days.map(\.day) == [someDay.next, someDay] && days.allSatisfy { $0.value(of: .steps) == 8500 })
        let queued = try ledger.queued()
        #expect(queued.count == 1 && queued[0].state.attempts == 2 && queued[0].state.attemptsToday(at: now) == 2)
        #expect(queued[0].state.notBefore == now + .hours(1) && queued[0].state.error == "503")
        let deliveries = try ledger.dayDeliveries()
        #expect(deliveries == [someDay: .delivered, someDay.next: .queued])
        let status = try ledger.deliveryStatus()
        #expect(status.setAside == 1 && status.queuedDays == 1 && status.queuedEvents == 0 && status.dropped == 1)
        #expect(status.isPaused)
    }

    /// Everything about time.
    private func checkTimes(_ ledger: Ledger) throws {
        #expect(try ledger.quarters(of: someDay).map(\.boot) == [rightBoot])
        let undated = try ledger.undatedQuarters()
        #expect(undated.map(\.amounts) == [[Quarter.Amount(Figure.steps.id, 77)]] && undated.first?.boot == boot)
        let counts = try ledger.undatedCounts()
        #expect(counts.waiting == 1 && counts.waitingEvents == 1 && counts.undated == 0 && counts.late == 0)
        #expect(try ledger.clock(of: rightBoot) == rightClock)
    }

    /// An alarm that rings, one that was played and one of a kind that is off, and the nudges of two answers.
    private func checkAlarms(_ ledger: Ledger) throws {
        let alarms = try ledger.book(AlarmBook.self)
        let expected = try book()
        #expect(alarms == expected)
        #expect(alarms.alarms.map(\.plan.kind) == [.wake, .custom, .training] && !alarms.isOn(.training))
        #expect(alarms.isRinging && alarms.isPlaying(1) && alarms.alarms[1].outcome == .playedByUntrustedClock)
        let nudges = try ledger.book(NudgeBook.self)
        #expect(nudges == nudgeBook())
        #expect(nudges.nudges.map(\.nudge.message) == ["Steh auf, 😀", ""])
        #expect(nudges.nudges.map(\.outcome) == [.played, .waiting])
    }

    private func book() throws -> AlarmBook {
        var book = AlarmBook()
        let time = noon(someDay)
        _ = book.add(AlarmPlan(kind: .wake, minute: 720, followUps: 3), at: time - .days(1))
        let weekend = Weekdays(bits: 0b110_0000)
        for kind in [AlarmKind.custom, .training] {
            _ = book.add(AlarmPlan(kind: kind, minute: 721, weekdays: kind == .custom ? .daily : weekend), at: time)
        }
        book.turn(.training, on: false, at: time)
        for minutes in Int64(0)...1 {
            let wall = time + .minutes(minutes)
            let instant = Instant(boot: BootTime(nanoseconds: wall.nanoseconds), wall: wall)
            let moment = try #require(AlarmMoment(instant, minutes == 0 ? rightClock : nil, boot: rightBoot))
            for act in book.act(at: moment, AlarmBook.Circumstances(zone: .utc, since: time - .days(1))) {
                if case .play(let id, .custom, _) = act { book.ended(id, failed: false) }
            }
        }
        return book
    }

    private func nudgeBook() -> NudgeBook {
        var nudges = NudgeBook()
        nudges.add(Nudge(.strong, message: "Steh auf, 😀"), answering: 1, at: noon(someDay))
        nudges.settle(1, .played)
        nudges.add(Nudge(.light, message: ""), answering: 3, at: noon(someDay) + .hours(2))
        return nudges
    }

    private func fill(_ ledger: Ledger) throws {
        let time = noon(someDay)
        for domain in [Domain.motion, .steps] {
            try ledger.change([.reply(domain, .agreedWholly(to: domain.permission))], at: time)
        }
        try ledger.change(
            [.reply(.screenTime, .declined), .found(.location, .absent), .turn(.steps, on: false)], at: time)
        try ledger.turn(.steps, on: true, at: time)
        _ = try ledger.forget([.sleep], at: time) { _ in nil }
        try ledger.commit(
            Batch(
                checkpoint: [1, 2, 3], closedDays: [.usual(someDay), .usual(someDay.next)],
                events: [.sedentary(time), .sedentary(time + .hours(2)), .sedentary(time - .days(8))]))
        #expect(try ledger.dropExpired(olderThan: someDay.start) == 1)
        let records = try ledger.queued()
        for record in records {
            switch record.content {
            case .event(let event, _) where event.at == time: try ledger.markDelivered(record.id, at: now)
            case .event: try ledger.setAside(record.id, error: "422", at: now)
            case .day(someDay, _): try ledger.markDelivered(record.id, at: now)
            case .day, .erasure, .unreadable:
                for _ in 0..<2 { try ledger.markRetry(record.id, notBefore: now + .hours(1), error: "503", at: now) }
            }
        }
        var book = try book()
        // They are in no trail.
        _ = book.takeTurns()
        try ledger.changeBook(AlarmBook.self) { $0 = book }
        try ledger.changeBook(NudgeBook.self) { $0 = nudgeBook() }
        try ledger.noteRunBegan(at: now)
        try ledger.pause(onlySink, for: [1, 2, 3], error: "401", at: now)
        try ledger.transaction { $0.addGap(gap) }
        let boot = try #require(boot)
        let quarter = Quarter(
            boot: boot, start: BootTime(nanoseconds: 0), amounts: [Quarter.Amount(Figure.steps.id, 77)])
        let event = RaisedEvent(
            kind: .sedentaryLong, boot: boot, at: BootTime(nanoseconds: 1), value: 90)
        let reading = BootReading(id: boot, seen: BootTime(nanoseconds: 1_000_000_000_000), clock: nil)
        try ledger.commit(
            Batch(
                checkpoint: [1, 2, 3], collected: Collected(quarters: [quarter], boots: [reading]), events: [event]))
    }

    @Test func theStoreOfThisVersionIsWrittenOnRequest() throws {
        let store = try TestStore()
        let ledger = try store.open()
        try fill(ledger)
        try check(ledger)
        try checkTimes(ledger)
        try checkAlarms(ledger)
        let script = try dump(ledger.database)
        let copy = try TestStore()
        try copy.write([])
        try Database(path: copy.path, busyTimeout: .seconds(1)).execute(script)
        try copy.anchor()
        try check(try copy.open())
        try checkTimes(try copy.open())
        try checkAlarms(try copy.open())
        guard let version = ProcessInfo.processInfo.environment["ANICCA_WRITE_FIXTURE"] else { return }
        let file = FixtureTests.folder.appendingPathComponent("\(version).sql")
        #expect(!FileManager.default.fileExists(atPath: file.path), "a fixture never changes")
        try Data(script.utf8).write(to: file, options: .withoutOverwriting)
    }

    /// The whole store as SQL.
    private func dump(_ database: Database) throws -> String {
        var lines: [String] = []
        let objects = try database.rows(
            "SELECT type, name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' ORDER BY type = 'trigger', rowid"
        ) { (type: $0.text(0) ?? "", name: $0.text(1) ?? "", sql: $0.text(2) ?? "") }
        for object in objects where object.type == "table" {
            lines.append("\(object.sql);")
            let columns = try database.rows("SELECT name FROM pragma_table_info('\(object.name)')") { $0.text(0) ?? "" }
            let values = columns.map { "quote(\($0))" }.joined(separator: " || ',' || ")
            for row in try database.rows("SELECT \(values) FROM \(object.name)", read: { $0.text(0) ?? "" }) {
                lines.append("INSERT INTO \(object.name) VALUES(\(row));")
            }
        }
        for object in objects where object.type != "table" { lines.append("\(object.sql);") }
        let id = try database.integer("PRAGMA application_id") ?? 0
        let version = try database.integer("PRAGMA user_version") ?? 0
        lines += ["PRAGMA application_id = \(id);", "PRAGMA user_version = \(version);"]
        return lines.joined(separator: "\n") + "\n"
    }
}
