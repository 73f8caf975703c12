import Core
import Testing

struct DeliveryOutcomeTests {
    static let table: [(ClosedRange<Int>, DeliveryOutcome)] = [
        (Int.min...(-1), .retry(.usual)), (0...199, .retry(.usual)),
        (200...299, .delivered), (300...399, .hold(.wrongAddress, after: nil)),
        (400...400, .setAside), (401...401, .pausedUntilSignIn), (402...402, .setAside),
        (403...403, .retry(.slow)), (404...405, .hold(.wrongAddress, after: nil)), (406...406, .setAside),
        (407...407, .hold(.wrongAddress, after: nil)), (408...408, .retry(.usual)),
        (409...424, .setAside), (425...425, .retry(.usual)), (426...428, .setAside),
        (429...429, .hold(.busy, after: nil)), (430...499, .setAside),
        (500...599, .retry(.usual)),
        (600...Int.max, .retry(.usual)),
    ]

    @Test(arguments: table)
    func everyStatusHasItsClass(statuses: ClosedRange<Int>, outcome: DeliveryOutcome) {
        for status in [statuses.lowerBound, statuses.upperBound] {
            #expect(DeliveryOutcome(.status(status, retryAfter: nil)) == outcome, "\(status)")
        }
    }

    @Test(arguments: [408, 425, 500, 503, 599]) func aWaitThatTheServerAsksForIsTheRecords(status: Int) {
        #expect(DeliveryOutcome(.status(status, retryAfter: .seconds(9))) == .retry(.usual, after: .seconds(9)))
    }

    @Test func onlyTooManyRequestsAreAboutTheServerAtOnce() {
        #expect(DeliveryOutcome(.status(429, retryAfter: .seconds(9))) == .hold(.busy, after: .seconds(9)))
    }

    @Test func refusalsAreNoFailuresThatPass() {
        let refusals = [301, 400, 401, 403, 404, 405, 407].map { DeliveryOutcome(.status($0, retryAfter: nil)) }
        #expect(!refusals.contains { !$0.isRefusal })
        let others = [200, 408, 425, 429, 500, 501, 503].map { DeliveryOutcome(.status($0, retryAfter: nil)) }
        #expect(!others.contains { $0.isRefusal } && !DeliveryOutcome(.unreachable).isRefusal)
    }

    @Test func whatIsNotAnAnswerIsRetried() {
        #expect(DeliveryOutcome(.unanswered) == .retry(.usual))
        #expect(DeliveryOutcome(.unreachable) == .unreachable)
        #expect(DeliveryOutcome(.noReceipt) == .hold(.noReceipt, after: nil))
    }
}
