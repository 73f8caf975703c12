import Domains
import Store
import System
import Core
import RightClock
import Testing

/// Visits in `anicca days` and `anicca status`.
@Suite struct VisitsTests {
    private let day = UTCDay(daysSinceEpoch: 20_101)
    private let home = Fence(name: "home")
    private static let fence = "[fence \"home\"]\nlatitude = 52.5\nlongitude = 13.4\n"

    @Test func daysShowTheirVisitsByTheNamesOfFences() throws {
        let device = try TestDevice(Self.fence)
        let ledger = try store(of: device)
        try keep(
            [
                visit(at: 6 * 60, until: 7 * 60 + 40, home.number), visit(at: 8 * 60 + 12, until: nil, 0),
                visit(at: 22 * 60, until: 30 * 60 + 5, home.number + 1),
            ], in: ledger)
        let outcome = try device.anicca("days")
        #expect(
            outcome.lines == [
                "date        steps  delivery",
                "2025-01-13   9000  -",
                "    06:00–07:40  home",
                "    08:12–?  a place",
                "    22:00–2025-01-14 06:05  a place",
            ])
        let days: [[String: Any]] = try device.anicca("days", "--json").json()
        let visits = try #require(days.first?["visits"] as? [[String: Any]])
        #expect(visits.map { $0["place"] as? String } == ["home", nil, nil])
        #expect(visits.map { $0["left"] as? String } == ["2025-01-13T07:40:00Z", nil, "2025-01-14T06:05:00Z"])
        #expect(visits[0]["arrived"] as? String == "2025-01-13T06:00:00Z")
    }

    @Test func aDayOfVisitsAloneIsADay() throws {
        let device = try TestDevice(Self.fence)
        let ledger = try store(of: device, withSteps: false)
        try keep([visit(at: 24 * 60 + 9 * 60, until: 34 * 60, home.number)], in: ledger)
        let outcome = try device.anicca("days")
        #expect(outcome.lines == ["date        delivery", "2025-01-14  -", "    09:00–10:00  home"])
        #expect(try device.anicca("days", "--limit", "1").lines == outcome.lines)
    }

    @Test func coordinatesAreNotShown() throws {
        let device = try TestDevice(Self.fence)
        let ledger = try store(of: device)
        let position = try #require(Coordinates(latitude: 52.5163, longitude: 13.3777))
        try keep(
            [
                .visit(Visit(arrived: day.start, left: nil, place: 0, position: position)),
                .passed(day.start + .hours(1), position),
            ], in: ledger)
        for command in ["days", "status"] {
            for format in [[], ["--json"]] {
                let outcome = try AniccaProgram.run([command] + format + ["--config", device.configPath])
                #expect(outcome.status == 0)
                #expect(!outcome.output.contains("52.5") && !outcome.output.contains("13.3"))
            }
        }
    }

    @Test func statusTellsThePresentVisit() throws {
        let device = try TestDevice(Self.fence)
        let ledger = try store(of: device)
        try keep(
            [visit(at: 6 * 60, until: 7 * 60, 0), visit(at: 8 * 60 + 12, until: nil, home.number)], in: ledger)
        #expect(
            try device.anicca("status").output.contains(
                "Visits\n  now               home, since 2025-01-13T08:12:00Z\n"))
        let visits = try device.status("location")?["visits"] as? [[String: Any]]
        #expect(visits?.map { $0["place"] as? String } == ["home"])
        #expect(visits?.map { $0["present"] as? Bool } == [true])
        #expect(try device.anicca("days").output.contains("    08:12–now  home\n"))

        try ledger.change([.turn(.location, on: false)], at: day.end)
        #expect(try !device.anicca("status").output.contains("Visits"))
        #expect(try device.anicca("days").output.contains("    08:12–?  home\n"))
    }

    @Test func statusTellsTodaysVisits() throws {
        let device = try TestDevice(Self.fence)
        let ledger = try store(of: device)
        let today = UTCDay(containing: Instant.nowFarFromMidnight().wall)
        let span = Visit(
            arrived: today.start - .hours(2), left: today.start + .minutes(90), place: home.number, position: nil)
        let short = Visit(
            arrived: today.start + .minutes(100), left: today.start + .minutes(130), place: 0, position: nil)
        try keep([.visit(span), .visit(short)], in: ledger)
        #expect(try device.anicca("time", "confirm").status == 0)
        let output = try device.anicca("status").output
        let yesterday = today + -1
        #expect(
            output.contains(
                """
                Visits
                  today             \(yesterday) 22:00–01:30  home
                                    01:40–02:10  a place

                """))
    }

    @Test func withoutVisitsNothingIsSaid() throws {
        let device = try TestDevice(Self.fence)
        try store(of: device)
        #expect(try !device.anicca("status").output.contains("Visits"))
        #expect(try device.status("location") == nil)
    }

    /// With location on, and steps of one day.
    @discardableResult
    private func store(of device: TestDevice, withSteps: Bool = true) throws -> Ledger {
        let ledger = try device.makeStore()
        try ledger.change([.reply(.location, .agreedWholly(to: .location))], at: day.start)
        if withSteps {
            try ledger.change([.reply(.steps, .agreedWholly(to: .health))], at: day.start)
            let steps = ClosedDay(day: day, figures: [.init(.steps, 9000), .init(.rawPulses, 9100)])
            try ledger.commit(Batch(checkpoint: [], closedDays: [steps]))
            try ledger.dropExpired(olderThan: .zero, at: right((day + 8).start))
        }
        return ledger
    }

    private func keep(_ notes: [PlaceNote], in ledger: Ledger) throws {
        try ledger.commit(Batch(checkpoint: [], notes: notes.map { BookNote($0) }))
    }

    /// - Parameters:
    ///   - start: in minutes of the day, like `end`.
    private func visit(at start: Int64, until end: Int64?, _ place: Int32) -> PlaceNote {
        .visit(
            Visit(
                arrived: day.start + .minutes(start), left: end.map { day.start + .minutes($0) }, place: place,
                position: nil))
    }
}
