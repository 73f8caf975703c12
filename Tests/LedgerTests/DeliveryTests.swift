import Domains
import Core
import RightClock
import Testing

@testable import Store

@Suite struct DeliveryTests {
    let store: TestStore
    let ledger: Ledger
    let now = noon(someDay.next)

    init() throws {
        store = try TestStore()
        ledger = try store.open()
        try ledger.allowMotionAndSteps()
        try ledger.commit(
            Batch(checkpoint: [1], closedDays: [.usual(someDay)], events: [.sedentary(noon(someDay))]))
    }

    /// A process reads all rows once, then those that it writes.
    @Test func whatARecordCostsDoesNotGrowWithTheQueue() throws {
        let events = (0..<5000 as Range<Int64>).map { NudgeEvent.sedentary(noon(someDay) + .seconds($0)) }
        try ledger.commit(Batch(checkpoint: [1], events: events))
        let uploader = try store.open(.visitor)
        let queued = try uploader.queued()
        var hashed: [Int] = []
        for record in queued.prefix(100) {
            let before = uploader.hashedRows
            try uploader.beginSending(record.id)
            try uploader.markDelivered(record.id, at: noon(someDay))
            hashed.append(uploader.hashedRows - before)
        }
        #expect(queued.count > 5000 && hashed[0] > 5000)
        #expect(hashed.dropFirst().allSatisfy { $0 < 20 }, "\(hashed[1])")
    }

    @Test func theOldestComesFirst() throws {
        try ledger.commit(
            Batch(
                checkpoint: [1], closedDays: [.usual(someDay.next)],
                events: [.sedentary(noon(someDay.next)), .sedentary(noon(someDay + -3))]))
        let contents = try ledger.queued().map(\.content)
        guard contents.count == 5, case .event = contents[0], case .event = contents[1],
            case .day(someDay, _) = contents[2], case .event = contents[3], case .day(someDay.next, _) = contents[4]
        else {
            Issue.record("order was \(contents)")
            return
        }
    }

