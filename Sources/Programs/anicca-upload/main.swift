import Config
import Delivery
import Glibc
import System
import Store
import Core

/// Ends the program with a log entry for each line of the message.
func fail(_ message: String, _ event: JournalEvent, _ code: ExitCode) -> Never {
    let journal = Journal.standard(identifier: "anicca-upload", time: timestamp)
    for line in message.split(separator: "\n") { journal.log(.error, event, String(line)) }
    exit(code.rawValue)
}

func readArguments() -> Arguments {
    do {
        return try Arguments(CommandWords.ofProgram())
    } catch {
        fail(error.message, .configInvalid, error.code)
    }
}

func readSettings(_ path: String?, _ journal: Journal) -> Settings {
    do {
        return try Settings.load(path)
    } catch {
        // A wake file that still exists would start this program again at once. The failure leads to another run later.
        UploadRun(SinkContext(Settings(), userAgent: ""), journal: journal).clearBell()
        fail("\(error)", .configInvalid, error.exitCode)
    }
}

func openStore(_ settings: Settings) throws(UploadRun.Failure) -> Ledger {
    do {
        let vault = try Vault.load(
            credentialDirectory: Vault.credentialDirectory,
            keyFile: settings.store.keyFile, createIfMissing: false)
        return try Ledger.open(
            path: settings.store.ledgerPath, vault: vault, role: .visitor, settleTime: settings.consent.settleTime,
            busyTimeout: UploadRun.busyTimeout, running: RunningState.path(in: settings.wakeFileDirectory))
    } catch let error as LedgerError {
        throw UploadRun.Failure(error)
    } catch {
        throw UploadRun.Failure(message: "\(error)", event: .keyUnusable, code: .noPermission)
    }
}

func upload(_ arguments: Arguments, _ settings: Settings, _ journal: Journal) -> UploadSummary {
    let context = SinkContext(settings, userAgent: "anicca-upload/\(aniccaVersion)")
    do {
        return try UploadRun(context, journal: journal).run(at: arguments.time) { () throws(UploadRun.Failure) in
            try openStore(settings)
        }
    } catch {
        fail(error.message, error.event, error.code)
    }
}

/// A note of an earlier run does not apply to this one.
func clearNote(_ settings: Settings, _ journal: Journal) {
    do {
        try RetryNote(in: settings.wakeFileDirectory).clear()
    } catch {
        journal.log(.warning, .uploadIncomplete, "the time of the next run cannot be taken back: \(error)")
    }
}

/// Tells the unit the time of the next run.
func noteRetry(_ summary: UploadSummary, _ arguments: Arguments, _ settings: Settings, _ journal: Journal) {
    do {
        let wait = summary.retryWait(settings.delivery, at: arguments.time ?? Instant.now.wall)
        try RetryNote(in: settings.wakeFileDirectory).write(wait)
    } catch {
        journal.log(.warning, .uploadIncomplete, "the time of the next run cannot be noted: \(error)")
    }
}

func run(_ arguments: Arguments) {
    keepMemoryPrivate()
    prepareForPeers()
    let journal = Journal.standard(identifier: "anicca-upload", time: timestamp).limited(
        to: arguments.isVerbose ? .debug : .info)
    let settings = readSettings(arguments.configPath, journal)
    clearNote(settings, journal)
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
