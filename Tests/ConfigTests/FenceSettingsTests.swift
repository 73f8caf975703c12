import Domains
import Testing

@testable import Config

@Suite struct FenceSettingsTests {
    private func settings(_ text: String) throws -> Settings {
        try Settings.parse(Array(text.utf8), name: "a.conf")
    }

    private func complaint(about text: String) -> String {
        do {
            _ = try settings(text)
            return "none"
        } catch let error as SettingsError {
            return error.problems.map(\.description).joined(separator: "\n")
        } catch {
            return "\(error)"
        }
    }

    @Test func fencesComeInTheOrderOfTheFile() throws {
        let fences = try settings(
            """
            [fence "work"]
            latitude = -33.8568
            longitude = 151.2153
            radius = 250
            [fence "home"]
            latitude = 52.5
            longitude = 13
            [fence "bei Oma, Küche"]
            longitude = 0
            latitude = 0
            """
        ).location.fences
        #expect(fences.map(\.name) == ["work", "home", "bei Oma, Küche"])
        #expect(fences[0].centre == Coordinates(latitude: -33.8568, longitude: 151.2153))
        #expect(fences.map(\.radius) == [250, 100, 100])
    }

    @Test func aLaterFileChangesOneKeyOfAFence() throws {
        var reader = SettingsReader(problems: [], sensors: [])
        let first = "[fence \"home\"]\nlatitude = 1\nlongitude = 2\nradius = 300\n"
        for (path, text) in [("a.conf", first), ("b.conf", "[fence \"home\"]\nradius =\n")] {
            reader.read(ConfigFile(path: path, bytes: Array(text.utf8)))
        }
        reader.checkAgreements()
        #expect(reader.problems.isEmpty)
        #expect(reader.settings.location.fences.map(\.radius) == [100])
    }

    @Test func aPlaceNeedsBothNumbers() {
        #expect(
            complaint(about: "[fence \"gym\"]\nlatitude = 1\n")
                == "a.conf:2: fence \"gym\".latitude = 1.0 must be set together with fence \"gym\".longitude (not set)")
        #expect(
            complaint(about: "[fence \"gym\"]\n\nradius = 200\n").hasPrefix("a.conf:3: fence \"gym\".latitude (not"))
        #expect(
            complaint(about: "[fence \"home\"]\nlongitude = 2\n").hasPrefix("a.conf:2: fence \"home\".latitude (not"))
    }

    static let wrong: [(String, String)] = [
        ("latitude = 90.5", "degrees from -90 to 90 as a decimal number such as 52.5163"),
        ("latitude = nan", "degrees from -90 to 90"),
        ("latitude = 1e1", "degrees from -90 to 90"),
        ("latitude = 52,5", "degrees from -90 to 90"),
        ("longitude = -180.1", "degrees from -180 to 180"),
        ("radius = 99", "a whole number from 100 to 100000"),
    ]

    @Test(arguments: wrong) func whatCannotBeAPlaceIsRefused(line: String, demand: String) {
        #expect(complaint(about: "[fence \"home\"]\n\(line)\n").contains("must be \(demand)"))
    }

    static let titles = [
        "fence", "fence \"\"", "fence home", "fence \"a\tb\"",
        "fence \"a\"b\"", "fence \"0123456789012345678901234567890123\"",
    ]

    @Test(arguments: titles) func aFenceNeedsAName(title: String) {
        #expect(complaint(about: "[\(title)]\nradius = 200\n").contains("takes a name of up to 32 bytes in quotes"))
    }

    @Test func fencesAreBounded() {
        let text = (0...64).map { "[fence \"\($0)\"]\nlatitude = 0\nlongitude = \($0)\n" }.joined()
        #expect(complaint(about: text).contains("there can be 64 of them"))
    }

    @Test func aKeySetTwiceIsToldByItsFence() {
        #expect(
            complaint(about: "[fence \"a\"]\nradius = 200\n[fence \"a\"]\nradius = 300\n")
                .contains("fence \"a\".radius is set twice in this file, first in line 2"))
    }

    @Test func aNumberStandsForAName() {
        var fence = Fence(name: "home")
        fence.latitude = 1
        #expect([fence].name(ofNumber: fence.number) == "home")
        #expect([fence].name(ofNumber: 7) == nil)
        #expect(fence.number > 0)
    }
}
