import Domains
import Core

/// The nights as bars from noon to noon.
struct SleepBars {
    private let report: Report

    init(_ report: Report) { self.report = report }

    var section: HTML {
        guard report.days.contains(where: { isTold($0) }) else {
            return .section("sleep", "Sleep", [HTML.element("p", "No sleep is stored of these days.")])
        }
        return .section(
            "sleep", "Sleep",
            [
                HTML.element(
                    "p",
                    "From noon of the previous day to noon: the quarters of an hour in which you mostly slept."
                ),
                HTML.element(
                    "ol", ["class": "rows told"],
                    [.axis(["12", "18", "00", "06", "12"])] + report.days.enumerated().map(row)),
                .details("Sleep as a table", table),
            ])
    }

    private func isTold(_ day: ReportDay) -> Bool { day.entry(of: .sleepDuration) != nil || day.night.contains(true) }

    private func row(_ index: Int, _ day: ReportDay) -> HTML {
        HTML.element(
            "li",
            [
                .date(day),
                .day(
                    "night", index, title: "Sleep that ended on \(day.day)",
                    description: isTold(day) ? told(day) : "none stored", HTML.line("asleep", sleeps(of: day))),
                HTML.element("span", ["class": "words"], HTML(isTold(day) ? told(day) : "–")),
            ])
    }

    private func sleeps(of day: ReportDay) -> [Run<Bool>] { day.night.runs.filter(\.value) }

    /// Such as `23:15 to 06:30`.
    private func spans(of day: ReportDay) -> String {
        let spans = sleeps(of: day).map { "\(hour(afterNoon: $0.start)) to \(hour(afterNoon: $0.start + $0.count))" }
        return spans.isEmpty ? "times not stored" : spans.joined(separator: ", ")
    }

    private func hour(afterNoon quarter: Int) -> String { clock(ofQuarter: (quarter + 48) % 96) }

    /// The figures of the day: the length, and the end of the sleep.
    private func told(_ day: ReportDay) -> String {
        guard let minutes = day.number(of: .sleepDuration) else {
            return day.entry(of: .sleepDuration) == nil ? "no figure" : "unreadable"
        }
        return duration(minutes) + (day.number(of: .wakeAt).map { ", woke \(timeOfDay($0))" } ?? "")
    }

    private var table: HTML {
        .table(
            "Sleep by the day on which it ended (UTC)", ["day", "sleep", "asleep, by quarters of an hour"],
            report.days.filter(isTold).map { [HTML("\($0.day)"), HTML(told($0)), HTML(spans(of: $0))] })
    }
}

/// Such as `06:41`.
///
/// - Parameter seconds: since the epoch.
func timeOfDay(_ seconds: Int64) -> String { clock(WallTime(secondsSinceEpoch: seconds)) }
