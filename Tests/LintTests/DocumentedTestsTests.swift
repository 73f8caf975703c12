import Foundation
import Testing

/// docs/consent.md and docs/proofs.md name the tests of each claim; a renamed or removed test makes a table wrong.
@Suite struct DocumentedTestsTests {
    private let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized

    @Test func everyTestThatTheRulesNameExists() throws {
        let rows = try rows(of: "docs/consent.md").filter {
            $0.first?.first?.isNumber == true && $0.last?.hasPrefix("not built") == false
        }
        #expect(rows.count == 16, "one row for each rule that has tests of its own")
        let known = try functionNames("func ", inFilesOf: "Tests", endingWith: ".swift").union(outside())
        for row in rows {
            let tests = names(in: row.last ?? "").filter { $0.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" } }
            #expect(!tests.isEmpty, "\(row)")
            #expect(Set(tests).subtracting(known) == [], "no tests")
        }
    }

    @Test func everyTestThatTheThreatModelNamesExists() throws {
        let cells = try rows(of: "docs/threat-model.md").filter { $0.count == 7 && $0[0] != "attacker" }
        #expect(cells.count == 9)
        let known = try functionNames("func ", inFilesOf: "Tests", endingWith: ".swift").union(outside())
        for row in cells { #expect(Set(row[1...].flatMap(names)).subtracting(known) == [], "no tests: \(row[0])") }
    }

    /// The tests and proofs in Python.
    private func outside() throws -> Set<String> {
        try functionNames("def ", inFilesOf: "Tests", endingWith: ".py")
            .union(functionNames("def ", inFilesOf: "deploy", endingWith: ".py"))
    }

    @Test func everyTestThatTheProofsNameExists() throws {
        let inProcess = try functionNames("func ", inFilesOf: "Tests", endingWith: ".swift")
        let outside = try outside()
        let claims = try rows(of: "docs/proofs.md").filter { $0.count >= 4 && !$0[0].hasPrefix("where") }
        #expect(claims.count > 40)
        for claim in claims {
            #expect(Set(names(in: claim[1])).subtracting(inProcess) == [], "no tests: \(claim[0])")
            let others = claim[2...].flatMap(names)
            let proofs = others.filter { $0.contains("_") && !$0.contains(".") }
            #expect(Set(proofs).subtracting(outside) == [], "no proofs: \(claim[0])")
            let scripts = others.filter { $0.contains("/") }.map { root.appending(path: $0).path }
            #expect(scripts.allSatisfy(FileManager.default.fileExists), "no files: \(claim[0])")
        }
    }

    /// The cells of every row of every table, without the rows of dashes.
    private func rows(of page: String) throws -> [[String]] {
        let text = try String(contentsOf: root.appending(path: page), encoding: .utf8)
        return text.split(separator: "\n").filter { $0.hasPrefix("| ") }.map { row in
            row.dropFirst().dropLast().components(separatedBy: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        }
    }

    /// The text between grave accents.
    private func names(in cell: String) -> [String] {
        cell.components(separatedBy: "`").enumerated().filter { !$0.offset.isMultiple(of: 2) }.map(\.element)
    }

    /// The function names that follow a word in the files of a folder and of those below it.
    private func functionNames(
        _ word: String, inFilesOf path: String, endingWith suffix: String
    ) throws -> Set<String> {
        let folder = root.appending(path: path)
        var names: Set<String> = []
        for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path) where path.hasSuffix(suffix) {
            let text = try String(contentsOf: folder.appending(path: path), encoding: .utf8)
            for part in text.components(separatedBy: word).dropFirst() {
                names.insert(String(part.prefix { $0.isLetter || $0.isNumber || $0 == "_" }))
            }
        }
        return names
    }
}
