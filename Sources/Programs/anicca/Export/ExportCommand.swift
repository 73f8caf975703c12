import ArgumentParser
import Commands
import Config
import System

/// `anicca export`
struct ExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write all that is stored about you into files.",
        discussion: """
            The directory must be empty or missing; its parent must exist. It gets JSON and CSV files that only you \
            can read, all or none: days, quarters of an hour, places, events, alarms, nudges, the consent trail, a \
            receipt of your agreement, and a manifest with the SHA-256 of each. The store is not changed, and the \
            daemon may run. With sudo the files belong to you, not to root. They are not encrypted.
            With --open-mhealth, steps and sleep are also there as data points of Open mHealth and IEEE 1752.1.

            Example:
              sudo anicca export ./mine
              sudo anicca export ./mine --open-mhealth

            Exit status: 65 the files are written but lack the reported part; 73 the directory is not empty or cannot \
            be created; 75 the store is busy.
            """)

    @Argument(help: "The directory to create.", completion: .directory)
    var directory: String

    @Flag(
        name: .customLong("open-mhealth"),
        help: "Write steps and sleep as data points of Open mHealth and IEEE 1752.1 too.")
    var openMHealth = false

    /// Selects the part that reads the store and writes to standard output: it may run as another user than the part
    /// that writes files.
    @Flag(help: .hidden)
    var stream = false

    @OptionGroup var config: ConfigOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        if stream {
            let (files, isWhole) = try contents()
            try ExportStream.write(files)
            if !isWhole { throw ArgumentParser.ExitCode(System.ExitCode.dataError.rawValue) }
            return
        }
        let folder = try asCaller { () throws(Failure) in try ExportFolder(directory) }
        let settings = try readSettings(config.config)
        // A process that becomes the owner of the store can no longer write with the caller's rights.
        let changesUser = try StateOwner(of: settings.store.directory) != nil
        let progress = Progress("reading the store")
        let (files, isWhole) = changesUser ? try ExportStream.read(ofChildFor: self) : try contents()
        progress.clear()
        try asCaller { () throws(Failure) in try folder.write(files) }
        print(
            output.json
                ? ExportFile.manifest(of: files).text : "\(directory): \(counted(files.count, "file")), for you alone")
        if !isWhole { throw Failure("\(directory): lacks the parts reported above", .dataError) }
    }

    private func contents() throws -> (files: [ExportFile], isWhole: Bool) {
        let contents = try ExportContents(config.installation(withAccount: true))
        let files = try contents.files(withOpenMHealth: openMHealth)
        return (files, !contents.leavesSomethingOut)
    }
}

/// A file of the export.
struct ExportFile: Equatable {
    let name: String
    let bytes: [UInt8]

    init(_ name: String, bytes: [UInt8]) {
        self.name = name
        self.bytes = bytes
    }

    init(_ name: String, _ text: String) { self.init(name, bytes: Array((text + "\n").utf8)) }

    var text: String { String(decoding: bytes.dropLast(), as: UTF8.self) }
}
