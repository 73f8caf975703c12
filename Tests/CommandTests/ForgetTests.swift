import CSQLite
import Domains
import Foundation
import Store
import Core
import RightClock
import Testing

/// `anicca forget` without a terminal.
@Suite struct ForgetTests {
    private let day = UTCDay(daysSinceEpoch: 20_101)

    @Test func withoutATerminalItWantsToBeSure() throws {
        let (device, ledger) = try TestDevice.withStore()
        try fill(ledger)
        let outcome = try device.anicca("forget", "steps")
        #expect(outcome.status == 64)
        #expect(outcome.messages.contains("--yes"))
        #expect(try ledger.days(limit: 9).count == 1)
    }

    @Test func whatIsStoredAndUnsentIsGoneAndTheToggleStays() throws {
        let (device, ledger) = try TestDevice.withStore()
        try fill(ledger)
        let outcome = try device.anicca("forget", "steps", "--yes")
        #expect(outcome.status == 0)
        #expect(
            outcome.output
                == "steps is forgotten: 1 stored and 1 unsent values are deleted; its toggle stays as it is\n"
                + "none of it had left this device\n")
        #expect(try ledger.days(limit: 9).first?.figures.map(\.figure) == [.sedentaryMinutes])
        #expect(try ledger.consent().state.toggles.allows(.steps))
        #expect(try ledger.trail().last?.change == .forgotten(.steps))
        #expect(device.bellRings)
    }

    @Test func howMuchWillGoIsKnownBefore() throws {
        let device = try TestDevice()
        let ledger = try device.makeStore()
        try fill(ledger)
        let before = try ledger.forgettable([.steps])
        #expect(before.days == 1 && before.quarters == 1 && before.unsent == 1)
        let report = try ledger.forget([.steps], at: day.end) { $0 }
        #expect(report.historyValues == before.days && report.queuedValues == before.unsent)
        let after = try ledger.forgettable([.steps])
        #expect(after.days == 0 && after.quarters == 0 && after.unsent == 0)
    }

    @Test func saysHowManyVisitsGo() throws {
        let (device, ledger) = try TestDevice.withStore()
        try ledger.change([.reply(.location, .agreedWholly(to: .location))], at: day.start)
        let place = try #require(Coordinates(latitude: 52.5163, longitude: 13.3777))
        let visits = (0..<3).map { hour in
            PlaceNote.visit(Visit(arrived: day.start + .hours(hour * 12), left: nil, place: 0, position: place))
        }
        try ledger.commit(Batch(checkpoint: [], notes: (visits + [.passed(day.start, place)]).map { BookNote($0) }))
        let outcome = try device.anicca("forget", "location", "--yes")
        #expect(
            outcome.output
                == "location is forgotten: 4 stored (3 visits, 1 coordinate) and 0 unsent values are deleted; its toggle stays as it is\n"
                + "none of it had left this device\n")
        #expect(try ledger.bookDays(PlaceDay.self).isEmpty)
    }

    @Test func everythingCanBeForgottenAtOnce() throws {
        let (device, ledger) = try TestDevice.withStore()
        try fill(ledger)
        let json: [String: Any] = try device.anicca("forget", "--all", "--yes", "--json").json()
        #expect(json["forgotten"] as? String == "all")
        #expect(json["historyValues"] as? Int == 2)
        #expect(json["queuedValues"] as? Int == 2)
        #expect(json["scrubbed"] as? Bool == true)
        #expect(try ledger.days(limit: 9).allSatisfy { $0.figures.isEmpty })
        #expect(try ledger.checkpoint() == nil || device.today().isEmpty)
    }

    @Test func saysWhatHadLeftAndAsksTheServer() throws {
        let (device, ledger) = try TestDevice.withStore("[server]\nbase-url = https://example.org")
        try fill(ledger)
        let record = try #require(try ledger.queued().first)
        try ledger.markDelivered(record.id, by: 1, of: [1], at: right(day.end))
        let outcome = try device.anicca("forget", "steps", "--yes")
        #expect(outcome.status == 0 && outcome.lines.count == 2)
        #expect(outcome.lines[1].contains("1 day and 0 events") && outcome.lines[1].contains("asked to erase"))
        #expect(FileManager.default.fileExists(atPath: device.path("run/upload")), "the uploader is told")

        let queue: [[String: Any]] = try device.anicca("queue", "--json").json()
        #expect(queue.map { $0["erases"] as? [String] } == [["steps"]])
        #expect(try device.anicca("queue").output.contains("erase steps until 20"))
        #expect(try device.anicca("status").output.contains("0 days, 0 events, 1 request to erase"))
        #expect(try device.anicca("why", day.description).output.contains("The server must still erase steps until"))

        let json: [String: Any] = try device.anicca("forget", "--all", "--yes", "--json").json()
        #expect(json["leftDays"] as? Int == 1 && json["leftEvents"] as? Int == 0)
        #expect(json["erasureAsked"] as? [String] == ["motion", "steps"])
        #expect(try device.anicca("queue", "drop", "\(try #require(queue[0]["number"] as? Int))", "--yes").status == 0)
        #expect(try ledger.undelivered().count == 1, "each is a request of its own")
    }

    @Test func whereABrokerGetsTheRecordsItIsNamed() throws {
        let (device, ledger) = try TestDevice.withStore("[mqtt]\nbroker = mqtts://broker.example.org\ndevice = wrist")
        try fill(ledger)
        let record = try #require(try ledger.queued().first)
        try ledger.markDelivered(record.id, by: 2, of: [2], at: right(day.end))
        let outcome = try device.anicca("forget", "steps", "--yes")
        #expect(outcome.output.contains("the broker is asked to erase them"))
    }

    @Test func whatCannotBeDoneIsNotDoneInPart() throws {
        let (device, ledger) = try TestDevice.withStore()
        try fill(ledger)
        try device.refuseEntries()
        let outcome = try device.anicca("forget", "--all", "--yes")
        #expect(outcome.status == 69)
        #expect(outcome.messages.hasSuffix("nothing was deleted\n"))
        #expect(try ledger.days(limit: 9).first?.figures.count == 2)
    }

    @Test func aDamagedStoreBesideIsNamedWithHowToDeleteIt() throws {
        let (device, _) = try TestDevice.withStore()
        for name in ["ledger.sqlite.damaged-1", "ledger.sqlite.damaged-1-wal", "ledger.sqlite.damaged-12"] {
            try device.write("store/\(name)", "old")
        }
        let outcome = try device.anicca("forget", "motion", "--yes")
        #expect(outcome.status == 0)
        let paths = ["damaged-1", "damaged-12"].map { device.path("store/ledger.sqlite.\($0)") }
        let lines = outcome.messages.split(separator: "\n")
        #expect(lines.count == 2)
        for (line, path) in zip(lines, paths) {
            #expect(line.hasPrefix("\(path) "))
            #expect(line.hasSuffix("rm -f \(path) \(path)-wal \(path)-shm"))
        }
    }

    @Test func everythingIncludesStoresThatWereMovedAside() throws {
        let device = try TestDevice()
        try device.makeStore()
        let names = ["damaged-1", "damaged-1-wal", "damaged-1.copy"].map { "store/ledger.sqlite.\($0)" }
        for name in names { try device.write(name, "old") }
        let outcome = try device.anicca("forget", "--all", "--yes")
        #expect(outcome.status == 0 && outcome.messages.contains("is deleted"))
        for name in names { #expect(!FileManager.default.fileExists(atPath: device.path(name)), "\(name)") }
    }

    @Test func whileAnotherProgramReadsTracesRemainAndItSaysSo() throws {
        let device = try TestDevice()
        try fill(device.makeStore())
        var reader: OpaquePointer?
        defer { sqlite3_close(reader) }
        try #require(sqlite3_open(device.path("store/ledger.sqlite"), &reader) == SQLITE_OK)
        try #require(sqlite3_exec(reader, "BEGIN; SELECT count(*) FROM history", nil, nil, nil) == SQLITE_OK)
        let outcome = try device.anicca("forget", "steps", "--yes")
        #expect(outcome.status == 75)
        #expect(outcome.output.hasPrefix("steps is forgotten: 1 stored"))
        #expect(outcome.messages.contains("run this again"))

        try #require(sqlite3_exec(reader, "ROLLBACK", nil, nil, nil) == SQLITE_OK)
        #expect(try device.anicca("forget", "steps", "--yes").status == 0)
    }

    @Test(arguments: [[], ["steps", "--all"], ["heartbeat"]])
    func oneKindOrAllOfThemAreToBeNamed(arguments: [String]) throws {
        #expect(try AniccaProgram.run(["forget", "--yes"] + arguments).status == 64)
    }

    @Test func theHelpAdmitsWhatACardMayKeep() throws {
        #expect(try AniccaProgram.run(["forget", "--help"]).output.contains("flash card"))
    }

    private func fill(_ ledger: Ledger) throws {
        try ledger.change(
            [.reply(.steps, .agreedWholly(to: .health)), .reply(.motion, .agreedWholly(to: .motion))], at: day.start)
        let closed = ClosedDay(day: day, figures: [.init(.steps, 9000), .init(.sedentaryMinutes, 300)])
        try ledger.commit(Batch(checkpoint: [], closedDays: [closed]))
    }
}

extension TestDevice {
    /// Today's figures of `anicca status`, without the date.
    fileprivate func today() throws -> [String: Any] {
        var today = try status("today") ?? [:]
        today["date"] = nil
        return today
    }
}
