import Domains
import Core
import Testing

@Suite struct DomainSettingsTests {
    /// The settings of a domain that no list names.
    private struct Probe: DomainSettings {
        var limit = 7

        init() {}

        static var section: SettingSection<Probe> {
            SettingSection("probe", "A probe.", [SettingKey("limit", .number(1...9), \.limit, "A limit.")])
        }
    }

    private struct Whole {
        var domains = DomainValues()
    }

    private let section = Probe.sections(at: \Whole.domains)[0]

    @Test func valuesThatWereNeverSetAreTheDefaults() {
        #expect(DomainValues()[Probe.self].limit == 7)
        #expect(section.keys.map { $0.text(Whole()) } == ["7"])
    }

    @Test func aKeyReadsItsValueIntoThePlaceOfItsDomain() throws {
        let key = try #require(section.keys.first)
        var whole = Whole()
        #expect(key.assign("3", &whole))
        #expect(whole.domains[Probe.self].limit == 3)
        #expect(!key.assign("10", &whole) && whole.domains[Probe.self].limit == 3, "not allowed")
        #expect(whole.domains[MotionSettings.self] == MotionSettings(), "another domain's")
        key.reset(&whole, Whole())
        #expect(whole.domains == DomainValues())
    }

    @Test func valuesCompareByWhatTheySay() {
        var one = DomainValues()
        var other = DomainValues()
        one[Probe.self].limit = 3
        one[LocationSettings.self].gpsdPort = 1
        other[LocationSettings.self].gpsdPort = 1
        #expect(one != other && other != one)
        other[Probe.self].limit = 3
        #expect(one == other)
    }
}
