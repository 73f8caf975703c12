import Domains
import LaterVersion
import Foundation
import Core
import RightClock
import Testing

@testable import Store

/// A directory with a store in it, removed with the last reference.
final class TestStore {
    static let key = [UInt8](0..<32)
    /// The length of a frame in the log: its header, and a page.
    static let frame = 24 + 1024
    static let settleTime = Interval.milliseconds(220)
    static let noConsent = ConsentSnapshot(settleTime: settleTime)

    let directory: String
    var path: String { directory + "/store.sqlite" }

    init() throws {
        directory = NSTemporaryDirectory() + "ledger-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
    }

    deinit {
        for path in [directory, directory + "-anchor"] { try? FileManager.default.removeItem(atPath: path) }
    }

    func open(
        _ role: Ledger.Role = .keeper, key: [UInt8] = TestStore.key, busyTimeout: Interval = .seconds(5)
    ) throws -> Ledger {
        let ledger = try Ledger.open(
            path: path, vault: try Vault(key: key), role: role, settleTime: TestStore.settleTime,
            busyTimeout: busyTimeout, running: RunningState.path(in: directory))
        // The files are there for as long as somebody looks at them.
        let check = ledger.database.check
        ledger.database.check = { [self] () throws(LedgerError) in
            _ = self
            try check()
        }
        return ledger
    }

    /// The content of the store's file, or of the file beside it with this suffix (`-wal`); empty when there is none.
    func bytes(_ suffix: String = "") -> [UInt8] {
        (try? Data(contentsOf: URL(fileURLWithPath: path + suffix))).map { Array($0) } ?? []
    }

    /// The log without what was filled ahead: its header, and the frames of this round, which have the header's salts
    /// (sqlite.org/fileformat.html §4.1).
    func usedLog() -> [UInt8] {
        let log = bytes("-wal")
        var end = 32
        while end + TestStore.frame <= log.count, log[(end + 8)..<(end + 16)] == log[16..<24] { end += TestStore.frame }
        return Array(log.prefix(end))
    }

    func write(_ bytes: [UInt8], to suffix: String = "") throws {
        try Data(bytes).write(to: URL(fileURLWithPath: path + suffix))
        chmod(path + suffix, 0o600)
    }

    /// The store that a power cut at this instant leaves: the files as they are, without closing anything. The `-shm`
    /// is not copied, since it is made again.
    func cut() throws -> TestStore {
        let copy = try TestStore()
        try copy.write(bytes())
        try copy.write(bytes("-wal"), to: "-wal")
        let (from, to) = (StoreAnchor(ofStoreAt: path).path, StoreAnchor(ofStoreAt: copy.path).path)
        guard FileManager.default.fileExists(atPath: from) else { return copy }
        try FileManager.default.createDirectory(
            atPath: URL(fileURLWithPath: to).deletingLastPathComponent().path, withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: from, toPath: to)
        return copy
    }

    /// Makes the anchor of a store that was written without one.
    func anchor() throws {
        let vault = try Vault(key: TestStore.key)
        let rows = try? Database(path: path, busyTimeout: .seconds(1)).rows("SELECT sealed FROM meta") { $0.blob(0) }
        guard let sealed = rows?.first, let mark = StoreMark.opened(sealed, vault) else { return }
        let record = StoreAnchor.Record(
            identity: mark.identity, generation: mark.generation, markGeneration: mark.decided)
        #expect(StoreAnchor(ofStoreAt: path).write(record, vault) == nil)
    }

    /// Runs statements as another program does.
    func change(_ sql: String) throws { try Database(path: path, busyTimeout: .seconds(5)).execute(sql) }

    func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: directory).sorted() }
}

/// Noon of a day in January 2025.
func noon(_ day: UTCDay) -> WallTime { day.start + .hours(12) }

let onlySink: SinkID = 1

let someDay = UTCDay(daysSinceEpoch: 20_103)

extension ClosedDay {
    /// The day of a wearer with IMU and step sensor.
    static func usual(_ day: UTCDay, steps: Int64 = 8500) -> ClosedDay {
        ClosedDay(
            day: day,
            figures: [
                Entry(.steps, FigureValue(steps)), Entry(.sedentaryMinutes, 300),
                Entry(.rawPulses, FigureValue(steps + 9)),
            ])
    }
}

extension NudgeEvent {
    static func sedentary(_ at: WallTime) -> NudgeEvent {
        NudgeEvent(kind: .sedentaryLong, at: at, value: 90)
    }
}

