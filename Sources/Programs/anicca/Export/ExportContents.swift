import Commands
import Config
import Domains
import Store
import System
import Core
import Sensing

/// All stored data about the wearer, as files.
final class ExportContents {
    let installation: Installation
    let ledger: Ledger
    let now = Instant.now

    /// Whether data is missing in the files, which is then reported.
    private(set) var leavesSomethingOut = false

    var settings: Settings { installation.settings }

    init(_ installation: Installation) throws(Failure) {
        self.installation = installation
        ledger = try installation.openStore(showing: Domain.all)
    }

    /// The files in their order, without the manifest, with their makers.
    ///
    /// - Parameter withOpenMHealth: adds steps and sleep in the formats of Open mHealth.
    static func parts(withOpenMHealth: Bool) -> [ExportPart] {
        let data = [
            ExportPart("days.json") { try $0.days().listing }, ExportPart("quarters.csv") { try $0.quarters() },
            ExportPart("coverage.csv") { try $0.coverage() }, ExportPart("events.json") { try $0.events().listing },
        ]
        let consent = [
            ExportPart("trail.json") { try $0.trail().listing },
            ExportPart("receipt.json") { try $0.receipt().description },
        ]
        return data + Domain.all.flatMap(\.page.files) + consent
            + (withOpenMHealth ? Domain.all.flatMap(\.page.openMHealth) : [])
    }

    func files(withOpenMHealth: Bool) throws -> [ExportFile] {
        try ledger.tellIfUntrusted()
        let files = try Self.parts(withOpenMHealth: withOpenMHealth).map { ExportFile($0.name, try $0.content(self)) }
        return files + [ExportFile.manifest(of: files)]
    }

    /// Includes quarters held by the daemon, and quarters without a date. All files use the same ones.
    func datedQuarters() throws -> [DatedQuarter] { try quartersOnce.get() }

    private lazy var quartersOnce = Result {
        let session = try ledger.session(settings, thisBoot(), now)
        return try ledger.datedQuarters(knowing: session.boots, and: session.quarters)
    }

    /// Nil for data that does not open: this is reported, and the other data is still exported.
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

/// A file of the export, with its maker.
struct ExportPart: Sendable {
    let name: String
    let content: @Sendable (ExportContents) throws -> String

    init(_ name: String, _ content: @escaping @Sendable (ExportContents) throws -> String) {
        self.name = name
        self.content = content
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
