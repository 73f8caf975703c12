import Config
import Domains
import System
import Glibc
import Store
import Core

/// One run with the store and the configuration of this device, for any caller: the lock, the clock, the sinks, and the
/// delivery.
public struct UploadRun {
    /// The reason why there was no run, for people, and the exit code. All records stay queued.
    public struct Failure: Error {
        public let message: String
        public let event: JournalEvent
        public let code: ExitCode

        public init(message: String, event: JournalEvent, code: ExitCode) {
            self.message = message
            self.event = event
            self.code = code
        }

        public init(_ error: LedgerError) {
            let event: JournalEvent =
                switch error {
                case .damaged, .unreadable: .storeDamaged
                case .wrongKey: .keyUnusable
                default: .storeFailed
                }
            self.init(message: "\(error)", event: event, code: error.exitCode(for: .visitor))
        }
    }

    /// A run can wait long for a locked store, and must not end without recording its end there.
    public static let busyTimeout = Interval.seconds(20)

    private let settings: Settings
    private let context: SinkContext
    private let journal: Journal

    public init(_ context: SinkContext, journal: Journal) {
        settings = context.settings
        self.context = context
        self.journal = journal
    }

    /// - Parameters:
    ///   - time: simulates a run that begins then; nil for now.
    ///   - open: opens the store, as a visitor. Called once the lock is held.
    public func run(
        at time: WallTime? = nil, _ open: () throws(Failure) -> Ledger
    ) throws(Failure) -> UploadSummary {
        // First, so that a record queued from now on sets the wake file again.
        clearBell()
        guard try storeExists() else { return UploadSummary(end: .noStore) }
        guard let lock = try takeLock() else {
            journal.log(
                .info, .uploadIncomplete, "another run is active; records that it did not see wait for a later run")
            return UploadSummary(end: .alreadyRunning)
        }
        defer { withExtendedLifetime(lock) {} }
        let ledger = try open()
        // The first process that finds such rows corrects the store, and so has to report them.
        defer { if let notice = ledger.changedRowsNotice { journal.log(.error, .storeDamaged, notice) } }
        do {
            let clock: RunClock
            switch try self.clock(ledger, at: time) {
            case .known(let known): clock = known
            case .unknown(let pause): return try waitForTime(ledger, pause)
            }
            let uploader = Uploader(
                ledger, rule: settings.delivery, forbidden: settings.consent.forbidden,
                extra: settings.extra,
                deviceHash: Self.deviceHash(), clock: clock, battery: Battery(settings), journal: journal,
                onNudge: ringDaemon)
            if settings.extra == .quarters, uploader.device == nil {
                journal.log(
                    .warning, .uploadIncomplete,
                    "this machine has no /etc/machine-id, so records have no quarters of an hour: run systemd-machine-id-setup"
                )
            }
            try tellUnasked(ledger)
            let renewal = AccountRenewal(context: context, ledger: ledger, clock: clock, journal: journal)
            return try uploader.run(SinkKind.openAll(renewal.renewedContext()))
        } catch let error as LedgerError {
            throw Failure(error)
        } catch let error as SinkUnusable {
            throw Failure(message: error.description, event: .configInvalid, code: error.exitCode)
        } catch {
            throw Failure(message: "\(error)", event: .uploadIncomplete, code: .systemError)
        }
    }

    /// Says that the settings ask for more than the wearer was asked about.
    private func tellUnasked(_ ledger: Ledger) throws(LedgerError) {
        guard let extra = settings.extra else { return }
        let state = try ledger.consent().state
        let unasked = Domain.all.filter {
            state.toggles.allows($0) && !state.covers(settings.extras(of: [$0]), of: $0)
        }
        guard !unasked.isEmpty else { return }
        journal.log(
            .notice, .uploadIncomplete,
            "the wearer agreed to \(unasked.map(\.description).joined(separator: ", ")) before [server] send asked for \(extra.rawValue), so none is sent of these; "
                + "to ask them: sudo anicca setup")
    }

    /// Removes the wake file. Call it also before an early exit, because the file would start the program again at
    /// once.
    public func clearBell() {
        do {
            try WakeFile.upload(in: settings.wakeFileDirectory).clear()
        } catch {
            journal.log(.warning, .uploadIncomplete, "the bell cannot be cleared: \(error)")
        }
    }

    /// For a nudge. A daemon that misses the signal finds the nudge with its next check of the store.
    private func ringDaemon() {
        do {
            try WakeFile.daemon(in: settings.wakeFileDirectory).signal()
        } catch {
            journal.log(.warning, .bellUnusable, "the daemon cannot be notified of a nudge: \(error)")
        }
    }

    /// A number specific to this device, from the identity made at installation (machine-id(5)). Without one, all
    /// devices have the same delay.
    public static func deviceHash() -> UInt64 {
        do {
            return DeliverySchedule.hash(try readFile("/etc/machine-id", limit: 64))
        } catch {
            return 0
        }
    }

    /// Before the daemon's first start, neither the store nor its directory exists.
    private func storeExists() throws(Failure) -> Bool {
        let path = settings.store.ledgerPath
        var status = stat()
        guard lstat(path, &status) != 0 else { return true }
        guard errno == ENOENT else {
            let error = FileError(errno: errno, path: path)
            throw Failure(message: "\(error)", event: .uploadIncomplete, code: .noPermission)
        }
        journal.log(.info, .uploadIncomplete, "there is no store at \(path) yet: start aniccad")
        return false
    }

    /// The lock of the run; nil if another run holds it.
    private func takeLock() throws(Failure) -> RunLock? {
        do {
            return try RunLock(path: "\(settings.store.directory)/upload.lock")
        } catch {
            let code: ExitCode =
                switch error {
                case .readOnly: .temporary
                case .denied: .noPermission
                default: .unavailable
                }
            throw Failure(message: "\(error)", event: .uploadIncomplete, code: code)
        }
    }

    private enum ClockState {
        case known(RunClock)
        /// The clock is not synchronised, or it leapt and has to stand for this time, because a leap may be taken back
        /// but sent data may not.
        case unknown(pause: Interval?)
    }

    private func clock(_ ledger: Ledger, at time: WallTime?) throws -> ClockState {
        let limit = settings.delivery.deadline
        if let time { return .known(RunClock(at: time, limit: limit)) }
        let now = Instant.now
        let boot = try BootID.current()
        let known = try ledger.clock(of: boot)
        guard let clock = TrustedClock.judge(now, settings.time, known: known) else { return .unknown(pause: nil) }
        if let known, known.leaps(to: clock) { return .unknown(pause: known.sendingPause(afterLeapTo: clock)) }
        if let end = try ledger.sendingHeld(in: boot), now.boot < end { return .unknown(pause: end - now.boot) }
        return .known(RunClock(clock, of: boot, began: now, limit: limit))
    }

    private func waitForTime(_ ledger: Ledger, _ pause: Interval?) throws -> UploadSummary {
        let waiting = try ledger.deliveryStatus()
        var summary = UploadSummary(end: .timeUnknown, waiting: waiting.queued)
        summary.pause = pause
        journal.log(
            .info, .uploadIncomplete,
            pause.map { "the clock was set: \(summary.waiting) queued records wait for \($0)" }
                ?? "the clock is not synchronised: \(summary.waiting) queued records wait; if it never is, "
                + "see [time] trust, or run: anicca time confirm")
        return summary
    }
}

extension Battery {
    public init(_ settings: Settings) {
        self.init(powerSupplies: settings.powerSupplies, lowBelow: settings.delivery.lowBattery)
    }
}
