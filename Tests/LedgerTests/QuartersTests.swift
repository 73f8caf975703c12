import Domains
import Quantities
import Testing

@testable import Ledger

@Suite struct QuartersTests {
    let store: TestStore
    let ledger: Ledger
    let boot: BootID

    init() throws {
        store = try TestStore()
        ledger = try store.open()
        boot = try #require(BootID("0b6f8c52-91d3-4e7a-8a40-5f3d2c1b0a99\n"))
        try ledger.allowMotionAndSteps()
    }

    private func keep(_ steps: Int64, _ index: Int32, in boot: BootID? = nil) throws {
        let figures = [
            (entry: ClosedDay.Entry(.steps, steps), consent: ConsentEntry.ID(4)), (.init(.sedentaryMinutes, 7), 2),
        ]
        try ledger.keep(figures, ofQuarter: index, in: boot ?? self.boot)
    }

    @Test func quartersWaitForTheClockOfTheirBootAndHaveADateThen() throws {
        try keep(10, 0)
        try keep(20, 95)
        var quarters = try store.cut().open().quarters(of: boot)
        #expect(quarters.map(\.index) == [0, 95] && quarters.allSatisfy { $0.start == nil })
        #expect(quarters[1].figures.map(\.value) == [20, 7] && quarters[1].figures.map(\.consent) == [4, 2])
        try ledger.date(boot, began: someDay.start)
        quarters = try store.open(.visitor).quarters(of: boot)
        #expect(quarters.map(\.start) == [someDay.start, someDay.end - .minutes(15)])
    }

    @Test func aQuarterIsReplacedAndBootsStayApart() throws {
        let other = try #require(BootID("ffffffff-ffff-ffff-ffff-ffffffffffff"))
        try keep(10, 3)
        try keep(11, 3)
        try keep(99, 3, in: other)
        #expect(try ledger.quarters(of: boot).flatMap(\.figures).map(\.value) == [11, 7])
        #expect(try ledger.quarters(of: other).flatMap(\.figures).map(\.value) == [99, 7])
    }

    @Test(arguments: [
        "UPDATE quarter SET quarter = quarter + 1", "UPDATE quarter SET consent = consent + 1",
        "UPDATE quarter SET sealed = zeroblob(50)", "UPDATE quarter SET boot = 2",
    ])
    func aQuarterThatWasChangedHasNoValue(sql: String) throws {
        try keep(10, 3)
        try ledger.database.execute(sql)
        #expect(try ledger.quarters(of: boot).flatMap(\.figures).allSatisfy { $0.value == nil })
    }

    @Test(arguments: ["UPDATE boot SET sealed = x'00'", "UPDATE quarter SET quarter = 9223372036854775807"])
    func aClockOrNumberThatWasChangedDatesNothing(sql: String) throws {
        try keep(10, 3)
        try ledger.date(boot, began: someDay.start)
        try ledger.database.execute(sql)
        #expect(try ledger.quarters(of: boot).allSatisfy { $0.start == nil })
    }

    @Test func forgettingADomainDeletesItsQuarters() throws {
        try keep(10, 3)
        _ = try ledger.forget([.steps], at: noon(someDay)) { _ in nil }
        #expect(try ledger.quarters(of: boot).flatMap(\.figures).map(\.figure) == [.sedentaryMinutes])
    }

    @Test func aBootIsKnownByTheKernelsOwnText() throws {
        #expect(BootID("0b6f8c52") == nil && BootID("zb6f8c52-91d3-4e7a-8a40-5f3d2c1b0a99") == nil)
        #expect(boot == BootID("0B6F8C5291D34E7A8A405F3D2C1B0A99") && boot.bytes.count == 16)
    }
}
