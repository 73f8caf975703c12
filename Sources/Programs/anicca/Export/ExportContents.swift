import Commands
import Config
import Ledger
import Program
import Quantities
import Sensing
import Timekeeping
import Vault

/// All that is stored about the wearer, as files.
final class ExportContents {
    let installation: Installation
    let ledger: Ledger
    let now = Instant.now

    /// Whether something is not in the files, which is told then.
    private(set) var leavesSomethingOut = false

    var settings: Settings { installation.settings }

    init(_ installation: Installation) throws(Failure) {
        self.installation = installation
        ledger = try installation.openStore()
    }

    /// - Parameter withOpenMHealth: steps and sleep in the forms of Open mHealth too.
    func files(withOpenMHealth: Bool) throws -> [ExportFile] {
        try ledger.tellIfUntrusted()
        let boot = try thisBoot()
        var files = [
            ExportFile("days.json", try days().listing),
            ExportFile("quarters.csv", try quarters(boot)),
            ExportFile("places.json", try places().listing),
            ExportFile("events.json", try events().listing),
            ExportFile("alarms.json", try alarms()),
            ExportFile("nudges.json", try nudges().listing),
            ExportFile("trail.json", try trail().listing),
            ExportFile("receipt.json", try receipt().description),
        ]
        if withOpenMHealth { files += try openMHealth(boot) }
        return files + [ExportFile.manifest(of: files)]
    }

    /// Nil for a part that does not open: that is told, and does not keep the rest from its owner.
    func readable<Value>(_ read: () throws(LedgerError) -> Value) throws(LedgerError) -> Value? {
        do {
            return try read()
        } catch {
            guard case .unreadable = error else { throw error }
            leaveOut("\(error)")
            return nil
        }
    }

    func leaveOut(_ what: String) {
        leavesSomethingOut = true
        tell("not exported: \(what)")
    }
}

extension ExportFile {
    /// The names of the files, their sizes and SHA-256.
    static func manifest(of files: [ExportFile]) -> ExportFile {
        let list = files.filter { $0.name != "manifest.json" }.map { file in
            JSONObject(
                ("file", file.name), ("bytes", file.bytes.count), ("sha256", hexadecimal(Vault.sha256(file.bytes))))
        }
        let json = JSONObject(
            ("program", "anicca \(aniccaVersion)"), ("exported", Instant.now.wall), ("files", list))
        return ExportFile("manifest.json", json.description)
    }
}

/// Two lower-case digits for each byte.
func hexadecimal(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}
