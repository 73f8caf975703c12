import Domains
import System
import Core
import Testing

@testable import Store
@testable import Delivery

/// The made-up domain's figure and event, in the bodies of the requests.
@Suite struct ProbeRecordTests {
    @Test func theFigureJoinsTheDailyRecordAndTheEventHasItsPayload() {
        let body = JSONObject.dailyRecord(
            userID: "u", day: UTCDay(daysSinceEpoch: 20_103),
            figures: [.steps: 1, .probeWindows: 321, .probePauses: [60, 61, 300]])
        #expect(
            body.description
                == #"{"userId":"u","date":"2025-01-15","steps":1,"probeWindows":321,"probePauses":{"least":60,"median":61,"most":300}}"#
        )
        let at = UTCDay(daysSinceEpoch: 20_103).start
        let event = NudgeEvent(kind: .probeReached, at: at, value: 100)
        #expect(
            JSONObject.nudge(event).description.contains(#""eventType":"probe_reached","eventPayload":{"windows":100}"#)
        )
    }
}
