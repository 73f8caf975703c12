import Domains
import Store
import Core
import RightClock
import SimulatedBus
import Testing

@Suite struct WhyTests {
    private let day = UTCDay(daysSinceEpoch: 20_101)
    private let device: TestDevice
    private let ledger: Ledger

    init() throws {
        device = try TestDevice()
        ledger = try device.makeStore()
        for domain in [Domain.motion, .steps, .sleep, .screenTime] {
            try ledger.change([.reply(domain, .agreedWholly(to: domain.permission))], at: day.start)
        }
    }

    /// A quarter of the day with these amounts, given in the unit in which they are kept.
    private func quarter(_ number: Int, _ amounts: [(Figure, Int64)]) -> Quarter {
        Quarter(
            boot: rightBoot, start: BootTime(nanoseconds: day.start.nanoseconds) + .minutes(15) * Int64(number),
            amounts: amounts.map { Quarter.Amount($0.0.id, $0.1) })
    }

    /// Stores the quarters, and ends the day.
    private func close(_ quarters: [Quarter]) throws {
        let end = day.end + .hours(1)
        let reading = BootReading(id: rightBoot, seen: BootTime(nanoseconds: end.nanoseconds), clock: rightClock)
        try ledger.commit(
            Batch(
                checkpoint: [], collected: Collected(quarters: quarters, boots: [reading], settled: right(end)),
                consentRevision: .max))
    }

    private func why() throws -> [String: Any] { try device.anicca("why", "2025-01-13", "--json").json() }

