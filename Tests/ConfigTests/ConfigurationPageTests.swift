import Foundation
import Permissions
import TestFiles
import Testing

import SettingKeys

@testable import Config

@Suite struct ConfigurationPageTests {
    private let lines: [String]

    init() throws {
        lines = try String(contentsOf: projectFile("docs/configuration.md"), encoding: .utf8).components(
            separatedBy: "\n")
    }

    /// The rows of the configuration table between the one that names a section and the next such.
    private func rows(of section: SettingSection<Settings>) throws -> ArraySlice<String> {
        let start = try #require(lines.firstIndex { $0.hasPrefix("| **`[\(section.name)]`** |") }, "[\(section.name)]")
        return lines[(start + 1)...].prefix { $0.hasPrefix("| `") }
    }

    @Test func thePageNamesEveryKeyWithItsDefaultInTheOrderOfTheTable() throws {
        for section in Settings.table(sensors: .known) {
            let wanted = section.keys.map { key in
                let value = key.text(Settings())
                return "| `\(key.name)` | " + (value.isEmpty ? "| " : "`\(value)` | ")
            }
            let found = try rows(of: section)
            #expect(found.count == wanted.count, "[\(section.name)]")
            for (row, beginning) in zip(found, wanted) {
                #expect(
                    row.hasPrefix(beginning), "docs/configuration.md has \"\(row)\" where \"\(beginning)…\" should be")
            }
        }
    }
}
