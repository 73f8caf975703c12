import Domains
import Store
import Core

/// An alarm of the demo's wearer, and the motor's activity.
struct DemoAlarm {
    let isPlayed: Bool
    /// Those still in the store: the last week's.
    let nudges: Int

    private static let time = ClockTime(minute: 450)

    /// Allows alarms, and sets one for Mondays.
    static func set(in ledger: Ledger, at time: WallTime) throws(LedgerError) {
        try ledger.change([.reply(.alarm, .agreedWholly(to: .alarm))], at: time)
        let plan = AlarmPlan(kind: .custom, minute: Self.time.minute, weekdays: Weekdays(bits: 1))
        _ = try ledger.changeBook(AlarmBook.self) { $0.add(plan, at: time) }
    }

    init(_ ledger: Ledger) throws(LedgerError) {
        isPlayed = try ledger.book(AlarmBook.self).alarms.first?.outcome == .played
        nudges = try ledger.book(NudgeBook.self).nudges.count { $0.outcome == .played }
    }

    /// For people.
    var text: String {
        let alarm = isPlayed ? "the alarm of Monday, \(Self.time), and " : ""
        return "The motor played \(alarm)\(nudges) of the server's nudges."
    }
}
