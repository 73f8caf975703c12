import Domains
import Core
import Delivery

/// The phone's reports, and the expected minutes.
extension TrialModel {
    /// Reports that the agent read but has not written.
    func takeReports(_ used: [Range<WallTime>]) { takenReports += used }

    /// The reports read so far are now written.
    func reportsCommitted() {
        guard !takenReports.isEmpty else { return }
        // The start of the wearer's agreement, fixed by the first reading, is now written too.
        reportsCountFrom = reportsCountFrom ?? machine.time
        writtenReports += takenReports
        if takenReports.contains(where: isLate) { hadLateReports = true }
        takenReports = []
    }

    private func isLate(_ used: Range<WallTime>) -> Bool {
        [used.lowerBound, used.upperBound].contains { handed[UTCDay(containing: $0)] != nil }
    }

    /// The expected minutes of social apps in the record of a day: at least those read, at most those used.
    func expectedUse(of day: UTCDay) -> Bounds {
        let slack = Interval.minutes(15) + .seconds(1) + (boots.map(\.error).max() ?? .zero)
        let counted = writtenReports.filter { used in reportsCountFrom.map { used.lowerBound >= $0 } ?? false }
        let used = phone.reports.filter { $0.arrives <= machine.time }.map(\.used)
        let least = length(of: counted, within: (day.start + slack)..<(day.end - slack))
        let most = length(of: used, within: (day.start - slack)..<(day.end + slack))
        return minutes(least - .seconds(1))...minutes(most + .seconds(1))
    }

    /// The total time covered by the spans.
    private func length(of spans: [Range<WallTime>], within bounds: Range<WallTime>) -> Interval {
        var (length, end) = (Interval.zero, bounds.lowerBound)
        for span in spans.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            let part =
                max(span.lowerBound, end)..<max(min(span.upperBound, bounds.upperBound), max(span.lowerBound, end))
            length += part.upperBound - part.lowerBound
            end = max(end, part.upperBound)
        }
        return length
    }

    /// A threshold of a day is reported once, with the time at which it was reached.
    func check(_ event: NudgeEvent, under key: String) {
        guard event.kind == .socialThresholdExceeded, !clockLies else { return }
        let day = UTCDay(containing: event.at)
        // A corrected clock may move it across midnight.
        guard event.at - day.start > .minutes(1), day.end - event.at > .minutes(1) else { return }
        if let before = told[ThresholdOfDay(day: day, minutes: event.value)], before != key {
            fail(day, "\(event.value) minutes of social apps are told twice")
        }
        told[ThresholdOfDay(day: day, minutes: event.value)] = key
        if expectedUse(of: day).upperBound < Int64(event.value) {
            fail(day, "\(event.value) minutes of social apps are told, and were not used")
        }
    }
}
