import Config
import Glibc
import Ledger
import Program
import Quantities
import Vault

/// The checks of `anicca doctor` that follow the configuration.
struct Examination {
    let installation: Installation
    var settings: Settings { installation.settings }

    init(_ installation: Installation) { self.installation = installation }

    /// In the order in which a device is set up.
    var findings: [Finding] {
        [key, store, consent, bus, sensor, stepLine, interruptLine, bell, server, account, clock]
    }

    private var key: Finding {
        do {
            _ = try installation.loadVault()
            return Finding("key", .ok, "the key can be read, and by nobody else")
        } catch .keyMissing(let path) where !settings.store.exists {
            return Finding("key", .warning, "no key at \(path) yet", advice: "start aniccad once, which makes it")
        } catch .keyMissing(let path) {
            return Finding(
                "key", .failed, "there is a store, but no key at \(path) nor at \(EncryptedKey.standardPath)",
                advice: "put the key back from its copy")
        } catch .keyUnavailable(let path, EACCES) {
            return Finding("key", .failed, "\(path): permission denied", advice: "run: \(sudoCommand)")
        } catch {
            return Finding("key", error: "\(error)", adviceAfter: ": ")
        }
    }

    private var store: Finding {
        let path = settings.store.ledgerPath
        guard access(path, F_OK) == 0 else {
            guard errno == ENOENT else {
                let reason = String(cString: strerror(errno))
                return Finding("store", .failed, "\(path): \(reason)", advice: "run: \(sudoCommand)")
            }
            return Finding("store", .warning, "no store at \(path) yet", advice: "start aniccad once, which makes it")
        }
        do {
            let ledger = try Ledger.open(path: path, vault: installation.loadVault(), role: .visitor)
            return Finding("store", .ok, "\(ledger.path) opens under the key")
        } catch let error as LedgerError {
            guard case .failed = error else { return Finding("store", error: "\(error)", adviceAfter: ": ") }
            return Finding("store", .failed, "\(error)", advice: "check who owns \(path) and its directory")
        } catch {
            return Finding("store", .skipped, "needs the key")
        }
    }

    /// Whether the trail that everything allowed rests on is as it was written. A fault of the past, behind which the
    /// wearer has answered anew, stays visible and stops nothing.
    private var consent: Finding {
        do {
            let ledger = try installation.openStore()
            let report = try ledger.verifyTrail()
            guard !report.isIntact else {
                return Finding("consent", .ok, "the trail: \(report.text)")
            }
            return Finding(
                "consent", try report.isLeftBehind && ledger.consent().isTrusted ? .warning : .failed,
                "the trail is broken: " + report.findings.map(\.description).joined(separator: "; "),
                advice: report.advice)
        } catch {
            return Finding("consent", .skipped, "needs the store")
        }
    }

    private var bell: Finding {
        let directory = settings.bellDirectory
        if access(directory, W_OK | X_OK) == 0 { return Finding("bell", .ok, "\(directory) is writable") }
        guard errno == ENOENT else {
            return Finding(
                "bell", .failed, "\(directory) is not writable: \(String(cString: strerror(errno)))",
                advice: "run: \(sudoCommand); systemd makes the directory (RuntimeDirectory= of aniccad.service)")
        }
        return Finding(
            "bell", .warning, "there is no \(directory): aniccad is not running",
            advice: "systemctl enable --now aniccad")
    }

    /// A board without a battery-backed clock starts in the past, and days get wrong dates (SPEC §10).
    private var clock: Finding {
        let now = Instant.now.wall
        guard now >= Examination.earliest, now < Examination.latest else {
            return Finding(
                "clock", .failed, "the date is \(now)",
                advice: "connect to a network, and see timedatectl; or fit a battery-backed clock")
        }
        return Finding("clock", .ok, "\(now)")
    }

    /// Before this program was written, and well after it.
    private static let earliest = WallTime(secondsSinceEpoch: 1_735_689_600)  // 2025-01-01
    private static let latest = WallTime(secondsSinceEpoch: 4_102_444_800)  // 2100-01-01
}
