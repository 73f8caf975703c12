import Daybook
import Quantities

extension JSONObject {
    /// The body of a daily record (SPEC §6), its figures in the order of `SampleType`. What is never sent is
    /// left out; a figure that is not given has no member at all.
    static func dailyRecord(userID: String, day: UTCDay, figures: [SampleType: Int64]) -> JSONObject {
        var body = JSONObject()
        body.put("userId", userID)
        body.put("date", day.description)
        for type in SampleType.allCases where type.isSent {
            guard let value = figures[type] else { continue }
            if type == .wakeAt {
                body.put(type.description, WallTime(secondsSinceEpoch: value).description)
            } else {
                body.put(type.description, value)
            }
        }
        return body
    }

    /// The body of an event (SPEC §6): what, when, and the threshold that was crossed.
    static func nudge(_ event: NudgeEvent) -> JSONObject {
        var payload = JSONObject()
        switch event.kind {
        case .sedentaryLong: payload.put("stationaryMinutes", event.thresholdMinutes)
        case .socialThresholdExceeded: payload.put("thresholdMinutes", event.thresholdMinutes)
        case .geofenceEntered, .geofenceExited, .visit: break
        }
        var body = JSONObject()
        body.put("eventType", event.kind.description)
        body.put("eventPayload", payload)
        body.put("timestamp", event.at.description)
        return body
    }
}
