import ArgumentParser
import Commands
import Config
import Domains
import Store
import System
import Core

/// `anicca alarm list`
struct ListAlarms: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Show the alarms, their next times and their outcomes.")

    @OptionGroup var config: ConfigOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        let installation = try config.installation()
        let list = try AlarmList(installation.openStore(showing: [.alarm]), installation, at: Instant.now)
        if !output.json, !list.listing.isEmpty { try installation.tellIfAlarmIsOff() }
        output.show(list.listing, orTell: "no alarm is set: \(aniccaCommand("alarm add wake 07:00"))")
    }
}

/// The displayed alarms, with times in the wearer's local time.
struct AlarmList {
    private let book: AlarmBook
    private let moment: AlarmMoment?
    private let zone: LocalZone

    init(_ ledger: Ledger, _ installation: Installation, at now: Instant) throws {
        let clock = try installation.knownClock(of: ledger, at: now)
        moment = AlarmMoment(now, clock, boot: try thisBoot())
        if !LocalZone.choose(installation.settings.alarmTimeZone) {
            tell("the wearer's time-zone \(LocalZone.isUnknown), so times are UTC")
        }
        zone = .ofSystem
        book = try ledger.book()
    }

    var listing: Listing { Listing(book.alarms.map(fields)) }

    private func fields(of alarm: AlarmEntry) -> [Field] {
        let plan = alarm.plan
        let next = moment.flatMap { book.nextTime(of: alarm, at: $0, zone) }
        let again = moment.flatMap { alarm.playsAgain(at: $0) }
        let soon = book.isOn(plan.kind) ? (again ?? next).map { shown($0) } ?? "unknown" : "off"
        return [
            Field("id", alarm.id, "", .right), Field("kind", plan.kind.description, "kind"),
            Field("time", "\(ClockTime(minute: plan.minute))", "time"),
            Field("days", plan.weekdays.description, "days"),
            Field("followUps", plan.followUps), Field("everyMinutes", plan.interval),
            Field("on", book.isOn(plan.kind)), Field("ringing", alarm.isRinging),
            Field("next", next, "next", alarm.isRinging && again == nil ? "plays now" : soon),
            Field("outcome", alarm.outcome?.name, "last", last(alarm)), Field("outcomeAt", alarm.outcomeAt),
            Field("missed", alarm.missed > 0 ? alarm.missed : nil),
        ]
    }

    private func last(_ alarm: AlarmEntry) -> String {
        guard let outcome = alarm.outcome else { return "" }
        let times = alarm.missed > 1 ? " \(alarm.missed) times" : ""
        return outcome.text + times + (alarm.outcomeAt.map { ", \(shown($0))" } ?? "")
    }

    /// `2026-11-24 07:00`
    private func shown(_ time: WallTime) -> String {
        "\(zone.day(at: time)) \(ClockTime(minute: zone.minute(at: time)))"
    }
}

extension AlarmEntry.Outcome {
    private var words: (name: String, text: String) {
        switch self {
        case .played: ("played", "played")
        case .playedByUntrustedClock: ("playedByUntrustedClock", "played, but the clock was not synchronised")
        case .playedEarly: ("playedEarly", "played early, because you stirred")
        case .missed: ("missed", "missed")
        case .cutShort: ("cutShort", "cut short")
        case .failed: ("failed", "not played: its line was not available")
        }
    }
    fileprivate var name: String { words.name }
    var text: String { words.text }
}

extension Weekdays: CustomStringConvertible, ExpressibleByArgument {
    private static let names = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
    private static let words: [(name: String, bits: UInt8)] = [
        ("daily", 0x7F), ("weekdays", 0x1F), ("weekend", 0x60),
    ]

    public init?(argument: String) {
        if let word = Self.words.first(where: { $0.name == argument }) {
            self.init(bits: word.bits)
            return
        }
        var bits: UInt8 = 0
        for name in argument.split(separator: ",", omittingEmptySubsequences: false) {
            guard let index = Self.names.firstIndex(of: String(name)) else { return nil }
            bits |= 1 << index
        }
        self.init(bits: bits)
    }

    public var description: String {
        if let word = Self.words.first(where: { $0.bits == bits }) { return word.name }
        return Self.names.indices.filter { bits >> $0 & 1 == 1 }.map { Self.names[$0] }.joined(separator: ",")
    }
}

extension ClockTime: ExpressibleByArgument {
    public init?(argument: String) { self.init(argument) }
}
