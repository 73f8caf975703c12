import Config
import Delivery
import Files
import Glibc
import Journaling
import Ledger
import Program
import Quantities
import Schedule
import Sinks
import Timekeeping
import Vault

/// Ends the program with one entry in the log per line of the message.
func fail(_ message: String, _ event: JournalEvent, _ code: ExitCode) -> Never {
    let journal = Journal.standard(identifier: "anicca-upload")
    for line in message.split(separator: "\n") { journal.log(.error, event, String(line)) }
    exit(code.rawValue)
}

func readArguments() -> Arguments {
    do {
        return try Arguments(Array(CommandLine.arguments.dropFirst()))
    } catch {
        fail(error.message, .configInvalid, .usage)
    }
}

func readSettings(_ path: String?) -> Settings {
    do {
        return try Settings.load(path)
    } catch {
        // A wake file that stays would start this program again at once. The failure leads to another run later.
        clearWakeFile(Settings(), .standard(identifier: "anicca-upload"))
        fail("\(error)", .configInvalid, error.exitCode)
    }
}

/// Clears the wake file before the outbox is read, so that a record queued from now on signals again.
func clearWakeFile(_ settings: Settings, _ journal: Journal) {
    do {
        try WakeFile.upload(in: settings.wakeFileDirectory).clear()
    } catch {
        journal.log(.warning, .uploadIncomplete, "the bell cannot be silenced: \(error)")
    }
}

/// The lock of the run; nil when another run has it.
func takeLock(_ settings: Settings) -> RunLock? {
    do {
        return try RunLock(path: "\(settings.store.directory)/upload.lock")
    } catch {
        if case .readOnly = error { fail("\(error)", .uploadIncomplete, .temporary) }
        if case .denied = error { fail("\(error)", .uploadIncomplete, .noPermission) }
        fail("\(error)", .uploadIncomplete, .unavailable)
    }
}

/// A run has nothing better to do than to wait for a store that is locked, and must not end without saying so in the store.
let busyTimeout = Interval.seconds(20)

func openStore(_ settings: Settings) -> Ledger {
    do {
        let vault = try Vault.load(
            credentialDirectory: Vault.credentialDirectory,
            keyFile: settings.store.keyFile, createIfMissing: false)
        return try Ledger.open(
            path: settings.store.ledgerPath, vault: vault, role: .visitor, settleTime: settings.consent.settleTime,
            busyTimeout: busyTimeout)
    } catch let error as LedgerError {
        fail("\(error)", .storeDamaged, error.exitCode(for: .visitor))
    } catch {
        fail("\(error)", .keyUnusable, .noPermission)
    }
}

func openSinks(_ settings: Settings) -> [OpenedSink] {
    do {
        return try SinkKind.openAll(settings, userAgent: "anicca-upload/\(aniccaVersion)")
    } catch {
        fail(error.description, .configInvalid, error.exitCode)
    }
}

/// A number of this device's own, from the identity that it got at installation (machine-id(5)). Where there is
/// none, all devices wait equally long.
func deviceHash() -> UInt64 {
    do {
        return DeliverySchedule.hash(try readFile("/etc/machine-id", limit: 64))
    } catch {
        return 0
    }
}

/// The clock of the run; nil while nobody knows what the date is, and after the clock was set by more than a minute: that may be
/// taken back, and what was sent can not.
func clock(_ arguments: Arguments, _ settings: Settings, _ ledger: Ledger) -> RunClock? {
    let limit = settings.delivery.deadline
    if let time = arguments.time { return RunClock(at: time, limit: limit) }
    let now = Instant.now
    do {
        let boot = try BootID.current()
        let known = try ledger.clock(of: boot)
        guard let clock = TrustedClock.judge(now, settings.time, known: known) else { return nil }
        if let known, known.leaps(to: clock) { return nil }
        if let leapt = try ledger.clockLeap(in: boot), now.boot - leapt < TimeRule.sendingAfterLeap { return nil }
        return RunClock(clock, of: boot, began: now, limit: limit)
    } catch let error as LedgerError {
        fail("\(error)", .storeDamaged, error.exitCode(for: .visitor))
    } catch {
        fail("\(error)", .uploadIncomplete, .systemError)
    }
}

func waitForTime(_ ledger: Ledger, _ journal: Journal) -> UploadSummary {
    do {
        let waiting = try ledger.deliveryStatus()
        let summary = UploadSummary(end: .timeUnknown, waiting: waiting.queuedDays + waiting.queuedEvents)
        journal.log(
            .info, .uploadIncomplete,
            "nobody knows what the time is, or the clock was just set: \(summary.waiting) queued records wait; where it is never "
                + "synchronised, see [time] trust, or run: anicca time confirm")
        return summary
    } catch {
        fail("\(error)", .storeDamaged, error.exitCode(for: .visitor))
    }
}

func upload(_ arguments: Arguments, _ settings: Settings, _ journal: Journal) -> UploadSummary {
    clearWakeFile(settings, journal)
    // Before the daemon's first start there is neither a store nor a directory for it.
    guard access(settings.store.ledgerPath, F_OK) == 0 else {
        if errno != ENOENT {
            let error = FileError(errno: errno, path: settings.store.ledgerPath)
            fail("\(error)", .uploadIncomplete, .noPermission)
        }
        journal.log(.info, .uploadIncomplete, "there is no store at \(settings.store.ledgerPath) yet: start aniccad")
        return UploadSummary(end: .noStore)
    }
    guard let lock = takeLock(settings) else {
        journal.log(.info, .uploadIncomplete, "another run is under way; what it did not see is left for a later one")
        return UploadSummary(end: .alreadyRunning)
    }
    defer { withExtendedLifetime(lock) {} }
    let ledger = openStore(settings)
    guard let clock = clock(arguments, settings, ledger) else { return waitForTime(ledger, journal) }
    let uploader = Uploader(
        ledger, rule: settings.delivery, forbidden: settings.consent.forbidden, deviceHash: deviceHash(),
        clock: clock, battery: Battery(powerSupplies: settings.powerSupplies, lowBelow: settings.delivery.lowBattery),
        journal: journal)
    do {
        return try uploader.run(openSinks(settings))
    } catch {
        fail("\(error)", .storeDamaged, error.exitCode(for: .visitor))
    }
}

/// Tells the unit when another run is worth while.
func noteRetry(_ summary: UploadSummary, _ arguments: Arguments, _ settings: Settings, _ journal: Journal) {
    do {
        let wait = summary.retryWait(settings.delivery, at: arguments.time ?? Instant.now.wall)
        try RetryNote(in: settings.wakeFileDirectory).write(wait)
    } catch {
        journal.log(.warning, .uploadIncomplete, "the time of the next run cannot be noted: \(error)")
    }
}

func run(_ arguments: Arguments) {
    // Nothing of the token or of opened records may end up in a core file.
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
    let journal = Journal.standard(identifier: "anicca-upload").limited(to: arguments.isVerbose ? .debug : .info)
    let settings = readSettings(arguments.configPath)
    let summary = upload(arguments, settings, journal)
    if arguments.printsJSON { print(summary.json) }
    guard summary.asksForAnotherRun else { return }
    noteRetry(summary, arguments, settings, journal)
    exit(ExitCode.temporary.rawValue)
}

let arguments = readArguments()
switch arguments.request {
case .help: print(Arguments.help)
case .version: print("anicca-upload \(aniccaVersion)")
case .run: run(arguments)
}
