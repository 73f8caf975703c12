import Consent
import Testing

@Suite struct DomainTests {
    @Test func everyToggleIsOffAtFirst() {
        #expect(Domain.allCases.allSatisfy { !Toggles().allows($0) })
    }

    @Test(arguments: Domain.allCases)
    func aToggleChangesNoOther(domain: Domain) {
        var toggles = Toggles()
        toggles.set(domain, to: true)
        #expect(Domain.allCases.filter(toggles.allows) == [domain])
        toggles.set(domain, to: false)
        #expect(toggles == Toggles())
    }

    @Test(arguments: Domain.allCases)
    func namesAreReadBack(domain: Domain) {
        #expect(Domain(domain.description) == domain)
    }

    @Test func stepsAndSleepShareThePermissionForHealth() {
        #expect(Domain.allCases.filter { $0.permission == .health } == [.steps, .sleep])
    }

    @Test func anUnknownNameIsNoDomain() {
        #expect(Domain("Motion") == nil)
        #expect(Domain("") == nil)
    }
}
