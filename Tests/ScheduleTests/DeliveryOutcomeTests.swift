import Quantities
import Schedule
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
        (500...502, .retry(.usual)), (503...503, .hold(.busy, after: nil)), (504...599, .retry(.usual)),
        (600...Int.max, .retry(.usual)),
    ]

    @Test(arguments: table)
    func everyStatusHasItsClass(statuses: ClosedRange<Int>, outcome: DeliveryOutcome) {
        for status in [statuses.lowerBound, statuses.upperBound] {
            #expect(DeliveryOutcome(.status(status, retryAfter: nil)) == outcome, "\(status)")
        }
    }

    @Test(arguments: [408, 425, 429, 500, 503, 599]) func aWaitThatTheServerAsksForHoldsForTheServer(status: Int) {
        #expect(DeliveryOutcome(.status(status, retryAfter: .seconds(9))) == .hold(.busy, after: .seconds(9)))
    }

    @Test func whatIsNotAnAnswerIsRetried() {
        #expect(DeliveryOutcome(.unanswered) == .retry(.usual))
        #expect(DeliveryOutcome(.unreachable) == .unreachable)
        #expect(DeliveryOutcome(.noReceipt) == .hold(.noReceipt, after: nil))
    }
}
