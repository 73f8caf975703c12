import Domains
import Core
import RightClock
import Testing

@testable import Store

/// The book of places: visits and, with their scope, coordinates.
@Suite struct PlacesTests {
    private let store: TestStore
    private let ledger: Ledger
    private let here = Coordinates(latitude: 52.516_321, longitude: 13.377_123)

    init() throws {
        store = try TestStore()
        ledger = try store.open()
    }

    private func agree(_ scope: Scope) throws {
        try ledger.change([.reply(.location, .agreed(scope))], at: noon(someDay))
    }

    private func visit(_ hour: Int64, left: Int64? = nil, on day: UTCDay = someDay) -> PlaceNote {
        .visit(
            Visit(
                arrived: day.start + .hours(hour), left: left.map { day.start + .hours($0) }, place: 7, position: here))
    }

    private func places() throws -> [(day: UTCDay, row: PlaceDay)] { try ledger.bookDays() }

    private func keep(_ notes: [PlaceNote], asOf revision: ConsentEntry.ID = .max) throws {
        try ledger.commit(Batch(checkpoint: [1], notes: notes.map { BookNote($0) }, consentRevision: revision))
    }

    @Test func aVisitThatEndedReplacesTheOneThatWentOn() throws {
        try agree([.placeEvents, .coordinates])
        try keep([visit(8), visit(22)])
        try keep([visit(8, left: 9)])
        try keep([visit(3, on: someDay.next)])
        let places = try places()
        #expect(places.map(\.day) == [someDay, someDay.next])
        #expect(places[0].row.visits.map(\.left) == [someDay.start + .hours(9), nil])
        #expect(places[0].row.visits.map(\.position) == [here, here])
    }

    @Test func withoutTheScopeNoCoordinateIsStored() throws {
        try agree(.placeEvents)
        let here = try #require(here)
        try keep([visit(8), .passed(someDay.start + .hours(9), here)])
        #expect(try places().map(\.row.visits.count) == [1])
        #expect(try places().allSatisfy { $0.row.passed.isEmpty && $0.row.visits[0].position == nil })
    }

    @Test func aNarrowerScopeDeletesTheCoordinatesAndKeepsTheVisits() throws {
        try agree([.placeEvents, .coordinates])
        let here = try #require(here)
        try keep([visit(8), .passed(someDay.start + .hours(9), here), .passed(someDay.next.start, here)])
        try ledger.change([.decide(.location, .agreed(.placeEvents))], at: noon(someDay))
        let places = try places()
        #expect(places.map(\.row.visits.count) == [1] && places[0].row.visits[0].position == nil)
        #expect(places[0].row.passed.isEmpty)
    }

    @Test func nothingIsKeptThatTheWearerDidNotAllow() throws {
        try keep([visit(8)])
        #expect(try places().isEmpty)
        try agree(.placeEvents)
        let before = try ledger.consent().lastEntry
        try ledger.change([.turn(.location, on: false)], at: noon(someDay))
        try ledger.change([.turn(.location, on: true)], at: noon(someDay) + .hours(1))
        try keep([visit(8)], asOf: before)
        #expect(try places().isEmpty, "from before it was turned on anew")
        try keep([visit(9)])
        #expect(try places().count == 1)
    }

    @Test func forgettingTakesThePlacesAndLeavesTheAlarms() throws {
        try agree(.placeEvents)
        try ledger.allow(.alarm)
        try keep([visit(8), visit(9, on: someDay.next)])
        try ledger.changeBook(NudgeBook.self) { $0 = NudgeBook() }
        let before = try ledger.consent().lastEntry
        let report = try ledger.forget([.location], at: noon(someDay)) { $0 }
        #expect(try report.historyValues == 2 && places().isEmpty)
        try keep([visit(8)], asOf: before)
        #expect(try places().isEmpty, "of before it was forgotten")
        try keep([visit(8)])
        _ = try ledger.forget([.alarm], at: noon(someDay)) { $0 }
        #expect(try places().count == 1)
    }

    @Test func placesEndWithHistory() throws {
        try agree(.placeEvents)
        let clock = TrustedClock(began: noon(someDay + 4), source: .kernel, since: BootTime(nanoseconds: 0))
        let seen = BootTime(nanoseconds: Interval.days(1).nanoseconds)
        try keep((0..<6).map { visit(8, on: someDay + $0) })
        try ledger.commit(
            Batch(
                checkpoint: [1],
                collected: Collected(
                    boots: [BootReading(id: BootID(high: 1, low: 1), seen: seen, clock: clock)],
                    settled: right((someDay + 5).start))), keepDays: 3)
        #expect(try places().map(\.day) == [2, 3, 4, 5].map { someDay + $0 })
    }

    @Test func aVisitWhoseArrivalMovesOverMidnightIsKeptOnce() throws {
        try agree(.placeEvents)
        let midnight = someDay.next.start
        for (arrived, left) in [(-20, nil), (15, nil), (-5, 3_600)] as [(Int64, Int64?)] {
            try keep([
                .visit(
                    Visit(
                        arrived: midnight + .seconds(arrived), left: left.map { midnight + .seconds($0) }, place: 7,
                        position: nil))
            ])
            let visits = try places().flatMap(\.row.visits)
            #expect(visits.map(\.arrived) == [midnight + .seconds(arrived)])
        }
    }

    @Test func aDayThatANewerVersionWroteIsRefusedAndLeftAsItIs() throws {
        try agree(.placeEvents)
        var newer = PlaceDay().bytes
        newer[0] += 1
        try ledger.transaction { (transaction) throws(LedgerError) in
            try transaction.write(newer, of: .places, BookRowName(.places, someDay), 1)
        }
        let refusal = LedgerError.newerPart(
            path: ledger.path, part: "the places of \(someDay)", found: newer[0], known: newer[0] - 1)
        #expect(throws: refusal) { try ledger.refuseNewerBooks() }
        #expect(throws: refusal) { try keep([visit(8)]) }
        #expect(
            try ledger.forget([.location], at: noon(someDay)) { $0 }.historyValues == 0, "the wearer's word deletes it")
        try ledger.refuseNewerBooks()
    }

    @Test func alarmsThatANewerVersionWroteAreRefusedAndLeftAsTheyAre() throws {
        var parts = try Parts(AlarmBook().bytes)
        let part = try #require(parts.all.first)
        parts.put(Parts.Kind(part.tag, version: part.version + 1), Array(part.content))
        try ledger.transaction { (transaction) throws(LedgerError) in
            try transaction.write(parts.bytes, of: .alarms, BookRowName(.alarms), 0)
        }
        let refusal = LedgerError.newerPart(
            path: ledger.path, part: "the alarms", found: part.version + 1, known: part.version)
        #expect(throws: refusal) { try ledger.refuseNewerBooks() }
        #expect(throws: refusal) { try ledger.changeBook(AlarmBook.self) { _ in } }
        #expect(try ledger.forget([.alarm], at: noon(someDay)) { $0 }.historyValues == 0)
        try ledger.refuseNewerBooks()
    }

    @Test func aChangedRowIsLeftOutAndTheOthersStay() throws {
        try agree(.placeEvents)
        try keep([visit(8), visit(8, on: someDay.next)])
        try ledger.tamper("UPDATE book SET id = id + 5 * 256 WHERE id = (SELECT min(id) FROM book)")
        #expect(try places().map(\.day) == [someDay.next])
        #expect(!ledger.changedTables.isEmpty)
    }
}
