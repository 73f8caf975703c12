import ArgumentParser
import Commands
import Config
import Domains
import Ledger
import Program
import Quantities
import Timekeeping

/// `anicca alarm list`
struct ListAlarms: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Show the alarms, when they play next, and what became of them.")

    @OptionGroup var config: ConfigOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        let installation = try config.installation()
        let lines = try AlarmList(installation.openStore(), installation, at: Instant.now)
        if output.json { return print(lines.json) }
        guard !lines.isEmpty else { return tell("no alarm is set: \(aniccaCommand("alarm add wake 07:00"))") }
        printLines(lines.table)
    }
}

/// The alarms as they are shown: times are those of the wearer's clock.
struct AlarmList {
    private let book: AlarmBook
    private let moment: AlarmMoment?
    private let zone: LocalZone

    init(_ ledger: Ledger, _ installation: Installation, at now: Instant) throws(Failure) {
        let clock = try installation.knownClock(of: ledger, at: now)
        moment = AlarmMoment(now, clock, boot: try thisBoot())
        if !LocalZone.choose(installation.settings.alarm.timeZone) {
            tell("[alarm] time-zone is not in the time-zone database of this machine, so times are UTC")
        }
        zone = .ofSystem
        do {
            book = try ledger.alarms()
        } catch {
            throw Failure(error)
        }
    }

    var isEmpty: Bool { book.alarms.isEmpty }

    private func next(_ alarm: AlarmEntry) -> WallTime? {
        moment.flatMap { book.nextTime(of: alarm, at: $0, zone) }
    }

    var json: String {
        book.alarms.map { alarm in
            var json = JSONObject()
            json.put("id", alarm.id)
            json.put("kind", alarm.plan.kind.description)
            json.put("time", ClockTime(minute: alarm.plan.minute).description)
            json.put("days", alarm.plan.weekdays.description)
            json.put("followUps", alarm.plan.followUps)
            json.put("everyMinutes", alarm.plan.interval)
            json.put("on", book.isOn(alarm.plan.kind))
            json.put("ringing", alarm.isRinging)
            if let next = next(alarm) { json.put("next", next.description) }
            if let outcome = alarm.outcome { json.put("outcome", outcome.name) }
            if let time = alarm.outcomeAt { json.put("outcomeAt", time.description) }
            if alarm.missed > 0 { json.put("missed", alarm.missed) }
            return json
        }.json
    }

    var table: [String] {
        var table = Table([
            ("", .right), ("kind", .left), ("time", .left), ("days", .left), ("next", .left), ("last", .left),
        ])
        for alarm in book.alarms {
            let next = book.isOn(alarm.plan.kind) ? next(alarm).map { shown($0) } ?? "unknown" : "off"
            table.add([
                "\(alarm.id)", "\(alarm.plan.kind)", "\(ClockTime(minute: alarm.plan.minute))",
                "\(alarm.plan.weekdays)", alarm.isRinging ? "plays now" : next, last(alarm),
            ])
        }
        return table.lines()
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
    /// For programs.
    fileprivate var name: String {
        switch self {
        case .played: "played"
        case .playedByUntrustedClock: "playedByUntrustedClock"
        case .playedEarly: "playedEarly"
        case .missed: "missed"
        case .cutShort: "cutShort"
        case .failed: "failed"
        }
    }

    /// For people.
    fileprivate var text: String {
        switch self {
        case .played: "played"
        case .playedByUntrustedClock: "played, by a clock that nobody vouches for"
        case .playedEarly: "played early, as you stirred"
        case .missed: "missed"
        case .cutShort: "cut short"
        case .failed: "not played, its line was away"
        }
    }
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
