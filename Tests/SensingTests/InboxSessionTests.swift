import Domains
import Store
import Devices
import Core
import Testing

@testable import Sensing

/// The phone's reports in a session.
@Suite struct InboxSessionTests {
    private let morning = WallTime(secondsSinceEpoch: 1_763_424_000 + 8 * 3600)  // 2025-11-18T08:00:00Z

    private func used(_ minutes: Int64, until end: WallTime) -> CompanionReport {
        .use((end - .minutes(minutes))..<end)
    }

    @Test func aReportOfYesterdayHasItsDayFoldedAgain() {
        var harness = SessionHarness(from: morning)
        harness.allow(.screenTime)
        let midnight = UTCDay(containing: morning).end
        harness.run(until: midnight + .minutes(20))
        let before = harness.asked.count
        harness.reports = [used(25, until: midnight - .minutes(30))]
        harness.deliver(.waiting(.reports))
        harness.run(for: .minutes(2))
        let stored = harness.asked.dropFirst(before).compactMap { asked -> Collected? in
            if case .store(let collected) = asked.action { collected } else { nil }
        }
        #expect(stored.contains { $0.settled != nil && $0.quarters.flatMap(\.amounts).contains { $0.value > 0 } })
    }

    @Test func whatWaitsAtTheStartIsReadWithoutABell() {
        var harness = SessionHarness(from: morning)
        harness.reports = [used(0, until: harness.now.wall + .seconds(1))]
        harness.allow(.screenTime)
        #expect(harness.times(of: .readReports).isEmpty, "the owner watches the folder first")
        harness.run(for: .seconds(2))
        #expect(harness.today == [ClosedDay.Entry(.socialMinutes, 0)])
    }

    /// The commit deletes the files that were read. It may be due when they are read, and when a window is read with them.
    @Test(arguments: [DomainSet(.screenTime), DomainSet(.screenTime).union(DomainSet(.motion))])
    func noCommitComesBetweenTheReadingOfReportsAndTheReports(domains: DomainSet) {
        var harness = SessionHarness(from: morning)
        harness.order(domains)
        harness.run(for: .seconds(2))
        for _ in 0..<1_000 {
            harness.reports = [used(1, until: harness.now.wall)]
            harness.deliver(.waiting(.reports))
            harness.reports = [used(1, until: harness.now.wall)]
            harness.deliver(.waiting(.reports))
            // The wake-up comes late: all that was due since is done together.
            harness.now = harness.now + .seconds(11)
            harness.deliver(.woke)
        }
        #expect(harness.times(of: .commit).count > 100)
        #expect(harness.commitsBeforeReports == 0)
    }

    private func total(_ kind: DayTotal.Kind, _ amount: Int64, written: WallTime) -> CompanionReport {
        .total(DayTotal(kind, of: UTCDay(containing: morning).start, amount: amount, written: written))
    }

    /// One folder serves both domains, and each takes its own reports while it is on.
    @Test func ofTheReportsOnlyThoseOfADomainThatIsOnCount() {
        for isOfPhone in [true, false] {
            var harness = SessionHarness(from: morning)
            harness.order(isOfPhone ? DomainSet(.phone) : DomainSet(.screenTime))
            harness.run(for: .hours(1))
            let now = harness.now.wall
            harness.reports = [used(25, until: now), total(.mindful, 12, written: now)]
            harness.deliver(.waiting(.reports))
            harness.run(for: .minutes(2))
            let expected: [ClosedDay.Entry] = isOfPhone ? [.init(.mindfulMinutes, 12)] : [.init(.socialMinutes, 25)]
            #expect(harness.today == expected)
        }
    }

    @Test func totalsGoWithTheirDomainAndTheOthersStay() {
        var harness = SessionHarness(from: morning)
        harness.order([.screenTime, .phone])
        harness.run(for: .hours(1))
        let now = harness.now.wall
        harness.reports = [
            used(25, until: now), total(.mindful, 12, written: now), total(.nutrition, 900, written: now),
        ]
        harness.deliver(.waiting(.reports))
        harness.run(for: .seconds(2))
        #expect(harness.today.map(\.figure) == [.socialMinutes, .mindfulMinutes, .dietaryEnergy])
        harness.order(DomainSet(.screenTime), dropped: DomainSet(.phone), consentRevision: 1)
        #expect(harness.today.map(\.figure) == [.socialMinutes])
        harness.reports = [total(.mindful, 15, written: harness.now.wall)]
        harness.deliver(.waiting(.reports))
        harness.run(for: .minutes(2))
        #expect(harness.today.map(\.figure) == [.socialMinutes])
    }

    @Test func aRingingBellIsHeededOnceASecond() {
        var harness = SessionHarness(from: morning)
        harness.allow(.screenTime)
        for _ in 0..<1_000 {
            harness.deliver(.waiting(.reports))
            harness.run(for: .milliseconds(10))
        }
        #expect((10...11).contains(harness.times(of: .readReports).count))
    }

    /// Hidden files and directories stay, and are looked through each time.
    @Test func aBellIsHeededOnceAMinuteWhereMuchElseLiesInTheFolder() {
        var harness = SessionHarness(from: morning)
        harness.isCrowded = true
        harness.allow(.screenTime)
        for _ in 0..<1_200 {
            harness.deliver(.waiting(.reports))
            harness.run(for: .milliseconds(100))
        }
        #expect((2...3).contains(harness.times(of: .readReports).count))
    }

    @Test func aFolderThatIsGoneIsALoss() {
        var harness = SessionHarness(from: morning)
        harness.inboxFault = { _ in InboxError.absent.fault(at: "/inbox") }
        harness.allow(.screenTime, .motion)
        let lost = harness.asked.compactMap { asked -> DeviceLoss? in
            if case .lose(let loss) = asked.action { loss } else { nil }
        }
        #expect(lost.map(\.domain) == [.screenTime])
        #expect(lost.first?.reason == "/inbox: there is no such directory")
        #expect(harness.session.allowed == DomainSet(.motion))
    }

    @Test func aPassingFaultIsTriedAgain() {
        var harness = SessionHarness(from: morning)
        var isBroken = true
        harness.inboxFault = { _ in isBroken ? InboxError.failed(errno: 5).fault(at: "/inbox") : nil }
        harness.allow(.screenTime)
        harness.run(for: .minutes(3))
        #expect(harness.times(of: .open(.reports)).count > 1)
        isBroken = false
        harness.run(for: .hours(1))
        #expect(harness.asked.contains { $0.action == .note(.recovered(.reports)) })
    }

    @Test func refusalsAreToldOnceAMinute() {
        var refusals = ReportRefusals()
        let batch = ReportBatch(refused: [.init(name: "a", reason: "b")], refusals: 5)
        let start = BootTime(nanoseconds: 0)
        #expect(refusals.note(of: ReportBatch(), at: start) == nil)
        #expect(refusals.note(of: batch, at: start) == .reportsRefused(5, batch.refused))
        for second in 1..<60 { #expect(refusals.note(of: batch, at: start + .seconds(Int64(second))) == nil) }
        #expect(refusals.note(of: batch, at: start + .minutes(1)) == .reportsRefused(300, batch.refused))
        #expect(refusals.note(of: batch, at: start + .seconds(70)) == nil)
        #expect(refusals.note(of: ReportBatch(), at: start + .minutes(3)) == .reportsRefused(5, batch.refused))
    }
}
