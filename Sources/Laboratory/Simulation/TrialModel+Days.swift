import Domains
import Core
import Delivery

/// The data of each day, by true time.
extension TrialModel {
    /// The least and the greatest allowed value in a record.
    typealias Bounds = ClosedRange<Int64>

    /// The span of true time that certainly belongs to a day, and the span that may.
    private struct Share {
        let certain: (from: WallTime, to: WallTime)
        let possible: (from: WallTime, to: WallTime)

        func isCertain(_ time: WallTime) -> Bool { certain.from <= time && time < certain.to }
        func isPossible(_ time: WallTime) -> Bool { possible.from <= time && time < possible.to }
    }

    /// The parts of a boot that belong to a day: before its clock was trusted, and after.
    private struct Shares {
        let before: Share?
        let after: Share?
        /// The time from which the quarters of an hour are those of UTC.
        let turn: WallTime
    }

    /// A quarter of an hour of a boot without a clock belongs to one day as a whole, even across midnight.
    private static let roughness = Interval.minutes(15)

    private func shares(of day: UTCDay) -> [Shares] {
        var earliest: WallTime?
        var least: [WallTime?] = []
        for boot in boots {
            least.append(earliest)
            if boot.trusted != nil {
                earliest = boot.seen
            } else {
                earliest = earliest.map { $0 + (boot.seen - boot.began) }
            }
        }
        var latest: WallTime?
        var shares: [Shares] = []
        for (index, boot) in boots.enumerated().reversed() {
            if let trusted = boot.trusted {
                latest = boot.began
                shares.append(
                    Shares(
                        before: share(of: day, Self.roughness + boot.error),
                        after: share(of: day, boot.error), turn: trusted + Self.roughness))
                continue
            }
            latest = latest.map { $0 - (boot.seen - boot.began) }
            var share: Share?
            if let low = least[index], let high = latest, low <= high {
                let worst = boots.map(\.error).max() ?? .zero
                share = self.share(of: day, Self.roughness + worst, boot.began - low, high - boot.began)
            }
            shares.append(Shares(before: share, after: nil, turn: WallTime(nanoseconds: .max)))
        }
        return shares.reversed()
    }

    /// - Parameters:
    ///   - slack: the possible error of a date.
    ///   - before, after: how much earlier and later the boot may have been, as far as is known.
    private func share(
        of day: UTCDay, _ slack: Interval, _ before: Interval = .zero, _ after: Interval = .zero
    ) -> Share? {
        Share(
            certain: (day.start + before + slack, day.end - after - slack),
            possible: (day.start + before - slack, day.end - after + slack))
    }

    /// The steps that the record of the day must have, of those collected under one consent.
    func expectedSteps(of day: UTCDay, consent: Int) -> Bounds {
        let shares = shares(of: day)
        var (least, most): (Int64, Int64) = (0, 0)
        for step in writtenSteps where step.consent == consent {
            guard let all = stored(shares, step.boot), let share = step.time < all.turn ? all.before : all.after
            else { continue }
            if share.isCertain(step.time) { least += 1 }
            if share.isPossible(step.time) { most += 1 }
        }
        return min(least, 150_000)...min(max(least, most), 150_000)
    }

    /// The same for minutes of sitting.
    func expectedMinutes(of day: UTCDay, consent: Int) -> Bounds {
        let shares = shares(of: day)
        var (least, most) = (Interval.zero, Interval.zero)
        for sitting in writtenSittings where sitting.consent == consent {
            guard let all = stored(shares, sitting.boot) else { continue }
            let turn = min(max(all.turn, sitting.from), sitting.to)
            for (share, from, to) in [(all.before, sitting.from, turn), (all.after, turn, sitting.to)] {
                guard let share else { continue }
                least += overlap(from, to, share.certain)
                most += overlap(from, to, share.possible)
            }
        }
        return minutes(least)...max(minutes(least), minutes(most))
    }

    /// The greatest error in the length of written data: gaps between two boots are only as accurate as both clocks.
    var largestDoubt: Interval { boots.reduce(.milliseconds(1)) { $0 + $1.error * 2 } }

    /// Boots without written data have no number here.
    private func stored(_ shares: [Shares], _ number: Int) -> Shares? {
        storedPlace(ofBoot: number).map { shares[$0] }
    }

