import Foundation
import Permissions
import TestFiles
import Testing

@testable import Config

/// The manual page of the configuration agrees with the table of keys.
@Suite struct ManualKeysTests {
    private static let beginning =
        #".\" What follows is made from the table of keys, up to the mark below; a test compares it."# + "\n"
    private static let end = #".\" End of the table of keys."#

    private let page = projectFile("deploy/man/anicca.conf.5")

    @Test func theManualPageListsEveryKeyAsTheTableHasIt() throws {
        let text = try String(contentsOf: page, encoding: .utf8)
        let start = try #require(text.range(of: Self.beginning), "\(page.path) has no beginning of the keys")
        let end = try #require(text.range(of: Self.end), "\(page.path) has no end of the keys")
        let wanted = String(text[..<start.upperBound]) + manualKeysText + String(text[end.lowerBound...])
        guard text != wanted else { return }
        let correct = FileManager.default.temporaryDirectory.appending(path: "anicca.conf.5")
        try wanted.write(to: correct, atomically: true, encoding: .utf8)
        Issue.record("the keys in the page differ from the table: cp \(correct.path) \(page.path)")
    }

    @Test func everyKeyOfTheTableStandsInItsOwnEntry() {
        let entries = manualKeysText.components(separatedBy: ".It Cm ").count - 1
        #expect(entries == Settings.table(sensors: .known).flatMap(\.keys).count)
    }
}
