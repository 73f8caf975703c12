import Config
import Domains
import Delivery
import Foundation
import System
import Core
import RightClock
import Testing

@testable import Store

/// A device with a store of its own, and what its log said.
final class Bench {
    static let userID = "2d1a8f5e-8a1b-4f54-9c32-0123456789ab"
    static let token = "a-token-that-nobody-may-see"

    let day = UTCDay(daysSinceEpoch: 20_103)
    let ledger: Ledger
    var settings = Settings()
    private(set) var log: [JournalEntry] = []
    /// Happens once, as soon as the log gets an entry of the event.
    var interruption: (event: JournalEvent, work: () throws -> Void)?
    let directory: URL

    init() throws {
        directory = FileManager.default.temporaryDirectory.appendingPathComponent("delivery-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        settings.store.directory = directory.path
        settings.store.keyFile = directory.appendingPathComponent("key").path
        settings.wakeFileDirectory = directory.path
        let vault = try Vault.load(
            credentialDirectory: nil, keyFile: settings.store.keyFile, createIfMissing: true)
        settings.delivery.jitter = .zero
        ledger = try Ledger.open(
            path: settings.store.ledgerPath, vault: vault, role: .keeper, settleTime: settings.consent.settleTime)
        for domain in [Domain.motion, .steps] {
            try ledger.change([.reply(domain, .agreedWholly(to: domain.permission))], at: day.start)
        }
    }

    deinit {
        for path in [directory.path, directory.path + "-anchor"] { try? FileManager.default.removeItem(atPath: path) }
    }

    func signIn(to address: String, token: String = Bench.token, userID: String = Bench.userID) throws {
        let file = directory.appendingPathComponent("token")
        try Data("\(token)\n".utf8).write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
        settings.account.userID = userID
        settings.account.tokenFile = file.path
        settings.server.baseURL = address
    }

    /// Something that happens to consent at a time in RFC 3339.
    func change(_ events: ConsentEvent..., at time: String) throws { try ledger.change(events, at: moment(time)) }

    /// Sends this besides figures and events, with the agreement of the wearer.
    func send(_ extra: Settings.Extra) throws {
        settings.extra = extra
        for domain in [Domain.motion, .steps] {
            let scope = domain.wholeScope.union(settings.extras(of: [domain]))
            try ledger.change([.widen(domain, .agreed(scope))], at: day.start)
        }
    }

    func forget(_ domain: Domain, at time: String) throws {
        _ = try ledger.forget([domain], at: moment(time)) { _ in nil }
    }

    /// Forgets as `anicca forget` does where a sink is in use.
    func erase(_ domain: Domain, at time: String) throws {
        _ = try ledger.forget([domain], at: moment(time), asking: .sinks(at: moment(time))) { _ in nil }
    }

    /// Changes the store from outside, so that the trail's latest state does not open any more.
    func breakTrail() throws { try tamper("UPDATE consent_now SET sealed = zeroblob(64)") }

    func tamper(_ sql: String) throws { try ledger.database.execute(sql) }

    func rowCount(_ table: String) throws -> Int64? { try ledger.database.integer("SELECT count(*) FROM \(table)") }

    /// Records that have their fields still.
    func payloadCount() throws -> Int { try ledger.queuedRows().count { ledger.fields(of: $0)?.isEmpty == false } }

    /// Closes days in the store, the first being 2025-01-15; each has 8500 steps and 300 sedentary minutes. They are
    /// collected under what the trail says now.
    func queue(days: Int = 0, after earlier: Int = 0, events: [NudgeEvent] = []) throws {
        let closed = (earlier..<earlier + days).map {
            ClosedDay(
                day: day + $0, figures: [.init(.steps, 8500), .init(.sedentaryMinutes, 300), .init(.rawPulses, 9000)])
        }
        try ledger.commit(
            Batch(checkpoint: [1], closedDays: closed, events: events, consentRevision: ledger.consent().lastEntry))
    }

    func event(at time: String = "2025-01-15T13:05:00Z") -> NudgeEvent {
        NudgeEvent(kind: .sedentaryLong, at: moment(time), value: 90)
    }

    /// One run of the uploader, as if it began at `time`.
    @discardableResult
    func run(
        at time: String, limit: Interval = .seconds(60), battery: Battery = .none, sinks: [OpenedSink]? = nil
    ) throws -> UploadSummary {
        let uploader = Uploader(
            ledger, rule: settings.delivery, forbidden: settings.consent.forbidden,
            extra: settings.extra, deviceHash: 0, clock: RunClock(at: moment(time), limit: limit),
            battery: battery,
            journal: Journal(identifier: "test") { [unowned self] in take($0) })
        let summary = try uploader.run(
            sinks ?? SinkKind.openAll(SinkContext(settings, userAgent: "anicca-upload/test")))
        for entry in log { #expect(!"\(entry)".contains(Bench.token), "the log must not show the token") }
        return summary
    }

    private func take(_ entry: JournalEntry) {
        log.append(entry)
        guard let interruption, interruption.event == entry.event else { return }
        self.interruption = nil
        #expect(throws: Never.self) { try interruption.work() }
    }

    func has(_ event: JournalEvent) -> Bool { log.contains { $0.event == event } }
}

/// A time that a test names in RFC 3339.
func moment(_ text: String) -> WallTime {
    guard let time = WallTime(text) else { preconditionFailure("'\(text)' in this test is no time") }
    return time
}
