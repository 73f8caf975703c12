import Devices
import Core

/// The paired phone of the demo: social apps at the same hours each day, reported by a bridge that repeats itself. It can
/// also report totals of the day, in the evening.
struct DemoPhone {
    let firstDay: UTCDay
    let days: Int
    var totals: [Total] = []

    /// What it can report in the evening.
    enum Total: String, CaseIterable {
        case sitting, mindful, nutrition

        var amount: Int {
            switch self {
            case .sitting: 700
            case .mindful: 12
            case .nutrition: 2100
            }
        }
    }

    /// Minutes after 00:00 UTC at which a use ended, and its length in minutes.
    private static let uses: [(end: Int64, minutes: Int64)] = [(510, 10), (760, 25), (1_215, 30)]

    /// The minutes of a day.
    static let minutesADay = Int(uses.reduce(0) { $0 + $1.minutes })
    /// 30 and 60 minutes are reached.
    static let eventsADay = 2

    /// Whether the day is one of those with reports.
    func isUsed(on day: UTCDay) -> Bool { (firstDay..<firstDay + days).contains(day) }

    /// Puts the reports of this minute into the folder: the last use, and again an hour later.
    func report(into directory: String, at now: WallTime) throws(InboxError) {
        let day = UTCDay(containing: now)
        guard isUsed(on: day) else { return }
        for use in Self.uses {
            let end = day.start + .minutes(use.end)
            guard now - end == .zero || now - end == .hours(1) else { continue }
            let text = #"{"type":"sns","timestamp":"\#(end)","minutes":\#(use.minutes)}"#
            try CompanionInbox.put(Array(text.utf8), into: directory)
        }
        guard now == day.start + .minutes(1_215) else { return }
        for total in totals {
            let name = total == .sitting ? "minutes" : "total"
            let text = #"{"type":"\#(total)","date":"\#(day)Z","\#(name)":\#(total.amount)}"#
            try CompanionInbox.put(Array(text.utf8), into: directory)
        }
    }
}
