import Domains
import Foundation
import Store
import Core
import Testing

/// What `--json` prints is one value, as `docs/schemas` has it.
@Suite struct JSONTests {
    /// The name of a schema, and a command line.
    private static let commands = [
        ["status", "status"], ["doctor", "doctor"], ["doctor-bundle", "doctor", "--bundle", "-"],
        ["days", "days"], ["why", "why", "2025-01-13"],
        ["report", "report"], ["audit", "audit"], ["audit-verify", "audit", "--verify"], ["queue", "queue"],
        ["queue", "queue", "list"],
        ["permissions", "permissions"], ["permissions-decision", "permissions", "reset", "motion"],
        ["permissions-decision", "permissions", "deny", "motion"],
        ["permissions-scope", "permissions", "narrow", "location"],
        ["toggle", "toggle", "steps", "off"], ["alarm-list", "alarm", "list"],
        ["alarm-add", "alarm", "add", "wake", "07:00"], ["export", "export", "DIR"],
        ["export", "export", "DIR", "--open-mhealth"], ["time", "time"], ["wearer", "wearer"],
        ["wearer", "wearer", "set", "--height", "178"], ["upload", "upload"],
        ["validate-config", "validate-config"], ["forget", "forget", "steps", "--yes"],
        ["sensor-test", "sensor", "test", "--no-wait", "--not-worn"],
        ["sensor-calibrate", "sensor", "calibrate", "--show"],
    ]

    @Test(arguments: commands)
    func whatIsPrintedIsAsTheSchemaHasIt(command: [String]) throws {
        let device = try Self.fullDevice()
        try check(command, on: device)
    }

    @Test(arguments: commands)
    func alsoWhereNothingIsStored(command: [String]) throws {
        let (device, _) = try TestDevice.withStore()
        // There is nothing to explain, to narrow or to forget.
        guard !["why", "permissions-scope"].contains(command[0]) else { return }
        try check(command, on: device)
    }

    @Test func theStatusIsAsTheSchemaHasItWhileNobodyKnowsTheDay() throws {
        let (device, _) = try TestDevice.withStore("[time]\ntrust = synchronised")
        try check(["status", "status"], on: device)
    }

    private func check(_ command: [String], on device: TestDevice) throws {
        let words = command.dropFirst().map { $0 == "DIR" ? device.path("mine") : $0 }
        let outcome = try AniccaProgram.run(words + ["--json", "--config", device.configPath])
        let value = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8))
        let faults = try JSONSchema(command[0]).faults(of: value)
        #expect(faults == [], "\(outcome.output)\(outcome.messages)")
    }

    @Test func everyCommandWithJSONHasASchemaAndIsOnThePage() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
        let files = try FileManager.default.contentsOfDirectory(atPath: root.appending(path: "docs/schemas").path)
        let names = Set(files.map { $0.replacingOccurrences(of: ".schema.json", with: "") })
        #expect(
            names == Set(Self.commands.map { $0[0] } + ["watch", "energy"]),
            "WatchPictureTests has that of watch, EnergyCommandTests that of energy")
        let page = try String(contentsOf: root.appending(path: "docs/json.md"), encoding: .utf8)
        for name in names { #expect(page.contains("(schemas/\(name).schema.json)"), "\(name)") }
        for command in try Self.commandsWithJSON() {
            #expect(
                Self.commands.contains { $0.dropFirst().starts(with: command.split(separator: " ").map(String.init)) }
                    || ["permissions expand", "permissions show", "time show", "wearer show", "watch"].contains(command),
                "\(command)")
        }
    }

    /// Those whose `--help` has `--json`, such as `alarm add`.
    private static func commandsWithJSON(below path: [String] = []) throws -> [String] {
        let help = try AniccaProgram.run(path + ["--help"]).output
        let lines = help.components(separatedBy: "\n")
        let isLeaf = !lines.contains("SUBCOMMANDS:")
        if isLeaf { return help.contains("  --json") ? [path.joined(separator: " ")] : [] }
        let names = lines.drop { $0 != "SUBCOMMANDS:" }.dropFirst().prefix { !$0.isEmpty }
            .filter { $0.hasPrefix("  ") && !$0.hasPrefix("   ") }
            .compactMap { $0.split(separator: " ").first.map { $0.filter { $0 != "," } } }
        return try names.filter { $0 != "help" }.flatMap { try commandsWithJSON(below: path + [$0]) }
    }

    @Test func theCheckOfSchemasFindsWhatIsWrong() throws {
        let schema = try JSONSchema("audit")
        let entry: [String: Any] = [
            "entry": 1, "at": "2025-03-01T10:00:00Z", "by": "kernel", "what": "x", "from": "", "to": "",
        ]
        #expect(schema.faults(of: [entry]).isEmpty)
        for (key, value) in [("entry", "1"), ("at", "today"), ("by", "you"), ("entry", true), ("other", 1)]
            as [(String, Any)]
        {
            #expect(schema.faults(of: [entry.merging([key: value]) { $1 }]).count == 1, "\(key)")
        }
        #expect(schema.faults(of: [entry.filter { $0.key != "to" }]) == ["$[0]: no to"])
        #expect(schema.faults(of: entry).count == 1)
    }

    /// With something of all that is printed.
    private static func fullDevice() throws -> TestDevice {
        // Every figure has an amount.
        var all = ReportStore.quarter(ReportStore.first, 49, [])
        // A walk of twelve minutes, 1200 steps and 900 m.
        let workout = DatedAmount(901 << 34 | 1200 << 17 | 720, seconds: 0).stored
        all.amounts = Figure.all.map { Quarter.Amount($0.id, $0 == .workouts ? workout : 1) }
        let (device, store) = try ReportStore.filledDevice(with: [all], of: [.walks, .heart])
        try store.ledger.commit(
            Batch(
                checkpoint: [],
                events: [NudgeEvent(kind: .visit, at: ReportStore.first.start, value: ReportStore.home.number)]))
        try device.write(
            "store/calibration", "lis3dh 0x18 2027-01-15T08:00:00Z 1012500 998700 1000000 12300 -2100 0 31000 900\n")
        return device
    }
}
