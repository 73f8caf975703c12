import Foundation
import Sensing
import Core
import TestFiles
import Testing

@testable import Config

@Suite struct UnitFileTests {
    private func setting(_ name: String, of unit: String) throws -> String {
        let text = try String(contentsOf: projectFile("systemd/agent/\(unit)"), encoding: .utf8)
        let lines = text.components(separatedBy: "\n")
        return String(try #require(lines.first { $0.hasPrefix("\(name)=") }).dropFirst(name.count + 1))
    }

    @Test func theUploaderEndsItsRunBeforeSystemdDoes() throws {
        #expect(try setting("TimeoutStartSec", of: "anicca-upload.service") == "2min")
        #expect(Settings().delivery.deadline <= .seconds(90))
        let key = try #require(Settings.table(sensors: .known).flatMap(\.keys).first { $0.name == "deadline" })
        #expect(key.help.contains("90s"))
    }
}
