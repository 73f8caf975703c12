import Domains
import Store
import Core

/// One alarm of the demo's wearer, and what the motor played.
struct DemoAlarm {
    let isPlayed: Bool
    /// Of those that the store still has: the last week's.
    let nudges: Int

    private static let time = ClockTime(minute: 450)

    /// Allows the alarm, and sets one for Mondays.
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
        "The motor \(isPlayed ? "played" : "did not play") the alarm of Monday, \(Self.time), and \(nudges) of the server's nudges."
    }
}
