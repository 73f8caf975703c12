import Agent
import Config
import Files
import Glibc
import Journaling
import Ledger
import Permissions
import Program
import Quantities
import Sensing
import Simulation
import Systemd
import Vault

/// Ends the program with one message per line and the exit code that fits.
func fail(_ message: String, _ code: ExitCode) -> Never {
    for line in message.split(separator: "\n") { writeLine("aniccad: \(line)", to: STDERR_FILENO) }
    exit(code.rawValue)
}

func readArguments() -> Arguments {
    do {
        return try Arguments(Array(CommandLine.arguments.dropFirst()))
    } catch {
        fail(error.message, .usage)
    }
}

func readSettings(_ path: String?, _ journal: Journal) -> Settings {
    do {
        return try Settings.load(path, sensors: .known)
    } catch {
        for problem in error.problems { journal.log(.error, .configInvalid, "\(problem)") }
        exit(error.exitCode.rawValue)
    }
}

func openStore(_ settings: Settings, _ journal: Journal) -> LedgerStore {
    do {
        // A new key would not open an existing store.
        let isFirstStart = access(settings.store.ledgerPath, F_OK) != 0
        let vault = try Vault.load(
            credentialDirectory: Vault.credentialDirectory,
            keyFile: settings.store.keyFile, createIfMissing: isFirstStart)
        let ledger = try Ledger.open(path: settings.store.ledgerPath, vault: vault, role: .keeper)
        if let aside = ledger.movedAside {
            journal.log(
                .error, .storeDamaged,
                "the store was damaged (\(aside.why)) and is now \(aside.path); a new one has begun and all toggles are off"
            )
        }
        let store = LedgerStore(ledger, historyDays: settings.store.historyDays)
        try store.refuseNewerCheckpoint()
        return store
    } catch let error as VaultError {
        journal.log(.error, .keyUnusable, "\(error)")
        exit(error.exitCode.rawValue)
    } catch let error as LedgerError {
        fail("\(error)", error.exitCode(for: .keeper))
    } catch {
        fail("\(error)", .cannotCreate)
    }
}

/// Takes the lock of the daemon. Two daemons would each store the day as only they saw it.
func takeLock(_ settings: Settings) -> RunLock {
    do {
        if let lock = try RunLock(path: "\(settings.store.directory)/aniccad.lock") { return lock }
    } catch .absent {
        fail("\(settings.store.directory) does not exist: make it, or correct directory in [store]", .cannotCreate)
    } catch .denied(let path) {
        fail("\(path): permission denied; run as the agent's user", .noPermission)
    } catch {
        fail("\(error)", .cannotCreate)
    }
    fail("another aniccad keeps the store in \(settings.store.directory): stop that one first", .temporary)
}

/// In real time.
func simulatedDevices(
    of wearer: Arguments.Wearer, _ arguments: Arguments, _ settings: Settings
) -> SimulatedDevices {
    let clock = VirtualClock(following: { .now })
    let devices = wearer.devices(
        from: UTCDay(containing: clock.now.wall), days: 8, clock: clock, hasMotionLine: false,
        hasPulseLine: arguments.hasPulseLine, imu: arguments.imu)
    devices.sensorNode = arguments.sensorNode
    devices.surroundings = linuxHandlers(settings)
    return devices
}

func run(_ arguments: Arguments) -> Int32 {
    // Changes of pace, at debug, would go to the card several times an hour.
    let journal = Journal.standard(identifier: "aniccad").limited(to: .info)
    let settings = readSettings(arguments.configPath, journal)
    let lock = takeLock(settings)
    defer { withExtendedLifetime(lock) {} }
    let store = openStore(settings, journal)
    do {
        if let wearer = arguments.wearer, let days = arguments.virtualDays {
            let life = VirtualLife(wearer: wearer, days: days, arguments: arguments)
            return try life.run(settings: settings, store: store, journal: journal)
        }
        let daemon = Daemon(
            loop: try SystemdLoop(), journal: journal, settings: settings, store: store,
            makeDevices: { settings in
                guard let wearer = arguments.wearer else {
                    return LinuxDevices(settings: settings, journal: journal)
                }
                return simulatedDevices(of: wearer, arguments, settings)
            },
            reload: { () throws(SettingsError) in try Settings.load(arguments.configPath, sensors: .known) })
        return try daemon.run()
    } catch {
        fail("\(error)", .systemError)
    }
}

let arguments = readArguments()
switch arguments.request {
case .help: print(Arguments.help)
case .version: print("aniccad \(aniccaVersion)")
case .run: exit(run(arguments))
}
