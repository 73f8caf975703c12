import Delivery
import Domains
import Foundation
import Store
import Core
import RightClock
import Testing

@Suite struct QueueTests {
    private let first =
        UTCDay(containing: WallTime(nanoseconds: Int64(Date.now.timeIntervalSince1970) * 1_000_000_000)) + -3

    private func device(_ days: Int = 2, _ settings: String = "") throws -> (TestDevice, Ledger) {
        let (device, ledger) = try TestDevice.withStore(settings)
        for domain in [Domain.motion, .steps] {
            try ledger.change([.reply(domain, .agreedWholly(to: domain.permission))], at: first.start)
        }
        let closed = (0..<days).map { ClosedDay(day: first + $0, figures: [.init(.steps, 9000)]) }
        try ledger.commit(Batch(checkpoint: [], closedDays: closed, consentRevision: ledger.consent().lastEntry))
        return (device, ledger)
    }

    private var now: TrustedTime { right((first + 3).start) }

    @Test func anEmptyQueueSaysSo() throws {
        let (device, _) = try device(0)
        let outcome = try device.anicca("queue")
        #expect(outcome.status == 0 && outcome.output.isEmpty && outcome.messages.contains("nothing waits"))
        #expect(try device.anicca("queue", "--json").output == "[]\n")
    }

    @Test func eachRecordSaysWhatItWaitsFor() throws {
        let (device, ledger) = try device(2, "[server]\nbase-url = https://example.org")
        let records = try ledger.queued()
        try ledger.markRetry(
            records[0].id, at: 1, notBefore: WallTime(nanoseconds: .max / 2 - 1), error: "late", now: now)
        try ledger.setAside(records[1].id, by: 1, of: [1], error: "the server answered 422", at: now)
        let items: [[String: Any]] = try device.anicca("queue", "--json").json()
        #expect(items.map { $0["date"] as? String } == [first.description, (first + 1).description])
        #expect(items.map { $0["attempts"] as? Int } == [1, 1])
        #expect(items.map { $0["setAside"] as? Bool } == [false, true])
        #expect(items[0]["waitsFor"] as? String == "the next run", "no wait is that long")
        #expect((items[1]["waitsFor"] as? String)?.contains("queue retry \(records[1].id)") == true)
        let lines = try device.anicca("queue").lines
        #expect(lines.count == 3 && lines[2].contains("the server answered 422"))
    }

    @Test func aHoldOfTheServerIsWhatAllWaitFor() throws {
        let (device, ledger) = try device(1, "[server]\nbase-url = https://example.org")
        let until = WallTime(nanoseconds: Int64(Date.now.timeIntervalSince1970) * 1_000_000_000) + .hours(1)
        try ledger.hold(1, Hold(reason: .wrongAddress, until: until, count: 1), error: "answered 404", at: now)
        let item = try #require(try device.anicca("queue", "--json").json([[String: Any]].self).first)
        #expect((item["waitsFor"] as? String)?.contains("base-url") == true)
        #expect(item["until"] as? String == until.description)
        #expect((try device.status("delivery")?["waitsFor"] as? String)?.contains("base-url") == true)
        #expect(try device.anicca("status").output.contains("waits for"))
    }

    @Test func runsThatNeverEndedAreShown() throws {
        let (device, ledger) = try device(1, "[server]\nbase-url = https://example.org")
        let time = right(WallTime(nanoseconds: Int64(Date.now.timeIntervalSince1970) * 1_000_000_000))
        for _ in 0..<9 { try ledger.noteRunBegan(with: 1, at: time) }
        #expect(try device.anicca("status").output.contains("9 runs did not finish"))
    }

    @Test func whatWasSetAsideIsPutBackAndTheUploaderIsTold() throws {
        let (device, ledger) = try device(2)
        for record in try ledger.queued() {
            try ledger.setAside(record.id, by: 1, of: [1], error: "400", at: now)
        }
        let id = try #require(try ledger.undelivered().first?.id)
        #expect(try device.anicca("queue", "retry", "\(id)").status == 0)
        #expect(try ledger.queued(for: 1).map(\.id) == [id])
        #expect(FileManager.default.fileExists(atPath: "\(device.wakeFileDirectory)/upload"))
        #expect(try device.anicca("queue", "retry").output == "2 records may be tried now\n")
        #expect(try ledger.queued(for: 1).count == 2)
        let missing = try device.anicca("queue", "retry", "4711")
        #expect(missing.status == 69 && missing.messages.contains("no record 4711 waits"))
    }

    @Test func whatIsDroppedIsNeverSent() throws {
        let (device, ledger) = try device(2)
        let ids = try ledger.undelivered().map(\.id)
        #expect(try device.anicca("queue", "drop", "\(ids[0])").status == 64, "nobody can be asked")
        #expect(try device.anicca("queue", "drop", "\(ids[0])", "--yes").status == 0)
        #expect(try ledger.undelivered().map(\.id) == [ids[1]])
        #expect(try ledger.dayDeliveries()[first] == .withheld)
        #expect(try device.anicca("queue", "drop", "\(ids[0])", "--yes").status == 69)
    }
}
