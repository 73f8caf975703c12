import Domains
import Testing

@Suite struct DomainTests {
    @Test func everyToggleIsOffAtFirst() {
        #expect(Domain.all.allSatisfy { !DomainSet().allows($0) })
    }

    @Test(arguments: Domain.all)
    func aToggleChangesNoOther(domain: Domain) {
        var toggles = DomainSet()
        toggles.set(domain, to: true)
        #expect(Domain.all.filter(toggles.allows) == [domain])
        toggles.set(domain, to: false)
        #expect(toggles == DomainSet())
    }

    @Test(arguments: Domain.all)
    func namesAndIDsAreReadBack(domain: Domain) {
        #expect(Domain(domain.description) == domain)
        #expect(Domain(id: domain.id) == domain)
        #expect(Permission(domain.permission.description) == domain.permission)
        #expect(Permission(id: domain.permission.id) == domain.permission)
    }

    @Test func dataOfTheBodySharesThePermissionForHealth() {
        #expect(Domain.all.filter { $0.permission == .health } == [.steps, .sleep, .walks])
        #expect(Permission.health.domains == [.steps, .sleep, .walks])
    }

    @Test func anUnknownNameOrIDIsNoDomain() {
        #expect(Domain("Motion") == nil)
        #expect(Domain("") == nil)
        #expect(Domain(id: 0) == nil && Domain(id: 200) == nil)
        #expect(Permission(id: 0) == nil && Figure(id: 0) == nil && EventKind(id: 0) == nil)
    }

    @Test func aFirstRunAsksInTheOrderOfTheSpecification() {
        #expect(Permission.all == [.screenTime, .phone, .health, .motion, .heart, .location, .alarm])
    }

    /// Stored data is read by these numbers: one that is used twice is read as something else.
    @Test func noNumberAndNoNameIsUsedTwice() {
        #expect(areDistinct(Domain.all.map(\.id)) && areDistinct(Domain.all.map(\.description)))
        #expect(areDistinct(Permission.all.map(\.id)) && areDistinct(Permission.all.map(\.description)))
        #expect(areDistinct(Permission.all.map(\.order)))
        #expect(areDistinct(Figure.all.map(\.id)) && areDistinct(Figure.all.map(\.description)))
        #expect(areDistinct(EventKind.all.map(\.id)) && areDistinct(EventKind.all.map(\.description)))
        #expect(areDistinct(Domain.all.flatMap(\.scopes).map(\.scope.rawValue)))
        #expect(Domain.all.allSatisfy { (1...63).contains($0.id) })
        #expect(Figure.all.allSatisfy { $0.tellsObserved || $0.id <= 192 })
    }

    @Test(arguments: Domain.all)
    func theLeastScopeIsPartOfTheWholeAndNotEmpty(domain: Domain) {
        #expect(!domain.leastScope.isEmpty && domain.leastScope.isSubset(of: domain.wholeScope))
        #expect(domain.wholeScope.isSubset(of: domain.permission.wholeScope))
        #expect(domain.figures.allSatisfy { $0.domain == domain } && domain.events.allSatisfy { $0.domain == domain })
    }
}

/// A domain that this version does not know leaves the others alone.
@Suite struct ForeignDomainTests {
    private static func foreign(_ id: UInt8) -> Domain {
        Domain(
            id: id, name: "foreign", permission: Permission(id: 60, order: 60, name: "foreign", title: "Foreign"),
            scopes: [ScopePart(Scope(id: 40), "foreign")], least: Scope(id: 40), hardware: .nothing,
            words: DomainWords(purpose: "", collected: "", whenOn: "", whenOff: "", policy: ""))
    }

    static let foreignIDs: [UInt8] = (1...63).filter { Domain(id: $0) == nil }

    @Test(arguments: foreignIDs)
    func aFurtherDomainIsHeldApartFromTheOthers(id: UInt8) {
        var set: DomainSet = [.motion, .alarm]
        set.set(Self.foreign(id), to: true)
        #expect(Domain.all.filter(set.allows) == [.motion, .alarm])
        #expect(set.allows(Self.foreign(id)))
        set.remove(Self.foreign(id))
        #expect(set == [.motion, .alarm])
    }

    @Test(arguments: [0, 64, 65, 70, 128, 255] as [UInt8])
    func whatHasNoPlaceInASetIsNeverAllowed(id: UInt8) {
        var set = DomainSet.everything
        set.set(Self.foreign(id), to: true)
        #expect(!set.allows(Self.foreign(id)) && !DomainSet(Self.foreign(id)).allows(Self.foreign(id)))
        #expect(set == .everything)
        set.set(Self.foreign(id), to: false)
        #expect(set == .everything)
    }

    @Test func setsAreJoinedAndTakenFromEachOther() {
        let set: DomainSet = [.motion, .steps]
        #expect(set.union([.alarm]).subtracting([.motion]) == [.steps, .alarm])
        #expect(set.symmetricDifference([.steps, .sleep]) == [.motion, .sleep])
        #expect(set.isDisjoint(with: [.sleep, .alarm]) && !set.isDisjoint(with: [.steps]))
        #expect(DomainSet.everything.isSuperset(of: DomainSet(Domain.all)))
    }
}

@Suite struct ByIDTests {
    @Test func anIDThatWasGivenNoneHasTheUsualValue() {
        var table = ByID(usual: 7)
        table[200] = 1
        table[3] = 2
        #expect([table[0], table[3], table[199], table[200]] == [7, 2, 7, 1])
        #expect(table.ids == [3, 200])
    }

    @Test func contentsCompareWhateverTheOrderOfWriting() {
        var one = ByID(usual: 0)
        var other = ByID(usual: 0)
        one[1] = 5
        one[2] = 6
        other[2] = 6
        other[9] = 1
        other[1] = 5
        #expect(one != other)
        other[9] = 0
        #expect(one == other)
    }
}

private func areDistinct<Value: Hashable>(_ values: [Value]) -> Bool { Set(values).count == values.count }
