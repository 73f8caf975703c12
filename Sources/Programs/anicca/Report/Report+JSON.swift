import Program

extension ReportDay {
    /// For programs: the part that `anicca days --json` does not have.
    var json: JSONObject {
        var json = JSONObject()
        json.put("date", day.description)
        json.put(
            "activity",
            states.runs.map { run in
                var json = JSONObject()
                json.put("from", clock(ofQuarter: run.start))
                json.put("state", "\(run.value)")
                return json
            })
        json.put(
            "stepsByHour",
            steps.enumerated().filter { $0.element > 0 }.map { hour, steps in
                var json = JSONObject()
                json.put("hour", hour)
                json.put("steps", steps)
                return json
            })
        return json
    }
}
