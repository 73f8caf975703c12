import Core
import Testing

@testable import Domains

@Suite struct WearerProfileTests {
    private var whole: WearerProfile {
        var profile = WearerProfile()
        (profile.height, profile.weight, profile.born, profile.sex) = (178, 74, 1980, .male)
        return profile
    }

    @Test func itIsReadAsItWasWritten() throws {
        #expect(try WearerProfile(whole.bytes) == whole)
        #expect(try WearerProfile(WearerProfile().bytes) == WearerProfile())
        #expect(try WearerProfile([]) == WearerProfile())
    }

    @Test func eachPrefixAndEachChangedByteIsReadOrRefused() {
        let bytes = whole.bytes
        for count in 1..<bytes.count {
            #expect(throws: Unpacker.Malformed.self) { try WearerProfile(Array(bytes.prefix(count))) }
        }
        for index in bytes.indices {
            for value in [0, 1, 0x7F, 0xFF] as [UInt8] {
                var damaged = bytes
                damaged[index] = value
                guard let profile = try? WearerProfile(damaged) else { continue }
                #expect(profile.height.map(WearerProfile.heights.contains) ?? true)
                #expect(profile.weight.map(WearerProfile.weights.contains) ?? true)
                #expect(profile.born.map(WearerProfile.years.contains) ?? true)
            }
        }
    }

    @Test func aNewerVersionIsNotRead() {
        var parts = Parts()
        parts.put(Parts.Kind(1, version: 2), [])
        #expect(WearerProfile.newerPart(of: parts.bytes)?.found == 2)
        #expect(WearerProfile.newerPart(of: whole.bytes) == nil)
    }

    /// Harris and Benedict's tables: a man of 74 kg and 178 cm of 46 years has 1,664 kcal a day.
    @Test func energyAtRestIsThatOfThePaper() throws {
        #expect(abs(try #require(whole.restingEnergy(in: 2026)) * 1440 - 1664) < 2)
        #expect(whole.restingEnergy(in: nil) == Float(74) / 60)
        #expect(whole.restingEnergy(in: 1900) == Float(74) / 60)
        #expect(WearerProfile().restingEnergy(in: 2026) == nil)
    }

    @Test func theSexChangesTheStepByAQuarterOfAPerCent() throws {
        var profile = WearerProfile()
        #expect(profile.walkingHeight == nil)
        profile.height = 200
        #expect(profile.walkingHeight == 2)
        profile.sex = .female
        let her = try #require(profile.walkingHeight)
        profile.sex = .male
        let his = try #require(profile.walkingHeight)
        #expect(her < 2 && 2 < his && his / her < 1.01)
    }

    @Test func forgetCountsWhatWasGiven() {
        #expect(whole.tallies == [BookTally("bodily measure", 4)])
        #expect(WearerProfile().tallies == [BookTally("bodily measure", 0)])
    }
}