    private func reasons() throws -> [String] {
        try #require(try why()["leftOut"] as? [[String: Any]]).map { omission in
            let times = ["from", "to"].map { String("\(omission[$0] ?? "")".dropFirst(11).prefix(5)) }
            return "\(times[0]) \(times[1]) \(omission["reason"] ?? "")"
        }
    }

    private static let minute: Int64 = 60_000_000_000

    @Test(arguments: [1, 2, 3] as [UInt64]) func theSumsAreThoseOfTheRecord(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        try close(
            (0..<96).filter { _ in Int.random(in: 0..<4, using: &random) > 0 }.map { number in
                let worn = Int64.random(in: 0...15 * Self.minute, using: &random)
                var amounts: [(Figure, Int64)] = [
                    (.socialMinutes, Int64.random(in: 0...worn, using: &random)),
                    (.steps, Int64.random(in: 0...1500, using: &random)),
                    (.sedentaryMinutes, Int64.random(in: 0...worn, using: &random)),
                    (.rawPulses, Int64.random(in: 0...2000, using: &random)), (.wornMinutes, worn),
                ]
                if number % 30 == 29 {
                    amounts.insert((.sleepDuration, Int64.random(in: 20...500, using: &random)), at: 0)
                    amounts.insert((.wakeAt, Int64.random(in: 1...900_000, using: &random)), at: 1)
                }
                return quarter(number, amounts)
            })
        let days: [[String: Any]] = try device.anicca("days", "--json").json()
        let record = try #require(days.first)
        let explained = try why()
        #expect(explained["state"] as? String == "closed" && explained["delivery"] as? String == "queued")
        let figures = try #require(explained["figures"] as? [[String: Any]])
        #expect(
            figures.compactMap { $0["figure"] as? String }
                == ["sleepDurationMin", "wakeAt", "snsMinutesTotal", "steps", "sedentaryMinutes"])
        for figure in figures {
            let name = try #require(figure["figure"] as? String)
            let quarters = try #require(figure["quarters"] as? [[String: Any]])
            #expect("\(figure["value"] ?? "")" == "\(record[name] ?? "-")", "\(name)")
            #expect("\(figure["recorded"] ?? "")" == "\(record[name] ?? "-")", "\(name)")
            if name == "wakeAt" || name == "sleepDurationMin" {
                #expect(quarters.count == 1 && "\(quarters[0]["value"] ?? "")" == "\(record[name] ?? "-")", "\(name)")
            } else if figure["unit"] as? String == "min" {
                let sum = quarters.compactMap { $0["nanoseconds"] as? Int64 }.reduce(0, +)
                #expect((sum + Self.minute / 2) / Self.minute == record[name] as? Int64, "\(name)")
            } else {
                #expect(quarters.compactMap { $0["value"] as? Int64 }.reduce(0, +) == record[name] as? Int64, "\(name)")
            }
        }
        let text = try device.anicca("why", "2025-01-13")
        #expect(text.status == 0 && text.lines.allSatisfy { $0.count <= 80 }, "\(text.output)")
        #expect(text.lines.contains { $0.hasPrefix("steps ") && $0.contains("\(record["steps"] ?? "-"), from ") })
    }

    @Test func aRowHasOneLineAndTheRestOfTheColumnsIsAsked() throws {
        let all: [(Figure, Int64)] = Figure.shown.map { ($0, $0.form == .time ? 1000 : Self.minute) }
        try close((0..<96).map { quarter($0, all) })
        let text = try device.anicca("why", "2025-01-13").lines
        #expect(text.allSatisfy { $0.count <= 80 }, "\(text)")
        let heading = try #require(text.first { $0.hasPrefix("quarter ") })
        let rows = text.filter { $0.dropFirst(2).hasPrefix(":") }
        #expect(rows.count == 96 && rows.allSatisfy { $0.split(separator: " ").count == columns(heading) })
        let more = try #require(text.first { $0.hasPrefix("with --all also: ") })
        let wide = try device.anicca("why", "2025-01-13", "--all").lines
        let whole = try #require(wide.first { $0.hasPrefix("quarter ") })
        #expect(columns(whole) == columns(heading) + more.split(separator: ",").count)
        #expect(!wide.contains { $0.hasPrefix("with --all") })
    }

    private func columns(_ heading: String) -> Int { heading.split(separator: " ").count }

    @Test func saysWhatWasLeftOutAndWhy() throws {
        let worn: [(Figure, Int64)] = [(.steps, 100), (.sedentaryMinutes, 0), (.wornMinutes, 15 * Self.minute)]
        let off: [(Figure, Int64)] = [(.steps, 0), (.sedentaryMinutes, 0), (.wornMinutes, 0)]
        let still: [(Figure, Int64)] = [(.sedentaryMinutes, 5 * Self.minute), (.wornMinutes, 15 * Self.minute)]
        try close((0..<96).filter { $0 / 4 != 3 }.map { quarter($0, $0 < 8 ? off : $0 == 50 ? still : worn) })
        try ledger.change([.turn(.steps, on: false)], at: day.start + .hours(20))
        #expect(
            try reasons() == [
                "00:00 02:00 not worn", "03:00 04:00 no data: all domains were off, or aniccad did not run",
                "12:30 12:45 steps: not collected: off, or its device was missing",
            ])
        let lines = try device.anicca("why", "2025-01-13").lines
        #expect(lines.contains("  20:00           steps toggle: on, then off, by the wearer"), "\(lines)")
        #expect(lines.contains { $0.hasPrefix("12:30  ") && $0.contains("-") })
        #expect(lines.allSatisfy { $0.count <= 80 })
    }

    /// By domain, the observed minutes, and the lost ones by reason.
    private func coverage(_ domain: Domain) throws -> [String: Int]? {
        let all = try #require(try why()["coverage"] as? [[String: Any]])
        guard let one = all.first(where: { $0["domain"] as? String == "\(domain)" }) else { return nil }
        var minutes = try #require(one["lostMinutes"] as? [String: Int])
        minutes["observed"] = one["observedMinutes"] as? Int
        return minutes
    }

    @Test func observedAndLostMinutesAddUpToTheDay() throws {
        let steps = (Domain.steps.observed, 15 * Self.minute)
        let motion = (Domain.motion.observed, 14 * Self.minute)
        try close(
            (0..<96).filter { $0 < 12 || $0 >= 24 }.map { number in
                quarter(
                    number,
                    [(.sedentaryMinutes, 0), (.wornMinutes, Self.minute), motion] + (number < 80 ? [steps] : []))
            })
        try ledger.change([.turn(.steps, on: false)], at: day.start + .hours(20))
        #expect(try coverage(.steps) == ["observed": 68 * 15, "off": 240, "silent": 180])
        #expect(try coverage(.motion) == ["observed": 84 * 14, "silent": 180 + 84])
        #expect(try coverage(.sleep) == ["observed": 0, "silent": 1440])
        #expect(try coverage(.location) == nil && reasons().isEmpty)
        let lines = try device.anicca("why", "2025-01-13").lines
        #expect(lines.contains("  motion      observed 1176 min, worn 84, lost: silent 264"), "\(lines)")
        let listed = try device.anicca("days").lines
        #expect(listed.last == "* of a part of the day: anicca why DATE" && listed[1].contains(" 0*"), "\(listed)")
        let days: [[String: Any]] = try device.anicca("days", "--json").json()
        #expect(days[0]["observedMinutes"] as? [String: Int] == ["motion": 1176, "steps": 1020])
        #expect(days[0]["partOfDay"] as? [String] == ["sedentaryMinutes", "wornMinutes"])
    }

    @Test func aDayOfAnEarlierVersionIsNotKnown() throws {
        try close((0..<96).map { quarter($0, [(.steps, 10)]) })
        #expect(try coverage(.steps) == ["unknown": 1440])
        #expect(try device.anicca("days").lines.allSatisfy { !$0.contains("*") })
        #expect(try device.anicca("why", "2025-01-13").output.contains("observed not known, lost: not known 1440"))
    }

    /// Three hours without power, in which a boot without a date ran for one.
    @Test func timeBetweenTwoBootsIsWithoutPower() throws {
        let second = BootID(high: 2, low: 2)
        let unknown = BootID(high: 3, low: 3)
        func quarters(_ boot: BootID, _ count: Int) -> [Quarter] {
            (0..<count).map { number in
                Quarter(
                    boot: boot, start: BootTime(nanoseconds: 0) + .minutes(15) * Int64(number),
                    amounts: [
                        Quarter.Amount(Figure.steps.id, 1), Quarter.Amount(Domain.steps.observed.id, 15 * Self.minute),
                    ])
            }
        }
        let stop = BootTime(nanoseconds: (day.start + .hours(10)).nanoseconds)
        let began = TrustedClock(
            began: day.start + .hours(13), source: .kernel, since: BootTime(nanoseconds: 0), isAgreed: true)
        let boots = [
            BootReading(id: rightBoot, seen: stop, clock: rightClock),
            BootReading(id: unknown, seen: BootTime(nanoseconds: 0) + .hours(1), clock: nil),
            BootReading(id: second, seen: BootTime(nanoseconds: 0) + .hours(12), clock: began),
        ]
        let first = (0..<40).map { quarter($0, [(.steps, 1), (Domain.steps.observed, 15 * Self.minute)]) }
        try ledger.commit(
            Batch(
                checkpoint: [],
                collected: Collected(
                    quarters: first + quarters(unknown, 4) + quarters(second, 44), boots: boots,
                    settled: right(day.end + .hours(1))), consentRevision: .max))
        #expect(try coverage(.steps) == ["observed": 1320, "noPower": 120])
    }

    @Test func aDayThatWasHardlyWornSaysSo() throws {
        let amounts: [(Figure, Int64)] = [(.sedentaryMinutes, Self.minute), (.wornMinutes, 7 * Self.minute)]
        try close([quarter(40, amounts)])
        let outcome = try device.anicca("why", "2025-01-13")
        #expect(outcome.output.contains("worn for 7 min, less than 10: nothing that needs wear is sent"))
        #expect(outcome.output.contains("sedentaryMinutes  left out"))
        #expect(outcome.output.hasPrefix("2025-01-13 (UTC): closed, there is no record to send\n"))
    }

    @Test func whatIsSentSaysSo() throws {
        try close([quarter(40, [(.steps, 500)])])
        let record = try #require(try ledger.queued().first)
        try ledger.markDelivered(record.id, by: 1, of: [1], at: right(day.end + .hours(4)))
        #expect(
            try device.anicca("why", "2025-01-13").output.hasPrefix("2025-01-13 (UTC): closed, its record is sent\n"))
        #expect(try why()["state"] as? String == "final")
    }

    @Test(arguments: [
        ("2025-13-01", 64, "the date 2025-13-01 is not a date"), ("2025-02-01", 69, "nothing is stored of 2025-02-01"),
    ])
    func aDayThatIsNoneSaysSo(date: String, status: Int32, said: String) throws {
        let outcome = try device.anicca("why", date)
        #expect(outcome.status == status && outcome.output.isEmpty)
        #expect(outcome.messages.contains(said))
    }
}
