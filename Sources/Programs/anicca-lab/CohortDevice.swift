import Agent
import Sensing
import Config
import Delivery
import Domains
import System
import Glibc
import Store
import Core
import Simulation

/// A device of a cohort: a directory with its own configuration, key, token and store, and the consent of its wearer.
/// Removed at `deinit`.
final class CohortDevice {
    /// The consents of the wearers, which alternate.
    static let consents: [[Domain]] = [
        [.motion, .steps], [.motion, .steps, .sleep], [.motion, .steps, .screenTime], [.steps],
    ]

    let domains: [Domain]
    private let directory: String
    private let settings: Settings
    private let hash: UInt64
    private let schedule: DeliverySchedule
    private let sent = SentRecords()
    private let journal = Journal.standard(identifier: "anicca-lab cohort").limited(to: .warning)
    /// The time of the next run, as requested by the last one.
    private var nextRun: WallTime?
    /// The number of records in the outbox after the last run.
    private(set) var waiting = 0

    var records: [SentRecords.Record] { sent.records }

    /// - Parameter index: the place in the cohort, which determines the consent.
    init(_ account: CohortAccount, index: Int, server: String) throws {
        domains = Self.consents[index % Self.consents.count]
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(parent)/anicca-cohort-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw FileError(errno: errno, path: parent) }
        directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        hash = DeliverySchedule.hash(Array(account.device.utf8) + Array(account.userID.utf8))
        let path = "\(directory)/anicca.conf"
        guard mkdir("\(directory)/inbox", 0o700) == 0 else { throw FileError(errno: errno, path: directory) }
        try Self.write("\(account.token)\n", to: "\(directory)/token")
        try Self.write(Self.config(directory, account, server), to: path)
        settings = try Settings.load(path, sensors: .known)
        schedule = DeliverySchedule(settings.delivery, deviceHash: hash)
    }

    deinit {
        for place in ["\(directory)/inbox", directory, "\(directory)-anchor"] {
            for name in readableFileNames(in: place) { unlink("\(place)/\(name)") }
            rmdir(place)
        }
    }

    /// Runs the days of `life` and one more night, in which the last of them is sent; delivers whenever the wake file
    /// is signalled or a record is due.
    func live(_ life: WearerLife, days: Int) throws {
        let clock = VirtualClock(bootingAt: life.start)
        let devices = SimulatedDevices(life: life, clock: clock)
        devices.surroundings = linuxHandlers(settings).filter { $0.domain.hardware == .companionInbox }
        devices.inboxDirectory = settings.companion.inbox
        let store = LedgerStore(try openLedger(.keeper, createsKey: true), rule: settings.days)
        for domain in domains {
            try store.ledger.change([.reply(domain, .agreedWholly(to: domain.permission))], at: life.start)
        }
        let loop = VirtualLoop(devices, seed: life.seed)
        let daemon = Daemon(
            loop: loop, boot: .unknown, journal: journal, settings: settings, store: store,
            makeDevices: { _ in devices }, reload: { [settings] in settings })
        try daemon.start()
        let phone = domains.contains(.screenTime) ? DemoPhone(firstDay: life.firstDay, days: days) : nil
        var failure: (any Error)?
        loop.live(until: (life.firstDay + days).start + schedule.delayAfterMidnight + .minutes(2)) { now in
            do {
                try phone?.report(into: settings.companion.inbox, at: now.wall)
                if isDue(now.wall) { try deliver(at: now.wall) }
            } catch {
                failure = error
            }
            return failure == nil
        }
        daemon.stop()
        if let failure { throw failure }
        try finish(from: clock.now.wall)
    }

    /// Runs until nothing waits any more, or further runs would change nothing.
    private func finish(from time: WallTime) throws {
        var now = time
        for _ in 0..<settings.delivery.attemptsPerDay * 2 {
            try deliver(at: now)
            guard let next = nextRun else { return }
            now = max(next, now + .seconds(1))
        }
    }

    private func isDue(_ time: WallTime) -> Bool {
        let since = time - UTCDay(containing: time).start - schedule.delayAfterMidnight
        return WakeFile.upload(in: settings.wakeFileDirectory).isSet || nextRun.map { $0 <= time } ?? false
            || (since >= .zero && since < .minutes(1))
    }

    /// A run of the uploader like that of `anicca-upload`, but in this process.
    private func deliver(at time: WallTime) throws {
        let context = SinkContext(settings, userAgent: "anicca-upload/\(aniccaVersion)")
        UploadRun(context, journal: journal).clearBell()
        let uploader = Uploader(
            try openLedger(.visitor, createsKey: false), rule: settings.delivery, forbidden: settings.consent.forbidden,
            deviceHash: hash, clock: RunClock(at: time, limit: settings.delivery.deadline), journal: journal)
        let summary = try uploader.run(sent.noting(try SinkKind.openAll(context)))
        waiting = summary.waiting
        nextRun = summary.asksForAnotherRun ? summary.nextAttempt : nil
    }

    private func openLedger(_ role: Ledger.Role, createsKey: Bool) throws -> Ledger {
        let vault = try Vault.load(
            credentialDirectory: nil, keyFile: settings.store.keyFile, createIfMissing: createsKey)
        return try Ledger.open(
            path: settings.store.ledgerPath, vault: vault, role: role, settleTime: settings.consent.settleTime)
    }

    private static func config(_ directory: String, _ account: CohortAccount, _ server: String) -> String {
        """
        [account]
        user-id = \(account.userID)
        token-file = \(directory)/token
        [server]
        base-url = \(server)
        [time]
        trust = hardware-clock
        [store]
        directory = \(directory)
        key-file = \(directory)/key
        [companion]
        inbox = \(directory)/inbox
        [run]
        bell-directory = \(directory)

        """
    }

    private static func write(_ text: String, to path: String) throws(FileError) {
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw FileError(errno: errno, path: path) }
        defer { close(file) }
        let bytes = Array(text.utf8)
        guard Glibc.write(file, bytes, bytes.count) == bytes.count else { throw FileError(errno: errno, path: path) }
    }
}
