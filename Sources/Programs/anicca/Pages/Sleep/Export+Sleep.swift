import Commands
import Domains
import System
import Core

extension ExportContents {
    /// `ieee-sleep.json`
    func sleeps() throws -> [JSONObject] {
        let (sleeps, without) = SensedQuarter.sleeps(in: try sensed)
        for end in without {
            leaveOut(
                "the sleep that ended at \(end): its beginning cannot be found in the stored quarters; see days.json")
        }
        return sleeps.map(\.json)
    }
}

extension SensedQuarter {
    /// Each sleep with a known beginning, as an episode with its time asleep, and the ends of sleeps whose beginning is
    /// not found although the earlier quarters exist.
    static func sleeps(in quarters: [SensedQuarter]) -> (found: [OpenMHealthPoint], without: [WallTime]) {
        var (found, without): ([OpenMHealthPoint], [WallTime]) = ([], [])
        for (index, last) in quarters.enumerated() {
            guard let minutes = last.amount(of: .sleepDuration), minutes > 0 else { continue }
            guard let end = last.woke else {
                without.append(last.span.upperBound)
                continue
            }
            switch onset(of: minutes, until: end, in: quarters[...index]) {
            case .found(let start) where start < end:
                found += [
                    OpenMHealthPoint(.sleepEpisode, in: start..<end, origin: last.origin),
                    OpenMHealthPoint(
                        .totalSleepTime, in: start..<end, ("total_sleep_time", minutes, "min"), origin: last.origin),
                ]
            case .found, .unknown: without.append(end)
            case .notKept: break
            }
        }
        return (found, without)
    }

    private enum Onset {
        case found(WallTime)
        /// The beginning is before the first stored quarter.
        case notKept
        case unknown
    }

    /// Nil if no sleep ended in it, or at a time outside it.
    private var woke: WallTime? {
        dated.time(of: .wakeAt).flatMap { $0 <= span.upperBound ? $0 : nil }
    }

    /// The store has the end of a sleep, and the minutes asleep of each quarter: counting back from the end, the sleep
    /// began where its minutes are complete. Within that quarter, the wearer is assumed to have slept on once asleep.
    private static func onset(
        of minutes: Int64, until end: WallTime, in quarters: ArraySlice<SensedQuarter>
    ) -> Onset {
        // The minutes are rounded.
        var missing = Interval.minutes(minutes) - .seconds(30)
        for (distance, quarter) in quarters.reversed().enumerated() {
            let belongsToAnother = distance > 0 && (quarter.amount(of: .sleepDuration) ?? 0) > 0
            guard !belongsToAnother, end - quarter.span.upperBound < .days(1) else { return .unknown }
            let asleep = Interval(nanoseconds: quarter.amount(of: .asleepMinutes) ?? 0)
            missing = missing - asleep
            if missing <= .zero {
                return .found(max(quarter.span.lowerBound, min(quarter.span.upperBound, end) - asleep))
            }
        }
        return .notKept
    }
}
