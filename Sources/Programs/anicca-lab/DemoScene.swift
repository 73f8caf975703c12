import Domains
import Core

/// The changes of consent in the demo: on the fourth day the wearer turns motion off, and on the fifth the sensor's
/// node loses its permission.
struct DemoScene {
    enum Act {
        case turn(Domain, on: Bool)
        /// The mode of the IMU's node changes, and with it whether the daemon may open it.
        case sensorNode(isAllowed: Bool)
    }

    struct Moment {
        let time: WallTime
        let act: Act
        /// The text for the report.
        let text: String
    }

    let moments: [Moment]

    /// The number of days that the scene needs.
    static let length = 5

    init(firstDay: UTCDay) {
        let fourth = firstDay + 3
        let fifth = firstDay + 4
        let sixth = firstDay + 5
        moments = [
            Moment(
                time: fourth.start + .hours(12), act: .turn(.motion, on: false),
                text: "the wearer turned motion off: sedentaryMinutes of the day left the record, steps went on"),
            Moment(time: fifth.start, act: .turn(.motion, on: true), text: "the wearer turned motion on again"),
            Moment(
                time: fifth.start + .hours(14), act: .sensorNode(isAllowed: false),
                text: "the sensor's node lost its permission: motion and sleep went off by themselves, steps went on"),
            Moment(
                time: sixth.start, act: .sensorNode(isAllowed: true),
                text: "the node's permission was restored; this alone turns no domain on"),
            Moment(time: sixth.start, act: .turn(.motion, on: true), text: "the wearer turned motion on again"),
        ]
    }

    /// The time at which motion was turned off on the day; nil if it stayed on.
    func motionEnds(on day: UTCDay) -> WallTime? {
        moments.first { moment in
            switch moment.act {
            case .turn(.motion, false), .sensorNode(false): UTCDay(containing: moment.time) == day
            case .turn, .sensorNode: false
            }
        }?.time
    }
}
