import Commands
import System

extension ReportDay {
    /// For programs: the part that is not in `anicca days --json`.
    var json: JSONObject {
        let activity = states.runs.map { JSONObject(("from", clock(ofQuarter: $0.start)), ("state", "\($0.value)")) }
        let hours = steps.enumerated().filter { $0.element > 0 }.map { JSONObject(("hour", $0), ("steps", $1)) }
        return JSONObject(("date", day), ("activity", activity), ("stepsByHour", hours))
    }
}
