import Config
import Glibc
import Store
import System
import Core

/// The checks of `anicca doctor` that follow the configuration.
struct Diagnostics {
    let installation: Installation
    var settings: Settings { installation.settings }

    init(_ installation: Installation) { self.installation = installation }

    /// The results of all checks, in the order in which a device is set up.
    var findings: [CheckResult] {
        head + [
            key, store, consent, bus, sensor, calibration,
        ] + Page.all.flatMap { $0.checks(self) } + [wakeFile] + delivery
    }

    private var key: CheckResult {
        do {
            _ = try installation.loadVault()
            return CheckResult("key", .ok, "the key is readable by this user only")
        } catch .keyMissing(let path) where !settings.store.exists {
            return CheckResult("key", .warning, "no key at \(path) yet", advice: "start aniccad once, which makes it")
        } catch .keyMissing(let path) {
            return CheckResult(
                "key", .failed, "there is a store, but no key at \(path) nor at \(EncryptedKey.standardPath)",
                advice: "put the key back from its copy")
        } catch .keyUnavailable(let path, EACCES) {
            return CheckResult("key", .failed, "\(path): permission denied", advice: "run: \(sudoCommand)")
        } catch {
            return CheckResult("key", error: "\(error)", adviceAfter: ": ")
        }
    }

    private var store: CheckResult {
        let path = settings.store.ledgerPath
        var status = stat()
        guard lstat(path, &status) == 0 else {
            guard errno == ENOENT else {
                let reason = String(cString: strerror(errno))
                return CheckResult("store", .failed, "\(path): \(reason)", advice: "run: \(sudoCommand)")
            }
            return CheckResult(
                "store", .warning, "no store at \(path) yet", advice: "start aniccad once, which makes it")
        }
        do {
            let ledger = try Ledger.open(
                path: path, vault: installation.loadVault(), role: .visitor, settleTime: settings.consent.settleTime,
                running: RunningState.path(in: settings.wakeFileDirectory))
            if let fault = ledger.anchorFault {
                return CheckResult(
                    "store", .warning, fault,
                    advice: "run: systemctl restart aniccad, which creates the directory; then see its log")
            }
            return CheckResult("store", .ok, "\(ledger.path) opens under the key")
        } catch let error as LedgerError {
            guard case .failed = error else { return CheckResult("store", error: "\(error)", adviceAfter: ": ") }
            return CheckResult("store", .failed, "\(error)", advice: "check who owns \(path) and its directory")
        } catch {
            return CheckResult("store", .skipped, "needs the key")
        }
    }

    /// The check of the consent trail. A past fault that the wearer has answered stays visible, but only as a warning.
    private var consent: CheckResult {
        do {
            let ledger = try installation.openStore()
            let report = try ledger.verifyTrail()
            guard !report.isIntact else {
                return CheckResult("consent", .ok, "the trail: \(report.text)")
            }
            return CheckResult(
                "consent", try report.isLeftBehind && ledger.consent().isTrusted ? .warning : .failed,
                "the trail is broken: " + report.findings.map(\.description).joined(separator: "; "),
                advice: report.advice)
        } catch {
            return CheckResult("consent", .skipped, "needs the store")
        }
    }

    private var wakeFile: CheckResult {
        let directory = settings.wakeFileDirectory
        if access(directory, W_OK | X_OK) == 0 { return CheckResult("bell", .ok, "\(directory) is writable") }
        guard errno == ENOENT else {
            return CheckResult(
                "bell", .failed, "\(directory) is not writable: \(String(cString: strerror(errno)))",
                advice: "run: \(sudoCommand); systemd makes the directory (RuntimeDirectory= of aniccad.service)")
        }
        return CheckResult(
            "bell", .warning, "there is no \(directory): aniccad is not running",
            advice: "systemctl enable --now aniccad")
    }
}
