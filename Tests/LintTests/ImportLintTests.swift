import Foundation
import Testing

/// Runs the checker of imports against small trees that break one rule each.
@Suite struct ImportLintTests {
    private let checker = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../scripts/lint-imports.py").standardized.path

    /// A tree of two targets in a temporary folder, removed afterwards.
    private func lint(
        core: String, driver: String = "import Quantities\n", coreDependencies: [String] = [],
        driverDependencies: [String] = ["Quantities"]
    ) throws -> (status: Int32, findings: String) {
        let root = FileManager.default.temporaryDirectory.appending(path: "lint-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: root) }
        try write(core, to: root.appending(path: "Sources/Core/Quantities/A.swift"))
        try write(driver, to: root.appending(path: "Sources/Chips/B.swift"))
        return try lint(
            targets: [
                target("Quantities", "Sources/Core/Quantities", coreDependencies),
                target("Chips", "Sources/Chips", driverDependencies),
                target("LinuxBus", "Sources/Adapters/LinuxBus", []),
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
        #expect(result.findings.contains("Sources/Core/Quantities/A.swift:2: Quantities must not import"))
    }

    @Test func aDriverThatImportsLinuxFails() throws {
        let undeclared = try lint(core: "", driver: "import LinuxBus\n")
        #expect(undeclared.findings.contains("Sources/Chips/B.swift:1: Chips must not import LinuxBus"))
        let declared = try lint(core: "", driver: "import LinuxBus\n", driverDependencies: ["LinuxBus"])
        #expect(declared.status == 1)
        #expect(declared.findings.contains("Chips (Chips) depends on LinuxBus (Adapters)"))
    }

    @Test func aTargetThatDependsUpwardsFails() throws {
        let result = try lint(core: "", coreDependencies: ["Chips"])
        #expect(result.status == 1)
        #expect(result.findings.contains("Quantities (Core) depends on Chips (Chips), which stands above it"))
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

    @Test func onlyTheSinksMayOpenConnections() throws {
        let result = try lint(targets: [
            target("CCurl", "Sources/C/CCurl", []), target("Sinks", "Sources/Sinks", ["CCurl"]),
            target("Delivery", "Sources/Services/Delivery", ["Sinks", "CCurl"]),
        ])
        #expect(result.status == 1)
        #expect(result.findings.contains("Delivery must not depend on CCurl: it belongs to Sinks"))
    }
}
