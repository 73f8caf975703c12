import Commands
import Core
import Signal

/// A window of a recording and its judgement.
struct JudgedWindow {
    /// The start on the recording's own clock.
    let start: Interval
    /// The verdict: after a window of low confidence, the previous judgement.
    let judgement: Judgement
    let isWorn: Bool
    /// Whether the gap before it is too long to continue the previous window.
    let followsGap: Bool
}

/// The results of a recording.
struct ReplaySummary {
    /// Rows of the file.
    var samples = 0
    var windows = 0
    var time = ActivityTime()
    /// Steps counted in acceleration.
    var steps = 0
    /// The gaps, which the figures exclude.
    var gaps = Gaps()
    /// Whether the last row of the file was cut off and left out.
    var isCutOff = false
    /// The sleeps, oldest first.
    var sleeps: [RecordedSleep] = []
    /// The session's results; nil if no session ran.
    var session: Session?

    /// The times without a recording.
    struct Gaps {
        var count = 0
        var time = Interval.zero
    }

    /// The results of a duty-cycled session.
    struct Session {
        let sedentaryMinutes: Int64
        let wakeUps: Int
        /// The share of the time that the sensor was on, 0 to 1.
        let imuOnFraction: Double
    }

    mutating func add(_ window: JudgedWindow, standingFor span: Interval) {
        windows += 1
        time.add(span, of: window)
    }

    /// Notes for readers of the figures.
    var notes: [String] {
        var notes: [String] = []
        if isCutOff { notes.append("the last row is cut off and left out") }
        if windows == 0 { notes.append("not one window of 5.12 s without a gap: too short to be judged") }
        if gaps.count > 0 {
            notes.append(
                "\(counted(gaps.count, "gap")) of \(roundedMinutes(gaps.time)) min in all skipped; "
                    + "--continuous restarts after each")
        }
        return notes
    }
}

/// A sleep in a recording, on its own clock.
struct RecordedSleep {
    /// The time in bed.
    let start, end: Interval
    let asleep: Interval
}

/// Time by activity; time in which the sensor was not worn counts separately.
struct ActivityTime {
    private var spans = [Interval](repeating: .zero, count: Activity.allCases.count)
    private var notWorn = Interval.zero

    mutating func add(_ span: Interval, of window: JudgedWindow) {
        if window.isWorn {
            spans[Int(window.judgement.activity.rawValue)] += span
        } else {
            notWorn += span
        }
    }

    /// Minutes to a tenth, by name.
    var minutes: [(name: String, minutes: Double)] {
        Activity.allCases.map { ($0.description, roundedMinutes(spans[Int($0.rawValue)])) }
            + [("notWorn", roundedMinutes(notWorn))]
    }
}

/// To a tenth.
private func roundedMinutes(_ span: Interval) -> Double {
    (Double(span.nanoseconds) / Double(Interval.minutes(1).nanoseconds) * 10).rounded() / 10
}
