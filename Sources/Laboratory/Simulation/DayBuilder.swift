import Core

/// Converts the plan of a day into episodes, with errands, meals and drives.
///
/// A walk always precedes a long sitting, and every walk lasts well over a minute, so that the truth about sitting does
/// not depend on seconds.
struct DayBuilder {
    private let plan: DayPlan
    private let day: UTCDay
    private var generator: SplitGenerator
    private var now: WallTime
    private var stepsLeft: Int
    private var episodes: [Episode] = []

    /// The episodes of `day` from 00:00 UTC to 00:00 UTC, without gaps.
    static func episodes(of day: UTCDay, following plan: DayPlan, seed: UInt64) -> [Episode] {
        var builder = DayBuilder(day: day, plan: plan, seed: seed)
        builder.live()
        return builder.episodes
    }

    private init(day: UTCDay, plan: DayPlan, seed: UInt64) {
        self.day = day
        self.plan = plan
        generator = SplitGenerator(seed: seed, stream: UInt64(bitPattern: Int64(day.daysSinceEpoch)))
        now = day.start
        stepsLeft = plan.steps
    }

    private mutating func live() {
        add(.sleeping, until: day.start + plan.wakes)
        rise()
        if plan.works { work() } else { stayAtHome() }
        spendEvening()
        add(.sleeping, until: day.end)
    }

    private mutating func rise() {
        walk(steps: 160...200)
        add(.standing, minutes: 10...18)
        walk(steps: 170...230)
        add(.sitting, minutes: 15...25)
        walk(steps: 170...230)
        add(.standing, minutes: 5...10)
    }

    private mutating func work() {
        commute()
        work(at: .sitting, until: .minutes(12 * 60 + 10))
        walk(steps: 800...1100)
        add(.sitting, minutes: 25...35)
        walk(steps: 700...900)
        sitLong()
        work(at: .sitting, until: .minutes(17 * 60))
        commute()
    }

    private mutating func commute() {
        walk(steps: 350...500)
        if plan.drives { add(.driving, minutes: 28...32) } else { walk(steps: 900...1200) }
        walk(steps: 350...500)
    }

    private mutating func stayAtHome() {
        work(at: .standing, until: .minutes(9 * 60 + 30))
        commute()
        add(.standing, minutes: 15...20)
        walk(steps: 500...700)
        add(.standing, minutes: 15...20)
        commute()
        add(.sitting, minutes: 30...40)
        walk(steps: 200...300)
        sitLong()
        work(at: .sitting, until: .minutes(17 * 60))
    }

    /// Sits, or stands, with occasional errands.
    private mutating func work(at kind: Episode.Kind, until limit: Interval) {
        while now < day.start + limit - .minutes(15) {
            add(kind, minutes: 25...50)
            if chance(0.3) { add(.standing, minutes: 3...8) }
            walk(steps: 160...320)
        }
    }

    private mutating func sitLong() {
        guard plan.sitsLong else { return }
        add(.sitting, minutes: 98...125)
        walk(steps: 200...300)
    }

    private mutating func spendEvening() {
        add(.standing, minutes: 35...50)
        walk(steps: 160...200)
        add(.sitting, minutes: 20...30)
        walk(steps: 160...200)
        add(.standing, minutes: 30...45)
        if plan.runs { run() }
        walk(steps: max(stepsLeft - 600, 200))
        if plan.restsSensor {
            add(.off, minutes: 80...115)
            walk(steps: 160...180)
        }
        rest()
    }

    private mutating func run() {
        add(.running, .minutes(random(25...40)), cadence: Double(random(155...172)))
        walk(steps: 300...400)
    }

    /// Sits until bedtime; the last steps lead to bed.
    private mutating func rest() {
        let bed = day.start + plan.goesToBed
        while now < bed - .minutes(70) {
            add(.sitting, minutes: 40...50)
            walk(steps: 160...180)
        }
        add(.sitting, until: bed - .minutes(14))
        add(.standing, minutes: 10...12)
        add(.walking, bed - now, cadence: 100)
    }
}

extension DayBuilder {
    private mutating func add(_ kind: Episode.Kind, minutes: ClosedRange<Int64>) {
        add(kind, .seconds(random(minutes.lowerBound * 60...minutes.upperBound * 60)))
    }

    private mutating func add(_ kind: Episode.Kind, until time: WallTime) {
        if time > now { add(kind, time - now) }
    }

    private mutating func walk(steps: ClosedRange<Int>) { walk(steps: Int.random(in: steps, using: &generator)) }

    private mutating func walk(steps: Int) {
        let cadence = Double(random(98...122))
        stepsLeft -= steps
        add(.walking, Interval(nanoseconds: Int64(Double(steps) / cadence * 60e9)), cadence: cadence)
    }

    private mutating func add(_ kind: Episode.Kind, _ length: Interval, cadence: Double = 0) {
        episodes.append(Episode(kind: kind, start: now, end: now + length, cadence: cadence))
        now = now + length
    }

    private mutating func random(_ range: ClosedRange<Int64>) -> Int64 { Int64.random(in: range, using: &generator) }

    private mutating func chance(_ share: Double) -> Bool { Double.random(in: 0..<1, using: &generator) < share }
}
