import Foundation
import Sensing
import TestFiles
import Testing

@testable import Config
@testable import System

@Suite struct SettingsFilesTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// The error of loading; fails the test when there is none.
    private func failure(_ path: String?) throws -> SettingsError {
        do throws(SettingsError) {
            _ = try Settings.load(path)
        } catch {
            return error
        }
        throw UnexpectedSuccess()
    }

    private struct UnexpectedSuccess: Error {}

    @Test func laterFilesWinInTheOrderOfTheirNames() throws {
        let main = try directory.write("a.conf", "[steps]\nline = 1\nminimum-run = 7\nedge = falling\n")
        try directory.write("a.conf.d/20-b.conf", "[steps]\nline = 3\n")
        try directory.write("a.conf.d/10-a.conf", "[steps]\nline = 2\nminimum-run = 8\n")
        try directory.write("a.conf.d/30.conf", "[steps]\nedge =\n")
        try directory.write("a.conf.d/99.conf.bak", "rubbish")
        try directory.write("a.conf.d/.hidden.conf", "rubbish")
        let settings = try Settings.load(main)
        #expect(settings.pulseLine.line == 3)
        #expect(settings.rhythm.minimumRun == 8)
        #expect(settings.pulseLine.edge == .rising)
    }

    @Test func aMistakeInADropInNamesThatFile() throws {
        let main = try directory.write("a.conf", "[steps]\nline = x\n")
        let dropIn = try directory.write("a.conf.d/b.conf", "[steps]\nline = y\n")
        let error = try failure(main)
        #expect(error.problems.map(\.path) == [main, dropIn])
        #expect(error.exitCode == .configuration)
        #expect(error.exitCode.rawValue == 78)
        #expect(error.description.split(separator: "\n").count == 2)
    }

    @Test func aMissingFileIsNamedAndEndsWithNoInput() throws {
        let error = try failure("\(directory.path)/absent.conf")
        #expect(error.description == "\(directory.path)/absent.conf: does not exist; check the path")
        #expect(error.exitCode == .noInput)
        #expect(error.exitCode.rawValue == 66)
    }

    @Test(.disabled(if: access(Settings.defaultPath, F_OK) == 0, "there is a configuration on this machine"))
    func aMissingDefaultFileTellsWhatToDo() throws {
        #expect(
            try failure(nil).description
                == "/etc/anicca/anicca.conf: does not exist; install the default configuration there, "
                + "or name another with --config")
    }

    @Test func aFileThatCannotBeReadIsNamed() throws {
        let main = try directory.write("a.conf", "")
        try FileManager.default.createDirectory(atPath: main + ".d/b.conf", withIntermediateDirectories: true)
        #expect(try failure(main).description.hasPrefix("\(main).d/b.conf: it is a directory, not a regular file"))
        let large = try directory.write("large.conf", String(repeating: "#\n", count: 40_000))
        #expect(try failure(large).description.hasPrefix("\(large): it has more than 65536 bytes"))
    }

    @Test func anUnreadableFileDoesNotHideTheMistakesOfTheOthers() throws {
        let main = try directory.write("a.conf", "[steps]\nline = x\n")
        try FileManager.default.createDirectory(atPath: main + ".d/b.conf", withIntermediateDirectories: true)
        let error = try failure(main)
        #expect(error.problems.count == 2)
        #expect(error.exitCode == .noInput)
    }
}

@Suite struct DefaultFileTests {
    /// The file in the source tree.
    private let path = projectFile("deploy/anicca.conf").path

    @Test func itIsReadWithoutAProblemAndStatesTheDefaults() throws { #expect(try Settings.load(path) == Settings()) }

    @Test func everyKeyReadsBackWhatItWrites() throws {
        for key in Settings.table(sensors: .known).flatMap(\.keys) where !key.text(Settings()).isEmpty {
            var settings = Settings()
            #expect(key.assign(key.text(settings), &settings), "\(key.name)")
            #expect(settings == Settings(), "\(key.name)")
        }
    }

    @Test func noNameIsUsedTwice() {
        #expect(Set(Settings.table(sensors: .known).map(\.name)).count == Settings.table(sensors: .known).count)
        for section in Settings.table(sensors: .known) {
            #expect(Set(section.keys.map(\.name)).count == section.keys.count, "\(section.name)")
        }
    }

    @Test func agreementsNameKeysThatExist() {
        let names = Set(
            Settings.table(sensors: .known).flatMap { section in section.keys.map { "\(section.name).\($0.name)" } })
        for agreement in Settings.agreements(sensors: .known) {
            #expect(names.contains(agreement.first) && names.contains(agreement.second))
            #expect(agreement.holds(Settings()))
        }
    }
}
