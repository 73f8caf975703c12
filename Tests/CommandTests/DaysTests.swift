import Domains
import Store
import Core
import RightClock
import Testing

@Suite struct DaysTests {
    private let first = UTCDay(daysSinceEpoch: 20_101)

    @Test func beforeTheFirstDayHasEndedThereIsNothing() throws {
        let (device, _) = try TestDevice.withStore()
        let outcome = try device.anicca("days")
        #expect(outcome.status == 0)
        #expect(outcome.output.isEmpty)
        #expect(outcome.messages.contains("no day has ended yet"))
        #expect(try device.anicca("days", "--json").output == "[]\n")
    }

    @Test func aRowForEachDayNewestFirst() throws {
        let device = try TestDevice()
        try close(3, in: device.makeStore())
        let outcome = try device.anicca("days")
        #expect(outcome.status == 0)
        #expect(
            outcome.lines == [
                "date        steps  sit  delivery",
                "2025-01-15   9002    -  queued",
                "2025-01-14   9001    -  queued",
                "2025-01-13   9000  300  queued",
            ])
        #expect(
            try device.anicca("days", "--all", "--limit", "1").lines == [
                "date        steps  pulses  delivery",
                "2025-01-15   9002    9100  queued",
            ])
    }

    @Test func tellsWhereStepsCameFrom() throws {
        let (device, ledger) = try TestDevice.withStore()
        try close(2, in: ledger)
        let last = ClosedDay(day: first + 2, figures: [.init(.steps, 4321)])
        try ledger.commit(Batch(checkpoint: [], closedDays: [last]))
        #expect(
            try device.anicca("days").lines == [
                "date        steps  sit  steps from     delivery",
                "2025-01-15   4321    -  accelerometer  queued",
                "2025-01-14   9001    -  step sensor    queued",
                "2025-01-13   9000  300  step sensor    queued",
            ])
        let days: [[String: Any]] = try device.anicca("days", "--json").json()
        #expect(days.map { $0["stepSource"] as? String } == ["imu", "pulses", "pulses"])
    }

    /// Every figure of the record. What does not fit beside the others is below, with the date again.
    @Test func aDayOfAllDomainsIsNoWiderThan80Columns() throws {
        let (device, ledger) = try TestDevice.withStore()
        for domain in Figure.shown.map(\.domain) {
            try ledger.change([.reply(domain, .agreedWholly(to: domain.permission))], at: first.start)
        }
        let closed = ClosedDay(
            day: first,
            figures: Figure.shown.filter { $0.table == nil && $0.form != .time }.map { .init($0, FigureValue(1234)) })
        try ledger.commit(Batch(checkpoint: [], closedDays: [closed]))
        let lines = try AniccaProgram.linesOnTerminal(["days", "--config", device.configPath], columns: 80)
        #expect(lines.allSatisfy { $0.count <= 80 }, "\(lines)")
        #expect(lines.count == 4 && lines.filter { $0.hasPrefix("2025-01-13") }.count == 2, "\(lines)")
    }

    /// Kathmandu is 5 h 45 min ahead: the day begins at 18:15 UTC.
    @Test func theDaysOfTheWearersClockAreFoldedFromQuarters() throws {
        let device = try TestDevice("[wearer]\ntime-zone = Asia/Kathmandu")
        let store = try ReportStore(device)
        try store.keep((0..<2).flatMap { ReportStore.ordinary(first + $0) }, until: first + 1)
        let lines = try device.anicca("days", "--local").lines
        #expect(
            lines == [
                "date        night   woke  steps  sit",
                "2025-01-15      -      -     45  225",
                "2025-01-14    390  12:14   1683  915",
                "2025-01-13    390  12:14   1638  690",
            ], "\(lines)")
        let report = try device.anicca("report").lines
        #expect(report.suffix(lines.count + 1) == ["Days of the wearer's clock (Asia/Kathmandu):"] + lines, "\(report)")
        #expect(try device.anicca("report", "--html", "-").output.contains("(Asia/Kathmandu), newest first"))
        let rows: [[String: Any]] = try device.anicca("days", "--local", "--limit", "1", "--json").json()
        #expect(rows.map { $0["steps"] as? Int } == [45] && rows[0]["delivery"] == nil)
        for wrong in [["--csv"], ["--from", "2025-01-13"]] {
            #expect(
                try AniccaProgram.run(["days", "--local"] + wrong + ["--config", device.configPath]).status == 64)
        }
        let unknown = try TestDevice.withStore().0.anicca("days", "--local")
        #expect(unknown.status == 78 && unknown.messages.contains("set time-zone in [wearer]"))
    }

    @Test func tellsWhatHasBecomeOfEachRecord() throws {
        let (device, ledger) = try TestDevice.withStore()
        try close(5, in: ledger)
        let now = (first + 6).start
        let records = try ledger.queued()
        try ledger.markDelivered(records[0].id, by: 1, of: [1], at: right(now))
        try ledger.setAside(records[1].id, by: 1, of: [1], error: "the server answered 422", at: right(now))
        try ledger.withhold(records[2].id, at: right(now))
        try ledger.markRetry(records[3].id, at: 1, notBefore: now, error: "no network", now: right(now))

        let days: [[String: Any]] = try device.anicca("days", "--json").json()
        let states = days.reversed().map { $0["delivery"] as? String }
        #expect(states == ["delivered", "setAside", "withheld", "queued", "queued"])
        #expect(days[3]["error"] as? String == "the server answered 422")
        #expect(try device.anicca("days").output.contains("set aside: the server answered 422\n"))
    }

    @Test func aRecordThatTheOutboxHasForgottenHasNoState() throws {
        let (device, ledger) = try TestDevice.withStore()
        try close(1, in: ledger)
        try ledger.dropExpired(olderThan: .zero, at: right((first + 8).start))
        let days: [[String: Any]] = try device.anicca("days", "--json").json()
        #expect(days.count == 1)
        #expect(days[0]["delivery"] == nil)
    }

    @Test func aRangeHasBothOfItsEnds() throws {
        let device = try TestDevice()
        try close(5, in: device.makeStore())
        func dates(_ arguments: String...) throws -> [String?] {
            let words = ["days", "--json"] + arguments + ["--config", device.configPath]
            return try AniccaProgram.run(words).json([[String: Any]].self).map { $0["date"] as? String }
        }
        #expect(try dates("--from", "2025-01-14", "--to", "2025-01-15") == ["2025-01-15", "2025-01-14"])
        #expect(try dates("--from", "2025-01-16") == ["2025-01-17", "2025-01-16"])
        #expect(try dates("--to", "2025-01-13") == ["2025-01-13"])
        #expect(try dates("--to", "2025-01-16", "--limit", "1") == ["2025-01-16"])
        let none = try device.anicca("days", "--from", "2026-01-01")
        #expect(none.status == 0 && none.messages.contains("nothing is stored of these days"))
    }

    @Test(arguments: [
        (["--from", "2025-02-30"], "--from 2025-02-30 is not a date"), (["--to", "yesterday"], "YYYY-MM-DD"),
        (["--from", "2025-01-15", "--to", "2025-01-14"], "--from 2025-01-14 --to 2025-01-15"),
        (["--csv", "--json"], "exclude each other"),
    ])
    func aRangeThatIsNoneSaysWhatIsRight(arguments: [String], said: String) throws {
        let outcome = try AniccaProgram.run(["days"] + arguments)
        #expect(outcome.status == 64 && outcome.output.isEmpty)
        #expect(outcome.messages.contains(said))
    }

    @Test func commaSeparatedValuesHaveNamesAndUnits() throws {
        let (device, ledger) = try TestDevice.withStore()
        try close(2, in: ledger)
        let record = try #require(try ledger.queued().first)
        try ledger.setAside(record.id, by: 1, of: [1], error: "422, \"no\"", at: right((first + 3).start))
        let output = try device.anicca("days", "--csv").output
        #expect(output.hasSuffix("\r\n"))
        let lines = output.split(separator: "\r\n").map(String.init)
        #expect(lines.count == 3)
        let names = lines[0].split(separator: ",").map(String.init)
        #expect(names.first == "date [UTC]" && Array(names.suffix(3)) == ["stepSource", "delivery", "error"])
        #expect(Set(names).isSuperset(of: ["steps [1]", "sedentaryMinutes [min]", "wakeAt [UTC]"]))
        #expect(lines[1].hasPrefix("2025-01-13,") && lines[1].hasSuffix(",pulses,setAside,\"422, \"\"no\"\"\""))
        let fields = lines[2].split(separator: ",", omittingEmptySubsequences: false)
        #expect(fields.count == names.count)
        #expect(fields[try #require(names.firstIndex(of: "steps [1]"))] == "9001")
        #expect(fields[try #require(names.firstIndex(of: "sedentaryMinutes [min]"))] == "")
    }

    /// Closes days of steps, with a figure of sitting on the first of them.
    private func close(_ count: Int, in ledger: Ledger) throws {
        for domain in [Figure.steps, .sedentaryMinutes].map(\.domain) {
            try ledger.change([.reply(domain, .agreedWholly(to: domain.permission))], at: first.start)
        }
        let days = (0..<count).map { offset in
            ClosedDay(
                day: first + offset,
                figures: [.init(.steps, FigureValue(9000 + Int64(offset))), .init(.rawPulses, 9100)]
                    + (offset == 0 ? [.init(.sedentaryMinutes, 300)] : []))
        }
        try ledger.commit(Batch(checkpoint: [], closedDays: days))
    }
}
