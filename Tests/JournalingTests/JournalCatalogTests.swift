import Foundation
import TestFiles
import Testing

@testable import System

private let journalctl = ["/usr/bin/journalctl", "/bin/journalctl"].first {
    FileManager.default.isExecutableFile(atPath: $0)
}

/// One entry of a message catalogue.
private struct CatalogEntry {
    let id: String
    let headers: [String]
    let text: String

    var subject: String? {
        headers.first { $0.hasPrefix("Subject: ") }.map { String($0.dropFirst("Subject: ".count)) }
    }

    /// The journal fields that journalctl puts in.
    var variables: [String] {
        text.matches(of: /@([A-Z0-9_]+)@/).map { String($0.1) }
    }
}

@Suite struct JournalCatalogTests {
    private let text: String
    private let entries: [CatalogEntry]

    init() throws {
        text = try String(contentsOf: projectFile("deploy/anicca.catalog"), encoding: .utf8)
        entries = text.components(separatedBy: "\n-- ").dropFirst().map { part in
            let lines = part.components(separatedBy: "\n").filter { !$0.hasPrefix("#") }
            let headers = lines.dropFirst().prefix { !$0.isEmpty }
            let rest = lines.dropFirst(1 + headers.count).joined(separator: "\n")
            return CatalogEntry(
                id: lines[0], headers: Array(headers), text: rest.trimmingCharacters(in: .whitespacesAndNewlines))
        }
    }

    @Test func everyEventIsExplainedOnceAndNothingElse() {
        #expect(entries.map(\.id) == JournalEvent.allCases.map(\.messageID))
        for entry in entries {
            #expect(entry.subject?.isEmpty == false && !entry.text.isEmpty, "\(entry.id)")
            #expect(entry.headers.count == 2 && entry.headers[1] == "Defined-By: Anicca Edge", "\(entry.id)")
        }
    }

    @Test func whatOneReadsFitsATerminalOnceTheFieldsAreIn() {
        for line in text.components(separatedBy: "\n") {
            #expect(line.utf8.count <= 120 && !line.hasSuffix(" "), "\(line)")
        }
    }

    /// A field that is missing from a message would be shown by its name.
    @Test func everyFieldThatAnExplanationUsesIsInEveryMessageOfItsKind() throws {
        let sources = try sourceTexts()
        for (event, entry) in zip(JournalEvent.allCases, entries) where !entry.variables.isEmpty {
            let calls = try sources.flatMap { try callsLogging(event, in: $0) }
            #expect(!calls.isEmpty, "nothing logs \(event), so its fields are not known")
            for call in calls {
                for variable in entry.variables {
                    let name = variable.replacing("ANICCA_", with: "")
                    let argument = name == "DOMAIN" ? " domain: ." : "\"\(name)\": "
                    #expect(call.contains(argument), "\(event) is logged without \(name): \(call)")
                }
            }
        }
    }

    @Test(.enabled(if: journalctl != nil, "journalctl is not installed; it comes with the package systemd"))
    func journalctlTakesTheWholeCatalogue() throws {
        let directory = try TemporaryDirectory()
        try directory.write("usr/lib/systemd/catalog/anicca.catalog", text)
        #expect(try runJournalctl("--root=\(directory.path)", "--update-catalog") == "")
        let listed = try runJournalctl("--root=\(directory.path)", "--list-catalog").split(separator: "\n")
        #expect(
            listed.map(String.init).sorted()
                == entries.map { "\($0.id) Anicca Edge: \($0.subject ?? "")" }.sorted())
        let dumped = try runJournalctl("--root=\(directory.path)", "--dump-catalog")
        for entry in entries { #expect(dumped.contains("\n\(entry.text)\n"), "\(entry.id)") }
    }

    private func sourceTexts() throws -> [String] {
        try ["Agent", "Delivery", "Sensing", "Laboratory", "Programs"].flatMap { layer in
            let folder = projectFile("Sources/\(layer)").resolvingSymlinksInPath().path
            let names = try FileManager.default.subpathsOfDirectory(atPath: folder).filter { $0.hasSuffix(".swift") }
            return try names.map { try String(contentsOfFile: "\(folder)/\($0)", encoding: .utf8) }
        }.filter { $0.contains("log(") }
    }

    /// From the event's name, which follows a priority or a message, to the end of the call.
    private func callsLogging(_ event: JournalEvent, in source: String) throws -> [Substring] {
        try source.ranges(of: Regex(",\\s+\\.\(event.rawValue),")).map { range in
            var depth = 0
            return source[range.lowerBound...].prefix { character in
                if character == "(" { depth += 1 }
                if character == ")" { depth -= 1 }
                return depth >= 0
            }
        }
    }

    /// The output of journalctl on both streams. Fails the test unless it ends with status 0.
    private func runJournalctl(_ arguments: String...) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: try #require(journalctl))
        process.arguments = arguments
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let bytes = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(process.terminationStatus == 0, "\(text)")
        return text
    }
}