    private func overlap(_ from: WallTime, _ to: WallTime, _ span: (from: WallTime, to: WallTime)) -> Interval {
        max(min(to, span.to) - max(from, span.from), .zero)
    }

    func minutes(_ time: Interval) -> Int64 { min((time + .seconds(30)).inMinutes, 1440) }
}

// MARK: - Records

extension TrialModel {
    /// Compares a record that is handed over with the truth.
    func check(_ record: SinkRecord) {
        if case .event(let event) = record.content { check(event, under: record.key) }
        guard case .day(let day, let figures, _) = record.content else { return }
        if let before = handed[day] {
            if before.key != record.key { fail(day, "a second record of the day") }
            if !isPart(record.content, of: before.content) {
                fail(day, "the record is another than before under the same key")
            }
            return
        }
        handed[day] = Handed(key: record.key, content: record.content, motion: motion, steps: steps)
        guard !clockLies else { return }
        if UTCDay(containing: machine.time) <= day { fail(day, "the record is sent before the day has ended") }
        compare(day, "steps", figures[.steps]?.number, steps, expectedSteps(of: day, consent: steps.times))
        compare(
            day, "sedentaryMinutes", figures[.sedentaryMinutes]?.number, motion,
            expectedMinutes(of: day, consent: motion.times))
        compare(day, "snsMinutesTotal", figures[.socialMinutes]?.number, Consent(), expectedUse(of: day))
    }

    /// Once a record may have arrived, its key is sent only with the same bytes.
    func check(_ isSameMessage: Bool, of record: SinkRecord) {
        guard !isSameMessage, case .day(let day, _, _) = record.content else { return }
        fail(day, "other bytes than before under the same key")
    }

    /// Before it arrived, turning off a toggle removes its figures from a record.
    private func isPart(_ content: SinkRecord.Content, of whole: SinkRecord.Content) -> Bool {
        guard case .day(let day, let figures, _) = content, case .day(day, let all, _) = whole else { return false }
        return figures.allSatisfy { all[$0.key] == $0.value }
    }

    private func compare(_ day: UTCDay, _ name: String, _ value: Int64?, _ consent: Consent, _ expected: Bounds) {
        guard consent.isOn else {
            if let value { fail(day, "\(name) is off, and \(value) in the record") }
            return
        }
        if !expected.contains(value ?? 0) {
            fail(day, "\(name) \(text(expected)) expected, \(value.map { "\($0)" } ?? "none") in the record")
        }
    }

    private func text(_ bounds: Bounds) -> String {
        bounds.lowerBound == bounds.upperBound ? "\(bounds.lowerBound)" : "\(bounds.lowerBound) to \(bounds.upperBound)"
    }

    /// Compares every day of a finished life with the records.
    ///
    /// - Parameter excused: days whose records were too old to be delivered.
    func conclude(_ days: ClosedRange<UTCDay>, excused: (UTCDay) -> Bool) {
        guard !clockLies else { return }
        var day = days.lowerBound
        while day <= days.upperBound {
            defer { day = day.next }
            if let record = handed[day], case .day(_, let figures, _) = record.content {
                // Data written after the record was sent is missing in it.
                compareLate(
                    day, "steps", figures[.steps]?.number, record.steps,
                    expectedSteps(of: day, consent: record.steps.times))
                compareLate(
                    day, "sedentaryMinutes", figures[.sedentaryMinutes]?.number, record.motion,
                    expectedMinutes(of: day, consent: record.motion.times))
                continue
            }
            guard !excused(day) else { continue }
            if steps.isOn, expectedSteps(of: day, consent: steps.times).lowerBound > 0 {
                fail(
                    day, "steps \(text(expectedSteps(of: day, consent: steps.times))) expected, and there is no record")
            }
            if motion.isOn, expectedMinutes(of: day, consent: motion.times).lowerBound > 0 {
                fail(
                    day,
                    "sedentaryMinutes \(text(expectedMinutes(of: day, consent: motion.times))) expected, and there is no record"
                )
            }
        }
    }

    private func compareLate(_ day: UTCDay, _ name: String, _ value: Int64?, _ consent: Consent, _ expected: Bounds) {
        guard consent.isOn, value ?? 0 < expected.lowerBound else { return }
        fail(
            day,
            "\(name) \(text(expected)) expected, \(value.map { "\($0)" } ?? "none") in the record: the rest came late")
    }
}
