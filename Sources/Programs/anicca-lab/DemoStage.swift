import Commands
import Config
import Domains
import System
import Glibc
import Store
import Sensing
import Core
import Simulation

/// A complete device in a temporary directory, for `demo` and `live`: config, store, key, wake files, and a receiver on
/// loopback. Removed at `deinit`, unless it is kept.
final class DemoStage {
    let directory: String
    let settings: Settings
    let configPath: String
    private let programs: String
    private let receiver: ChildProcess
    private let isKept: Bool

    /// The reason why the stage cannot be set up.
    struct Problem: Error, CustomStringConvertible {
        let description: String
    }

    /// - Parameter folder: A new folder, which stays; nil for a temporary directory.
    init(keeping folder: String? = nil) throws {
        programs = try Self.programDirectory()
        isKept = folder != nil
        directory = try folder.map { try Self.newFolder($0) } ?? Self.newTemporaryDirectory()
        receiver = try ChildProcess(
            "\(programs)/anicca-receiver",
            ["--port", "0", "--store", "\(directory)/received.sqlite", "--nudge", "Stand up and walk a little"])
        guard let port = receiver.readLine()?.split(separator: ":").last?.dropLast() else {
            throw Problem(description: "anicca-receiver ended before it listened")
        }
        configPath = "\(directory)/anicca.conf"
        guard mkdir(Self.inbox(in: directory), 0o700) == 0 else { throw FileError(errno: errno, path: directory) }
        try Self.write("demo-token\n", to: "\(directory)/token")
        try Self.write(Self.config(directory, port: String(port)), to: configPath)
        settings = try Settings.load(configPath, sensors: .known)
    }

    deinit {
        receiver.end()
        if isKept { return }
        let inbox = settings.companion.inbox
        for folder in ["\(inbox)/rejected", inbox, directory, "\(directory)-anchor"] {
            for name in readableFileNames(in: folder) { unlink("\(folder)/\(name)") }
            rmdir(folder)
        }
    }

    /// What to type before the name of a program: nothing where the shell finds it.
    var prefix: String {
        let path = getenv("PATH").map { String(cString: $0) } ?? ""
        return path.split(separator: ":").contains { $0 == programs } ? "" : "\(programs)/"
    }

    var receivedPath: String { "\(directory)/received.sqlite" }

    /// A store in which the wearer has agreed to these domains and turned them on.
    func openStore(at time: WallTime, _ domains: [Domain]) throws -> LedgerStore {
        let vault = try Vault.load(credentialDirectory: nil, keyFile: settings.store.keyFile, createIfMissing: true)
        let ledger = try Ledger.open(
            path: settings.store.ledgerPath, vault: vault, role: .keeper, settleTime: settings.consent.settleTime)
        for domain in domains {
            try ledger.change([.reply(domain, .agreedWholly(to: domain.permission))], at: time)
        }
        return LedgerStore(ledger, rule: settings.days)
    }

    /// Runs the real uploader to its end, at a simulated `time`, or now.
    func upload(at time: WallTime? = nil) throws {
        let uploader = try ChildProcess(
            "\(programs)/anicca-upload", ["--config", configPath] + (time.map { ["--at", "\($0)"] } ?? []), log: log)
        let status = uploader.wait()
        guard status == 0 || status == ExitCode.temporary.rawValue else {
            throw Problem(description: "anicca-upload ended with status \(status):\n\(lastMessages)")
        }
    }

    private var log: String { "\(directory)/upload.log" }

    /// The uploader's messages, at most the last 2000 bytes.
    private var lastMessages: String {
        do {
            return String(decoding: try readFile(log, limit: 1 << 20).suffix(2000), as: UTF8.self)
        } catch {
            return "\(error)"
        }
    }

    var bellIsRinging: Bool { WakeFile.upload(in: settings.wakeFileDirectory).isSet }

    /// Five commands that show what is in a kept folder whose last day is `day`.
    static func showCommands(for folder: String, until day: UTCDay) {
        tell("\(folder) keeps this device. To see what is in it:")
        for command in ["report --html report.html", "days", "why \(day)", "export ./mine", "audit"] {
            tell("  anicca \(command) --config \(folder)/anicca.conf")
        }
    }

    /// Returns its absolute path.
    private static func newFolder(_ path: String) throws -> String {
        guard mkdir(path, 0o700) == 0 else {
            guard errno == EEXIST else { throw Failure("\(FileError(errno: errno, path: path))", .cannotCreate) }
            throw Failure("\(path) exists: name a new folder, or remove it first", .cannotCreate)
        }
        guard let absolute = realpath(path, nil) else { throw FileError(errno: errno, path: path) }
        defer { free(absolute) }
        return String(cString: absolute)
    }

    private static func newTemporaryDirectory() throws -> String {
        var template = Array("\(temporaryDirectory)/anicca-demo-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw FileError(errno: errno, path: temporaryDirectory) }
        return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private static var temporaryDirectory: String { getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp" }

    /// The directory of this program and the other programs.
    private static func programDirectory() throws -> String {
        var path = [CChar](repeating: 0, count: Int(PATH_MAX))
        let length = readlink("/proc/self/exe", &path, path.count)
        guard length > 0 else { throw FileError(errno: errno, path: "/proc/self/exe") }
        let executable = String(decoding: path.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let directory = executable.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(
            separator: "/")
        guard access("\(directory)/anicca-receiver", X_OK) == 0 else {
            throw Failure(
                "anicca-receiver is not beside \(executable): install the package anicca-edge-lab, or run it from a "
                    + "checkout with: make demo", .unavailable)
        }
        return directory
    }

    private static func config(_ directory: String, port: String) -> String {
        """
        [account]
        user-id = 6f1c2a9e-3b57-4c0d-9e1f-2a7b8c9d0e1f
        token-file = \(directory)/token
        [server]
        base-url = http://127.0.0.1:\(port)
        [time]
        trust = hardware-clock
        [imu]
        bus = \(directory)/i2c-1
        [store]
        directory = \(directory)
        key-file = \(directory)/key
        [location]
        gpsd-socket = \(directory)/gpsd.sock
        [alarm]
        chip = \(directory)/gpiochip0
        line = 18
        [companion]
        inbox = \(inbox(in: directory))
        [run]
        bell-directory = \(directory)
        \(fence("home", LifeReceiver.home))
        \(fence("work", LifeReceiver.work))

        """
    }

    private static func fence(_ name: String, _ place: Coordinates) -> String {
        "[fence \"\(name)\"]\nlatitude = \(place.latitude)\nlongitude = \(place.longitude)\nradius = 150"
    }

    private static func inbox(in directory: String) -> String { "\(directory)/inbox" }

    private static func write(_ text: String, to path: String) throws(FileError) {
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw FileError(errno: errno, path: path) }
        defer { close(file) }
        let bytes = Array(text.utf8)
        guard Glibc.write(file, bytes, bytes.count) == bytes.count else { throw FileError(errno: errno, path: path) }
    }
}