extension Ledger {
    /// Agrees to motion and steps and turns them on, as the wearer: entries 1 to 4 of a new store, of which 2 and 4
    /// turn them on.
    func allowMotionAndSteps() throws {
        for domain in [Domain.motion, .steps] { try allow(domain) }
    }

    /// Agrees to all of the domain's permission and turns the domain on, in a version that collects every domain.
    func allow(_ domain: Domain, at time: WallTime = noon(someDay)) throws {
        let all = domain.permission.wholeScope
        try change([.reply(domain.later, .agreed(all, offered: all))], at: time)
    }

    /// Turns a domain whose question was answered before on or off, in a version that collects every domain.
    func turn(_ domain: Domain, on isOn: Bool, at time: WallTime = noon(someDay)) throws {
        try change([.turn(domain.later, on: isOn)], at: time)
    }

    /// Runs statements as another program could, on a trail whose triggers are dropped.
    func tamper(_ sql: String) throws {
        let triggers = try database.rows("SELECT name FROM sqlite_schema WHERE type = 'trigger'") { $0.text(0) ?? "" }
        for trigger in triggers { try database.execute("DROP TRIGGER \(trigger)") }
        try database.execute(sql)
    }

    /// The latest stored state of the session.
    func state() throws(LedgerError) -> [UInt8]? { try checkpoint()?.bytes }

    // Most tests know one sink.

    func queued() throws -> [OutboxRecord] { try queued(for: onlySink) }

    func markDelivered(_ id: OutboxRecord.ID, at now: WallTime) throws {
        try markDelivered(id, by: onlySink, of: [onlySink], at: right(now))
    }

    func markDelivered(_ id: OutboxRecord.ID, by sink: SinkID, of sinks: [SinkID], at now: WallTime) throws {
        try markDelivered(id, by: sink, of: sinks, at: right(now))
    }

    func withhold(_ id: OutboxRecord.ID, at now: WallTime) throws { try withhold(id, at: right(now)) }
    func finishSettled(of sinks: [SinkID], at now: WallTime) throws { try finishSettled(of: sinks, at: right(now)) }
    func noteRunBegan(at now: WallTime) throws { try noteRunBegan(with: onlySink, at: right(now)) }

    func pause(_ sink: SinkID, for credentials: [UInt8], error: String, at now: WallTime) throws {
        try pause(sink, for: credentials, error: error, at: right(now))
    }

    /// The state of a sink at the beginning of a run.
    func standing(
        of sink: SinkID = onlySink, account: String = "A", setUp: [UInt8] = [1], at now: WallTime
    ) throws -> SinkStanding {
        try standing(of: sink, account: Array(account.utf8), setUp: setUp, at: right(now))
    }

    /// Hands a record over: it may have arrived from now on.
    func beginSending(
        _ id: OutboxRecord.ID, account: String = "A", figures: [Figure] = [], body: [UInt8] = [5],
        at now: WallTime = noon(someDay)
    ) throws {
        try beginSending(
            id, by: onlySink, account: Array(account.utf8), figures: figures.map(\.id), body: body, at: right(now))
    }

    @discardableResult
    func dropExpired(olderThan oldest: WallTime) throws -> Int { try dropExpired(olderThan: .zero, at: right(oldest)) }

    @discardableResult
    func commit(_ batch: Batch, keepDays: Int) throws -> Settlement {
        var rule = DayRule()
        rule.keepDays = keepDays
        return try commit(batch, rule: rule)
    }

    func markRetry(_ id: OutboxRecord.ID, notBefore: WallTime, error: String, at now: WallTime) throws {
        try markRetry(id, at: onlySink, notBefore: notBefore, error: error, now: right(now))
    }

    func setAside(_ id: OutboxRecord.ID, error: String, at now: WallTime) throws {
        try setAside(id, by: onlySink, of: [onlySink], error: error, at: right(now))
    }

    func markRetry(_ id: OutboxRecord.ID, at sink: SinkID, notBefore: WallTime, error: String, now: WallTime) throws {
        try markRetry(id, at: sink, notBefore: notBefore, error: error, now: right(now))
    }

    func setAside(_ id: OutboxRecord.ID, by sink: SinkID, of sinks: [SinkID], error: String, at now: WallTime) throws {
        try setAside(id, by: sink, of: sinks, error: error, at: right(now))
    }

    /// Whether SQLite's integrity check finds no fault.
    func isSound() throws -> Bool { try database.rows("PRAGMA integrity_check") { $0.text(0) } == ["ok"] }
}

extension [UInt8] {
    func contains(_ part: [UInt8]) -> Bool { Data(self).range(of: Data(part)) != nil }
}
