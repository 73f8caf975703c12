import Domains
import Foundation
import System
import Core
import Testing

@testable import Delivery

struct RequestBodyTests {
    let userID = "2d1a8f5e-8a1b-4f54-9c32-0123456789ab"
    let day = UTCDay(daysSinceEpoch: 20_103)

    @Test func aWholeRecordHasTheFieldsOfTheSpecificationInItsOrder() throws {
        let wakeAt = try #require(WallTime("2025-01-15T07:30:00Z")).secondsSinceEpoch
        let body = JSONObject.dailyRecord(
            userID: userID, day: day,
            figures: [
                .steps: 8500, .sedentaryMinutes: 300, .wakeAt: FigureValue(wakeAt), .socialMinutes: 180,
                .sleepDuration: 420,
                .rawPulses: 9000,
            ])
        #expect(
            body.description == """
                {"userId":"\(userID)","date":"2025-01-15","sleepDurationMin":420,"wakeAt":"2025-01-15T07:30:00Z",\
                "snsMinutesTotal":180,"steps":8500,"sedentaryMinutes":300}
                """)
    }

    @Test func whatIsMissingHasNoMember() {
        let body = JSONObject.dailyRecord(userID: userID, day: day, figures: [.steps: 0])
        #expect(body.description == #"{"userId":"\#(userID)","date":"2025-01-15","steps":0}"#)
    }

    @Test func coverageIsInOrderWithoutZeros() {
        let body = JSONObject.dailyRecord(
            userID: userID, day: day,
            figures: [
                .steps: 1, Domain.steps.observed: [1380, 45, 0, 0, 0, 15, 0], Domain.motion.observed: [0, 1440],
            ])
        #expect(
            body.description.hasSuffix(
                #""steps":1,"coverage":{"motion":{"observed":0,"off":1440},"steps":{"observed":1380,"off":45,"silent":15}}}"#
            ))
    }

    @Test func aRecordWithCoverageIsNoLongerThanTwoKilobytes() {
        var figures: [Figure: FigureValue] = [:]
        for figure in Figure.all where figure.isSent {
            figures[figure] = figure.form == .time ? 1_736_953_500 : 150_000
        }
        for domain in Domain.all where domain.figures.contains(where: \.isSent) {
            figures[domain.observed] = [210, 205, 205, 205, 205, 205, 205]
        }
        #expect(JSONObject.dailyRecord(userID: userID, day: day, figures: figures).utf8.count < 2048)
    }

    @Test func aTableIsAnObjectOrAListOfObjects() {
        func figure(hasOneRow: Bool) -> Figure {
            let table = FigureTable(
                [.init("kind", .word(["walk", "run"])), .init("start", .time), .init("steps")], hasOneRow: hasOneRow
            ) { $0.map(\.amount) }
            return Figure(id: 255, name: "bouts", meaning: "the bouts", fold: .table(table), source: .imu)
        }
        let rows: FigureValue = [0, 1_736_953_500, 812, 1, 1_736_960_000, 2_000, 7]
        let walk = #"{"kind":"walk","start":"2025-01-15T15:05:00Z","steps":812}"#
        let run = #"{"kind":"run","start":"2025-01-15T16:53:20Z","steps":2000}"#
        func body(_ figure: Figure, _ value: FigureValue) -> String {
            var body = JSONObject()
            body.put(figure: figure, value)
            return body.description
        }
        #expect(
            body(figure(hasOneRow: false), rows) == #"{"bouts":[\#(walk),\#(run)]}"#, "a row that is not whole is none")
        #expect(body(figure(hasOneRow: false), []) == #"{"bouts":[]}"#)
        #expect(body(figure(hasOneRow: true), rows) == #"{"bouts":\#(walk)}"#)
        #expect(body(figure(hasOneRow: true), []) == "{}")
        #expect(
            body(figure(hasOneRow: true), [2, 1_736_953_500, .max])
                == #"{"bouts":{"start":"2025-01-15T15:05:00Z","steps":9223372036854775807}}"#, "a newer version's word")
    }

    @Test(arguments: [
        (EventKind.sedentaryLong, "sedentary_long", #"{"stationaryMinutes":90}"#),
        (.socialThresholdExceeded, "sns_threshold_exceeded", #"{"thresholdMinutes":90}"#),
        (.geofenceEntered, "geofence_entered", "{}"), (.geofenceExited, "geofence_exited", "{}"),
        (.visit, "visit", "{}"),
    ])
    func anEventSaysWhatWhenAndWhichThreshold(kind: EventKind, type: String, payload: String) throws {
        let at = try #require(WallTime("2025-01-15T13:05:00Z"))
        let event = NudgeEvent(kind: kind, at: at, value: 90)
        #expect(
            JSONObject.nudge(event).description
                == #"{"eventType":"\#(type)","eventPayload":\#(payload),"timestamp":"2025-01-15T13:05:00Z"}"#)
    }

    @Test(arguments: ["", "plain", "\"\\/\u{8}\n\u{1F}\u{7F}", "Ünïcödé 🚶\u{2028}", "\0"])
    func everyTextComesBackFromAnotherParser(text: String) throws {
        var object = JSONObject()
        object.put(text, text)
        object.put("number", Int64.min)
        object.put("yes", true)
        let parsed = try JSONSerialization.jsonObject(with: Data(object.utf8)) as? [String: Any]
        #expect(parsed?[text] as? String == text)
        #expect(parsed?["number"] as? Int64 == .min)
        #expect(parsed?["yes"] as? Bool == true)
    }
}
