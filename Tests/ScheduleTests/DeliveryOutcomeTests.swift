import Quantities
import Schedule
import Testing

struct DeliveryOutcomeTests {
    static let table: [(ClosedRange<Int>, DeliveryOutcome)] = [
        (Int.min...(-1), .retry(after: nil)), (0...199, .retry(after: nil)),
        (200...299, .delivered), (300...399, .retry(after: nil)),
        (400...400, .setAside), (401...401, .pausedUntilSignIn), (402...402, .setAside),
        (403...403, .pausedUntilSignIn), (404...407, .setAside), (408...408, .retry(after: nil)),
        (409...424, .setAside), (425...425, .retry(after: nil)), (426...428, .setAside),
        (429...429, .retry(after: nil)), (430...499, .setAside),
        (500...599, .retry(after: nil)), (600...Int.max, .retry(after: nil)),
    ]

    @Test(arguments: table)
    func everyStatusHasItsClass(statuses: ClosedRange<Int>, outcome: DeliveryOutcome) {
        for status in [statuses.lowerBound, statuses.upperBound] {
            #expect(DeliveryOutcome(.status(status, retryAfter: nil)) == outcome, "\(status)")
        }
    }

    @Test(arguments: [429, 503, 301]) func theServersWishToWaitIsKept(status: Int) {
        #expect(DeliveryOutcome(.status(status, retryAfter: .seconds(9))) == .retry(after: .seconds(9)))
    }

    @Test func whatIsNotAnAnswerIsRetried() {
        #expect(DeliveryOutcome(.none) == .retry(after: nil))
        #expect(DeliveryOutcome(.webPage) == .retry(after: nil))
    }
}
