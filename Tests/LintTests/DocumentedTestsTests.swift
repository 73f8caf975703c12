import Foundation
import Testing

/// docs/consent.md names the test of each rule; a test that was renamed or removed leaves the table wrong.
@Suite struct DocumentedTestsTests {
    private let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized

    @Test func everyTestThatTheRulesNameExists() throws {
        let page = try String(contentsOf: root.appending(path: "docs/consent.md"), encoding: .utf8)
        let rows = page.split(separator: "\n").filter { $0.first == "|" && $0.dropFirst(2).first?.isNumber == true }
        #expect(rows.count == 10, "one row for each rule")
        let known = try functionNames()
        for row in rows {
            let cells = row.split(separator: "|")
            let tests = cells.last?.split(separator: "`").map(String.init).filter { $0.allSatisfy(\.isLetter) } ?? []
            #expect(!tests.isEmpty, "\(row)")
            for test in tests { #expect(known.contains(test), "\(test) is no test") }
        }
    }

    private func functionNames() throws -> Set<String> {
        let tests = root.appending(path: "Tests")
        var names: Set<String> = []
        for path in try FileManager.default.subpathsOfDirectory(atPath: tests.path) where path.hasSuffix(".swift") {
            let text = try String(contentsOf: tests.appending(path: path), encoding: .utf8)
            for part in text.components(separatedBy: "func ").dropFirst() {
                names.insert(String(part.prefix { $0.isLetter || $0.isNumber }))
            }
        }
        return names
    }
}
