import Consent
import Quantities
import Testing
import Vault

@testable import Ledger

@Suite struct ConsentTests {
    let store: TestStore
    let ledger: Ledger

    init() throws {
        store = try TestStore()
        ledger = try store.open()
    }

    @Test func everythingIsOffAtFirst() throws {
        #expect(try ledger.toggles() == [])
        #expect(try ledger.trail().isEmpty)
        #expect(try ledger.currentEntry(for: .motion) == nil)
    }

    @Test func aTurnedToggleIsStoredWithWhenWhatAndByWhom() throws {
        let id = try ledger.setToggle(.sleep, on: true, at: noon(someDay), by: .wearer)
        let entry = try #require(try ledger.currentEntry(for: .sleep))
        #expect(entry.id == id)
        #expect(entry.at == noon(someDay) && entry.domain == .sleep && entry.by == .wearer)
        #expect(entry.change == .toggle(from: false, to: true))
        #expect(try store.open(.visitor).toggles() == Toggles(.sleep))
    }

    @Test func domainsAreToggledWithoutDisturbingOneAnother() throws {
        for domain in Domain.allCases { try ledger.setToggle(domain, on: true, at: noon(someDay), by: .wearer) }
        try ledger.setToggle(.location, on: false, at: noon(someDay), by: .kernel)
        for domain in Domain.allCases { #expect(try ledger.toggles().allows(domain) == (domain != .location)) }
    }

    @Test func settingWhatIsAlreadySoAddsNoEntry() throws {
        #expect(try ledger.setToggle(.motion, on: false, at: noon(someDay), by: .wearer) == nil)
        let first = try ledger.setToggle(.motion, on: true, at: noon(someDay), by: .wearer)
        #expect(try ledger.setToggle(.motion, on: true, at: noon(someDay.next), by: .administrator) == first)
        #expect(try ledger.trail().count == 1)
    }

    @Test func theTrailKeepsEveryChangeInOrder() throws {
        for (index, isOn) in [true, false, true, false].enumerated() {
            try ledger.setToggle(.steps, on: isOn, at: noon(someDay + index), by: .wearer)
        }
        let trail = try ledger.trail()
        #expect(trail.map(\.isOn) == [true, false, true, false])
        #expect(trail.map(\.at) == (0..<4).map { noon(someDay + $0) })
        #expect(trail.map(\.id) == [1, 2, 3, 4])
    }

    @Test(arguments: ["DELETE FROM consent", "UPDATE consent SET domain = 2"])
    func noStatementShortensOrChangesTheTrail(sql: String) throws {
        try ledger.setToggle(.steps, on: true, at: noon(someDay), by: .wearer)
        #expect(throws: LedgerError.self) { try ledger.database.execute(sql) }
        #expect(try ledger.trail().count == 1)
    }

    @Test(arguments: [
        "UPDATE consent SET domain = 1 WHERE id = 1",
        "UPDATE consent SET sealed = (SELECT sealed FROM consent WHERE id = 2) WHERE id = 1",
        "UPDATE consent SET id = 7 WHERE id = 1",
    ])
    func anEntryThatWasMovedOrReplacedAllowsNothing(sql: String) throws {
        try ledger.setToggle(.steps, on: true, at: noon(someDay), by: .wearer)
        try ledger.setToggle(.sleep, on: true, at: noon(someDay), by: .wearer)
        try ledger.database.execute("DROP TRIGGER consent_is_never_changed; \(sql)")
        #expect(try ledger.toggles() == Toggles(.sleep))
        #expect(throws: LedgerError.self) { try ledger.trail() }
        try ledger.setToggle(.steps, on: true, at: noon(someDay), by: .wearer)
        #expect(try ledger.toggles().allows(.steps), "the wearer can turn it on again")
    }
}