    @Test func keysAreUUIDsThatDifferAndNeverChange() throws {
        let keys = try ledger.queued().map(\.key)
        #expect(Set(keys).count == 2)
        for key in keys { #expect(key.description.wholeMatch(of: /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/) != nil) }
        try ledger.markRetry(try ledger.queued()[0].id, notBefore: now, error: "503", at: now)
        #expect(try ledger.queued().map(\.key) == keys)
        #expect(try store.open(.visitor).queued().map(\.key) == keys)
        #expect(try store.cut().open().queued().map(\.key) == keys)
    }

    @Test func keysKeepTheirBytes() throws {
        let key = IdempotencyKey.random()
        #expect(IdempotencyKey(key.bytes) == key)
        let text = try #require(IdempotencyKey([UInt8](0..<16))).description
        #expect(text == "00010203-0405-0607-0809-0a0b0c0d0e0f")
        #expect(Array(key.description)[14] == "4")
        #expect("89ab".contains(Array(key.description)[19]))
        #expect(IdempotencyKey([1, 2]) == nil)
    }

    @Test func aDeliveredPayloadIsGoneFromTheFiles() throws {
        let sealed = try ledger.database.rows("SELECT sealed FROM outbox") { $0.blob(0) }
        #expect(sealed.count == 2)
        for bytes in sealed { #expect(store.bytes("-wal").contains(bytes)) }
        for record in try ledger.queued() { try ledger.markDelivered(record.id, at: now) }
        try ledger.database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        for bytes in sealed { #expect(!store.bytes().contains(bytes) && !store.bytes("-wal").contains(bytes)) }
        #expect(try ledger.queued().isEmpty)
        #expect(try ledger.deliveryStatus().lastSuccess == now)
        #expect(try ledger.days(limit: 1).first?.value(of: .steps) == 8500, "history stays")
    }

    @Test func attemptsAreCountedInAllAndByDay() throws {
        let id = try ledger.queued()[0].id
        for _ in 0..<3 { try ledger.markRetry(id, notBefore: now + .minutes(1), error: "503", at: now) }
        let record = try #require(try ledger.queued().first)
        #expect(record.state.attempts == 3 && record.state.attemptsToday(at: now) == 3)
        #expect(record.state.notBefore == now + .minutes(1) && record.state.error == "503")
        #expect(try ledger.queued().first?.state.attemptsToday(at: now + .days(1)) == 0)
        try ledger.markRetry(id, notBefore: now, error: "no network", at: now + .days(1))
        let next = try #require(try ledger.queued().first)
        #expect(next.state.attempts == 4 && next.state.attemptsToday(at: now + .days(1)) == 1)
        let status = try ledger.deliveryStatus()
        #expect(status.lastAttempt == now + .days(1) && status.lastError == "no network" && status.lastSuccess == nil)
    }

    @Test func whatIsSetAsideIsNotQueuedButCounted() throws {
        let record = try ledger.queued()[1]
        try ledger.setAside(record.id, error: "422 Unprocessable", at: now)
        let status = try ledger.deliveryStatus()
        #expect(status.setAside == 1 && status.queuedDays == 0 && status.queuedEvents == 1)
        #expect(status.lastError == "422 Unprocessable" && status.lastErrorAt == now)
        try ledger.commit(Batch(checkpoint: [1], closedDays: [.usual(someDay)]))
        #expect(try ledger.deliveryStatus().queuedDays == 0, "not queued again")
    }

    @Test func aSettledRecordStaysSettled() throws {
        let id = try ledger.queued()[0].id
        try ledger.markDelivered(id, at: now)
        try ledger.markRetry(id, notBefore: now, error: "late", at: now + .seconds(1))
        try ledger.setAside(id, error: "late", at: now + .seconds(1))
        #expect(try ledger.queued().count == 1)
        #expect(try ledger.deliveryStatus().setAside == 0)
    }

    @Test func whatExpiresIsDroppedAndCounted() throws {
        try ledger.commit(Batch(checkpoint: [1], closedDays: [.usual(someDay + 5)]))
        let records = try ledger.queued()
        try ledger.markDelivered(records[0].id, at: now)
        #expect(try ledger.dropExpired(olderThan: someDay.end - .seconds(1)) == 0, "a day's age counts from its end")
        #expect(try ledger.dropExpired(olderThan: someDay.end) == 1, "the delivered event does not count")
        #expect(try ledger.queued().count == 1)
        #expect(try ledger.deliveryStatus().dropped == 1)
        #expect(try ledger.database.integer("SELECT count(*) FROM outbox") == 1)
        #expect(try fields(of: ledger.queued()[0].id) == 2)
    }

    @Test func aRecordsNumberIsNeverUsedAgain() throws {
        let last = try #require(try ledger.queued().map(\.id).max())
        try ledger.dropExpired(olderThan: now)
        try ledger.commit(Batch(checkpoint: [1], closedDays: [.usual(someDay + 2)]))
        #expect(try #require(try ledger.queued().first).id > last)
    }

    @Test func whatIsWithheldLosesItsPayloadAndStaysWithheld() throws {
        let id = try #require(try ledger.queued().last).id
        try ledger.withhold(id, at: now)
        #expect(try ledger.queued().count == 1)
        #expect(try fields(of: id) == 0)
        try ledger.commit(Batch(checkpoint: [1], closedDays: [.usual(someDay)]))
        #expect(try ledger.queued().count == 1, "not queued again")
        #expect(try ledger.dropExpired(olderThan: now) == 1, "only the event was not delivered for want of time")
    }

    @Test func whatWasWithheldWhileItWasOnItsWayIsShownAsDelivered() throws {
        let record = try #require(try ledger.queued().last)
        try ledger.withhold(record.id, at: now)
        try ledger.markDelivered(record.id, at: now + .seconds(1))
        #expect(try ledger.dayDeliveries() == [someDay: .delivered])
        #expect(try ledger.deliveryStatus().lastSuccess == now + .seconds(1))
    }

    @Test(arguments: [
        "UPDATE outbox_delivery SET sealed = zeroblob(80)", "UPDATE outbox_delivery SET sealed = x''",
        "UPDATE outbox_delivery SET record = record + 100", "UPDATE outbox_delivery SET sink = sink + 77",
        "DELETE FROM outbox_delivery",
    ])
    func aStateThatWasChangedLosesNoRecordAndNoKey(sql: String) throws {
        let keys = try ledger.queued().map(\.key)
        try ledger.markDelivered(try ledger.queued()[0].id, at: now)
        try ledger.markRetry(try ledger.queued()[0].id, notBefore: now + .days(1), error: "503", at: now)
        try ledger.database.execute(sql)
        for record in try ledger.queued() {
            #expect(keys.contains(record.key))
            #expect(record.state.attempts == 0 && record.state.notBefore == nil, "it counts as never tried")
            try ledger.markDelivered(record.id, at: now)
        }
        #expect(try ledger.queued().isEmpty)
    }

    @Test func aLogThatWasChangedBeginsAnew() throws {
        for _ in 0..<3 { try ledger.noteRunBegan(at: now) }
        try ledger.pause(onlySink, for: [1], error: "401", at: now)
        try ledger.database.execute("UPDATE delivery SET sealed = zeroblob(90)")
        let status = try ledger.deliveryStatus()
        #expect(status.unfinishedRuns == 0 && status.lastRunBegan == nil && !status.isPaused)
        try ledger.noteRunBegan(at: now)
        #expect(try ledger.deliveryStatus().unfinishedRuns == 1)
    }

    // MARK: - Two sinks

    @Test func aRecordIsFinishedWhenEverySinkHasIt() throws {
        let id = try ledger.queued()[0].id
        try ledger.markDelivered(id, by: 1, of: [1, 2], at: now)
        #expect(try ledger.queued(for: 1).allSatisfy { $0.id != id })
        #expect(try ledger.queued(for: 2).contains { $0.id == id })
        #expect(try ledger.deliveryStatus().queuedEvents == 1, "the other waits for it")
        try ledger.markDelivered(id, by: 2, of: [1, 2], at: now)
        #expect(try ledger.queued(for: nil).allSatisfy { $0.id != id })
        #expect(try fields(of: id) == 0)
    }

    @Test func failuresAreCountedBySink() throws {
        let id = try ledger.queued()[0].id
        try ledger.markRetry(id, at: 1, notBefore: now + .hours(1), error: "503", now: now)
        #expect(try ledger.queued(for: 1).first?.state.attempts == 1)
        let other = try #require(try ledger.queued(for: 2).first)
        #expect(other.state.attempts == 0 && other.state.notBefore == nil && other.state.error == nil)
        let status = try ledger.deliveryStatus()
        #expect(status.sinks.map(\.sink) == [1] && status.sinks[0].log.lastError == "503" && status.lastError == "503")
    }

    @Test func whatOneSinkRefusesTheOtherStillGets() throws {
        let id = try ledger.queued()[0].id
        try ledger.setAside(id, by: 1, of: [1, 2], error: "422", at: now)
        #expect(try ledger.queued(for: 2).contains { $0.id == id })
        try ledger.markDelivered(id, by: 2, of: [1, 2], at: now)
        let status = try ledger.deliveryStatus()
        #expect(status.setAside == 1 && status.queuedEvents == 0)
        #expect(status.sinks.map(\.setAside) == [1, 0])
        #expect(try fields(of: id) == 1, "it is kept for a person to look at")
    }

    @Test func aSinkThatIsTakenOutHoldsNothingUp() throws {
        let id = try ledger.queued()[0].id
        try ledger.markDelivered(id, by: 1, of: [1, 2], at: now)
        try ledger.finishSettled(of: [1], at: now)
        #expect(try ledger.deliveryStatus().queuedEvents == 0)
        #expect(try fields(of: id) == 0)
        try ledger.finishSettled(of: [], at: now)
        #expect(try ledger.deliveryStatus().queuedDays == 1, "without any sink nothing is finished")
    }

    @Test func aPauseConcernsOneSink() throws {
        for sink: SinkID in [1, 2] { _ = try ledger.standing(of: sink, at: now) }
        try ledger.pause(1, for: [1], error: "401", at: now)
        #expect(try ledger.standing(of: 1, at: now).log.isPaused && !ledger.standing(of: 2, at: now).log.isPaused)
    }

    private func fields(of id: OutboxRecord.ID) throws -> Int? {
        try ledger.queuedRow(id).flatMap { ledger.fields(of: $0) }?.count
    }

    @Test func aRefusedSetUpPausesUntilThereIsAnother() throws {
        let token = Array("secret-token".utf8)
        #expect(try !ledger.standing(setUp: token, at: now).log.isPaused)
        try ledger.pause(onlySink, for: token, error: "401", at: now)
        #expect(try ledger.standing(setUp: token, at: now).log.isPaused && ledger.deliveryStatus().isPaused)
        #expect(!store.bytes("-wal").contains(token) && !store.bytes().contains(token))
        #expect(try !ledger.standing(setUp: Array("new-token".utf8), at: now).log.isPaused)
        #expect(try !ledger.deliveryStatus().isPaused)
    }

    @Test func whatWasSetAsideIsTriedOnceMoreWithAnotherSetUp() throws {
        _ = try ledger.standing(at: now)
        let record = try ledger.queued()[1]
        try ledger.beginSending(record.id, figures: [.steps], body: [42])
        try ledger.setAside(record.id, error: "400", at: now)
        try ledger.hold(
            onlySink, Hold(reason: .refuses, until: now + .hours(1), count: 1), error: "400", at: right(now))
        #expect(try ledger.standing(at: now).log.hold?.reason == .refuses && ledger.queued().count == 1)
        #expect(try ledger.standing(setUp: [2], at: now).log.hold == nil)
        let again = try #require(try ledger.queued().last)
        #expect(again.id == record.id && again.key == record.key && again.state.message?.body == [42])
        #expect(again.state.error == "400")
        try ledger.setAside(record.id, error: "400", at: now)
        _ = try ledger.standing(setUp: [2], at: now)
        #expect(try ledger.queued().count == 1, "once")
    }

    @Test func whatMayHaveArrivedIsKeptWithItsRecordAndGoesWithThePayload() throws {
        let records = try ledger.queued()
        let body = Array("a body that nobody may see".utf8)
        for record in records { try ledger.beginSending(record.id, figures: [.steps], body: body) }
        #expect(!store.bytes("-wal").contains(body))
        for record in try ledger.queued() {
            #expect(record.state.message?.body == body && record.state.message?.figures == [Figure.steps.id])
            #expect(ledger.isMessage(try #require(record.state.message), for: Array("A".utf8)))
            #expect(!ledger.isMessage(try #require(record.state.message), for: Array("B".utf8)))
        }
        try ledger.markRetry(records[0].id, notBefore: now, error: "503", at: now)
        #expect(try ledger.queued().first?.state.message?.body == body)
        try ledger.markDelivered(records[0].id, at: now)
        #expect(try ledger.state(of: records[0].id, at: onlySink).message == nil)
        try ledger.withhold(records[1].id, at: now)
        #expect(try ledger.state(of: records[1].id, at: onlySink).message == nil)
    }

    @Test func nothingIsBoundToARecordThatNeverLeft() throws {
        let id = try ledger.queued()[0].id
        try ledger.beginSending(id)
        try ledger.noteUnreachable(
            id, by: onlySink, wasFirst: true, until: now + .seconds(9), error: "no network", at: right(now))
        let record = try #require(try ledger.queued().first)
        #expect(record.state.message == nil && record.state.attempts == 0 && record.state.notBefore == nil)
        let sink = try #require(try ledger.deliveryStatus().sinks.first)
        #expect(sink.log.hold == Hold(reason: .unreachable, until: now + .seconds(9), count: 1))
        #expect(sink.log.lastError == "no network")
        try ledger.noteUnreachable(id, by: onlySink, wasFirst: false, until: now, error: "", at: right(now))
        #expect(try ledger.deliveryStatus().sinks.first?.log.hold?.count == 2)
        try ledger.markDelivered(id, at: now)
        #expect(try ledger.deliveryStatus().sinks.first?.log.hold == nil)
    }

    @Test func aRecordThatMayHaveArrivedIsWithheldWithAnyPartOfIt() throws {
        let day = try #require(try ledger.queued().last)
        try ledger.beginSending(day.id, figures: [.steps, .sedentaryMinutes])
        _ = try ledger.forget([.steps], at: now) { _ in nil }
        #expect(try ledger.dayDeliveries() == [someDay: .withheld])
        #expect(try ledger.state(of: day.id, at: onlySink).message == nil && fields(of: day.id) == 0)
    }

    @Test func aHoldOfOneKindIsKeptApartAndEndsWithADelivery() throws {
        let records = try ledger.queued()
        let hold = Hold(reason: .busy, until: now + .hours(1), count: 2)
        for kind in [OutboxRecord.Kind.day, .event, .erasure] {
            try ledger.hold(onlySink, hold, on: kind, error: "503", at: right(now))
        }
        let event = try #require(records.first { $0.kind == .event })
        try ledger.markDelivered(event.id, at: now)
        let standing = try ledger.standing(at: now)
        #expect(standing.log.hold == nil && standing.log.kindHolds == [.day: hold, .erasure: hold])
        #expect(try ledger.holds(of: onlySink, for: .unreachable, on: .day) == 2)
    }

    @Test func waitsCanBeEnded() throws {
        let id = try ledger.queued()[0].id
        let hold = Hold(reason: .busy, until: now + .hours(1), count: 3)
        try ledger.markRetry(id, at: onlySink, notBefore: now + .hours(1), error: "503", now: right(now))
        try ledger.hold(onlySink, hold, error: "503", at: right(now))
        try ledger.hold(onlySink, hold, on: .event, error: "503", at: right(now))
        #expect(try ledger.standing(at: now).log.hold == hold && ledger.standing(setUp: [2], at: now).log.hold == hold)
        try ledger.markRetry(id, at: onlySink, notBefore: now + .hours(1), error: "503", now: right(now))
        try ledger.hold(onlySink, hold, error: "503", at: right(now))
        try ledger.hold(onlySink, hold, on: .event, error: "503", at: right(now))
        try ledger.endWaits()
        #expect(try ledger.standing(at: now).log.hold == nil && ledger.queued()[0].state.notBefore == nil)
        #expect(try ledger.standing(at: now).log.kindHolds == [:])
        #expect(try ledger.queued()[0].state.attempts == 2)
    }

    @Test func runsWithoutACompletionAreCounted() throws {
        for _ in 0..<3 { try ledger.noteRunBegan(at: now) }
        let status = try store.cut().open().deliveryStatus()
        #expect(status.unfinishedRuns == 3 && status.lastRunBegan == now)
        try ledger.noteRunCompleted(with: onlySink)
        #expect(try ledger.deliveryStatus().unfinishedRuns == 0)
    }

    @Test func aLongErrorIsCutShort() throws {
        try ledger.setAside(try ledger.queued()[0].id, error: String(repeating: "é", count: 9000), at: now)
        #expect(try ledger.deliveryStatus().lastError?.count == 300)
    }

    @Test(arguments: [
        "UPDATE outbox SET sealed = (SELECT sealed FROM outbox WHERE kind = 1)",
        "UPDATE outbox SET id = 9 WHERE id = 2; UPDATE outbox SET id = 2 WHERE id = 1; UPDATE outbox SET id = 1 WHERE id = 9",
        "UPDATE outbox SET at = at - 86400000000000", "UPDATE outbox SET key = randomblob(16)",
        "UPDATE outbox SET key = x'00'", "UPDATE outbox SET kind = kind + 5", "UPDATE outbox SET sealed = x''",
        "UPDATE outbox SET at = -9223372036854775807 WHERE kind = 0", "UPDATE outbox SET sealed = 'x'",
    ])
    func whatWasTamperedWithIsNeverSent(sql: String) throws {
        try ledger.database.execute(sql)
        let day = try ledger.queued().first { $0.id == 1 }
        #expect(day?.content == .unreadable)
        try ledger.setAside(1, error: "unreadable", at: now)
        #expect(try ledger.queued().allSatisfy { $0.id != 1 })
    }
}
