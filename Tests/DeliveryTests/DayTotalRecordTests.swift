import Delivery
import Domains
import Store
import Core
import RightClock
import Testing

/// The record of a day with totals of a phone: whole runs against the real receiver.
struct DayTotalRecordTests {
    let bench: Bench
    let receiver: ReceiverProcess

    init() throws { try self.init(misbehaving: nil) }

    private init(misbehaving: String?) throws {
        bench = try Bench()
        receiver = try ReceiverProcess(token: Bench.token, misbehave: misbehaving)
        try bench.signIn(to: receiver.address)
        try bench.ledger.change([.reply(.phone, .agreedWholly(to: .phone))], at: bench.day.start)
    }

    /// 300 minutes of sitting in 720 that were observed; the phone reports 420.
    private func queue() throws {
        let day = ClosedDay(
            day: bench.day,
            figures: [
                .init(.sedentaryMinutes, 300), .init(.mindfulMinutes, 12), .init(.dietaryEnergy, 2100),
                .init(.phoneSitting, 420), .init(Domain.motion.observed, 720),
            ])
        try bench.ledger.commit(
            Batch(checkpoint: [1], closedDays: [day], consentRevision: bench.ledger.consent().lastEntry))
    }

    private func body() throws -> String? {
        let bodies = try receiver.records().compactMap { $0["body"] }
        #expect(bodies.count <= 1)
        return bodies.first
    }

    @Test func totalsArePassedOnAndSittingIsFilled() throws {
        try queue()
        #expect(try bench.run(at: "2025-01-16T04:00:00Z").deliveredDays == 1)
        let user = Bench.userID
        #expect(
            try body()
                == #"{"date":"2025-01-15","dietaryEnergyKcal":2100,"mindfulMinutes":12,"sedentaryMinutes":420,"userId":"\#(user)"}"#
        )
    }

    @Test func withoutThePhoneTheRecordHasWhatTheDeviceObserved() throws {
        try queue()
        try bench.change(.turn(.phone, on: false), at: "2025-01-16T01:00:00Z")
        #expect(try bench.run(at: "2025-01-16T04:00:00Z").deliveredDays == 1)
        #expect(try body() == #"{"date":"2025-01-15","sedentaryMinutes":300,"userId":"\#(Bench.userID)"}"#)
    }

    @Test func withoutMotionNothingIsFilled() throws {
        try queue()
        try bench.change(.turn(.motion, on: false), at: "2025-01-16T01:00:00Z")
        #expect(try bench.run(at: "2025-01-16T04:00:00Z").deliveredDays == 1)
        let user = Bench.userID
        #expect(
            try body() == #"{"date":"2025-01-15","dietaryEnergyKcal":2100,"mindfulMinutes":12,"userId":"\#(user)"}"#)
    }

    /// Its bytes hold the phone's minutes, and the same key goes with the same bytes.
    @Test func aRecordThatMayHaveArrivedIsNotSentAgainWithoutThePhonesMinutes() throws {
        let tests = try DayTotalRecordTests(misbehaving: #"{"status":503}"#)
        try tests.queue()
        #expect(try tests.bench.run(at: "2025-01-16T04:00:00Z").failed == 1)
        try tests.bench.change(.turn(.phone, on: false), at: "2025-01-16T04:30:00Z")
        let summary = try tests.bench.run(at: "2025-01-16T06:00:00Z")
        #expect(summary.withheld == 1 && summary.deliveredDays == 0)
        #expect(try tests.body() == nil)
    }
}
