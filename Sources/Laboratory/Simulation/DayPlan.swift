import Core

/// The plan of a simulated wearer's day.
public struct DayPlan: Equatable, Sendable {
    /// Drives to work and back, with desk work in between; otherwise a day at home.
    public var works = true
    public var drives = true
    public var runs = false
    /// Sits for more than 90 minutes without a break.
    public var sitsLong = true
    /// Leaves the sensor on a table for part of the evening.
    public var restsSensor = false
    /// Steps walked, within a few per cent; steps of runs are added.
    public var steps = 8_500
    /// Since 00:00 UTC.
    public var wakes = Interval.minutes(6 * 60 + 30)
    /// Since 00:00 UTC, before the next 00:00 UTC.
    public var goesToBed = Interval.minutes(22 * 60 + 30)

    public init() {}
}

extension DayPlan {
    /// Eight hours of night, nine of sitting and light movement, 8,500 steps, an hour in the car; for the rest of the
    /// day the wearer stands, or has left the sensor on a table.
    public static var typical: DayPlan {
        var plan = DayPlan()
        plan.restsSensor = true
        return plan
    }

    /// Seven days in a row: one or two runs, two evenings without the sensor, and on all but one day a drive and a long
    /// sitting.
    static func week(using generator: inout SplitGenerator) -> [DayPlan] {
        let order = Array(0..<7).shuffled(using: &generator)
        let freeDay = Int.random(in: 0..<7, using: &generator)
        let runs = Set(order.prefix(Int.random(in: 1...2, using: &generator)))
        return (0..<7).map { day in
            var plan = DayPlan()
            plan.works = day != freeDay && day != (freeDay + 1) % 7
            plan.drives = day != freeDay
            plan.runs = runs.contains(day)
            plan.restsSensor = order[3...4].contains(day)
            plan.sitsLong = order[5] != day
            plan.steps = Int.random(in: 7_000...10_000, using: &generator)
            plan.wakes = .minutes(Int64.random(in: 375...425, using: &generator))
            plan.goesToBed = .minutes(Int64.random(in: 1330...1385, using: &generator))
            return plan
        }
    }
}
