import Foundation
import Testing

/// Runs the checker of imports against small trees that break one rule each.
@Suite struct ImportLintTests {
    private let checker = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../scripts/lint-imports.py").standardized.path

    /// A tree of two targets in a temporary folder, removed afterwards.
    private func lint(
        core: String, driver: String = "import Core\n", coreDependencies: [String] = [],
        driverDependencies: [String] = ["Core"]
    ) throws -> (status: Int32, findings: String) {
        let root = FileManager.default.temporaryDirectory.appending(path: "lint-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: root) }
        try write(core, to: root.appending(path: "Sources/Core/A.swift"))
        try write(driver, to: root.appending(path: "Sources/Devices/Accelerometers/B.swift"))
        return try lint(
            targets: [
                target("Core", "Sources/Core", coreDependencies),
                target("Devices", "Sources/Devices", driverDependencies),
                target("Agent", "Sources/Agent", []),
            ], in: root)
    }

    /// A manifest without files.
    private func lint(targets: [[String: Any]]) throws -> (status: Int32, findings: String) {
        let root = FileManager.default.temporaryDirectory.appending(path: "lint-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: root) }
        return try lint(targets: targets, in: root)
    }

    private func lint(targets: [[String: Any]], in root: URL) throws -> (status: Int32, findings: String) {
        let manifestFile = root.appending(path: "manifest.json")
        try write("", to: manifestFile)
        try JSONSerialization.data(withJSONObject: ["targets": targets]).write(to: manifestFile)
        return try run(["--root", root.path, "--manifest", manifestFile.path])
    }

    private func target(_ name: String, _ path: String, _ dependencies: [String]) -> [String: Any] {
        [
            "name": name, "path": path, "type": "regular",
            "dependencies": dependencies.map { ["byName": [$0, NSNull()]] },
        ]
    }

    private func write(_ text: String, to file: URL) throws {
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    private func run(_ arguments: [String]) throws -> (status: Int32, findings: String) {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", checker] + arguments
        let errors = Pipe()
        process.standardError = errors
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationStatus, text)
    }

    @Test func aTreeThatKeepsTheLayersPasses() throws {
        let result = try lint(core: "public struct A {}\n")
        #expect(result.status == 0)
        #expect(result.findings.isEmpty)
    }

    @Test(arguments: [
        "import Foundation", "@preconcurrency import Foundation", "internal import Glibc",
        "import struct Foundation.Date",
    ])
    func foundationInTheCoreFails(line: String) throws {
        let result = try lint(core: "// A comment.\n\(line)\n")
        #expect(result.status == 1)
        #expect(result.findings.contains("Sources/Core/A.swift:2: Core must not import"))
    }

    @Test func aDriverThatKnowsLinuxFails() throws {
        let file = "Sources/Devices/Accelerometers/B.swift"
        let imported = try lint(core: "", driver: "import Glibc\n")
        #expect(imported.findings.contains("\(file):1: Devices must not import Glibc"))
        let named = try lint(core: "", driver: "import Core\nlet bus: LinuxI2CBus\n")
        #expect(named.findings.contains("\(file):2: a driver knows no LinuxI2CBus"))
        let above = try lint(core: "", driver: "import Agent\n", driverDependencies: ["Agent"])
        #expect(above.findings.contains("Devices (Devices) depends on Agent (Agent)"))
    }

    @Test func aTargetThatDependsUpwardsFails() throws {
        let result = try lint(core: "", coreDependencies: ["Devices"])
        #expect(result.status == 1)
        #expect(result.findings.contains("Core (Core) depends on Devices (Devices), which stands above it"))
    }

    @Test func aProgramOfTheWearableThatReachesTheLaboratoryFails() throws {
        for (program, isRefused) in [
            ("aniccad", true), ("anicca", true), ("anicca-upload", true), ("anicca-lab", false),
        ] {
            let result = try lint(targets: [
                target("Simulation", "Sources/Laboratory/Simulation", []),
                target("Between", "Sources/Laboratory/Between", ["Simulation"]),
                target(program, "Sources/Programs/\(program)", ["Between"]),
            ])
            #expect(result.status == (isRefused ? 1 : 0))
            #expect(result.findings.contains("\(program) reaches Simulation of the laboratory") == isRefused)
        }
    }

    @Test func aCommentThatSpeaksOfAnImportIsNone() throws {
        #expect(try lint(core: "// import Foundation\n/// import Glibc\n").status == 0)
    }

    @Test func onlyTheFolderOfItsSinkUsesALibrary() throws {
        let result = try lint(core: "", driver: "import CCurl\n", driverDependencies: ["CCurl"])
        #expect(result.status == 1)
        #expect(result.findings.contains("B.swift:1: CCurl is used in Sources/Delivery/Sinks/HTTPS alone"))
    }
}
