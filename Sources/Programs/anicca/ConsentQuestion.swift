import Commands
import Config
import Domains
import System
import Store
import Core

/// The question behind a permission, in plain words (SPEC §2): the data collected, the data that leaves the device, the
/// retention, and how to withdraw the answer.
struct ConsentQuestion {
    /// A possible answer of the wearer.
    struct Choice {
        /// The words that can be typed; the prompt shows the first.
        let words: [String]
        let meaning: String
        let answer: Answer
    }

    let permission: Permission
    /// The domains of the permission that this version collects: the subject of the question.
    let domains: [Domain]
    /// The domains that may be agreed to alone, if there are several.
    let alone: [Domain]
    let settings: Settings
    /// The earlier agreement, when the question offered less. It stands, whatever the answer.
    var agreed: Scope = []

    /// Asks it once. `notAsked` if it was left open.
    func ask(in prompt: Prompt) -> Answer {
        for line in lines { prompt.say(line) }
        let known = choices
        let answer = prompt.ask(call, choices: choiceText) { words in
            known.first { $0.words.contains(words) }?.answer
        }
        return answer ?? .notAsked
    }

    /// The answers besides leaving it open.
    var choices: [Choice] {
        let yes = Choice(words: ["y", "yes"], meaning: "yes", answer: agreement(to: Scope(of: domains)))
        let no = Choice(words: ["n", "no"], meaning: "no", answer: .declined)
        return [yes] + narrowerChoices + [no]
    }

    private var narrowerChoices: [Choice] {
        if domains.count > 1 {
            // With a single remaining domain, a yes means the same.
            guard agreed.isEmpty || added.count > 1 else { return [] }
            // A domain that needs others is of no use without them.
            let useful = alone.count > 1 ? alone.filter(\.needs.isEmpty) : alone
            return useful.filter(added.contains).map { domain in
                Choice(
                    words: ["only \(domain)", "\(domain) only"], meaning: "", answer: agreement(to: domain.leastScope))
            }
        }
        return domains.flatMap(\.words.choices).filter { !agreed.isSuperset(of: $0.scope) }.map { choice in
            Choice(words: choice.words, meaning: choice.meaning, answer: agreement(to: choice.scope))
        }
    }

    /// The domains without earlier agreement.
    private var added: [Domain] { domains.filter { !agreed.isSuperset(of: $0.leastScope) } }

    /// Agreement to a scope, and to what is sent beside its figures.
    func agreement(to scope: Scope) -> Answer {
        .agreed(scope.union(extras), offered: Scope(of: domains).union(extras))
    }

    private var extras: Scope { settings.extras(of: domains) }

    private var call: String { "Do you agree? Type \(choiceText):" }

    private var choiceText: String {
        let known = choices.map { $0.meaning.isEmpty ? $0.words[0] : "\($0.words[0]) (\($0.meaning))" }
        return known.joined(separator: ", ") + " or q (leave it open)"
    }
}

// MARK: - Wording

extension ConsentQuestion {
    var lines: [String] {
        var lines = [purpose]
        lines += standing
        lines += row("Collected", collected)
        lines += row("Sent", sent)
        lines += row("Kept", kept)
        lines += row("Withdraw", lines: withdrawal)
        return lines
    }

    /// Such as `Health: your steps and your sleep.`
    private var purpose: String { "\(permission.title): \(listed(domains.map(\.words.purpose)))." }

    private var standing: [String] {
        guard !agreed.isEmpty else { return [] }
        let more = Scope(of: added.isEmpty ? domains : []).union(extras).subtracting(agreed)
        let rest = listed(added.map(\.description) + (more.isEmpty ? [] : [more.description]))
        return wrapped("You agreed to \(agreed); that stays. This question is about \(rest).", to: 79)
    }

    private var collected: String {
        var parts = domains.map { (domains.count > 1 ? "for \($0) " : "") + $0.words.collected }
        if !permission.collectedOfAll.isEmpty { parts.append(permission.collectedOfAll) }
        return parts.joined(separator: "; ")
    }

    // From the tables that also define the stored data and the requests, so that they agree.
    private var figures: [Figure] { Figure.all.filter { domains.contains($0.domain) && $0.isStored } }
    private var events: [EventKind] { EventKind.all.filter { domains.contains($0.domain) } }
    private var books: [Book] { domains.flatMap(\.books) }
    private var isAnythingSent: Bool { !events.isEmpty || figures.contains(where: \.isSent) }

    private var sent: String {
        let fields = figures.filter(\.isSent)
        guard isAnythingSent else { return "nothing leaves the device" }
        var parts: [String] = []
        if !fields.isEmpty {
            parts.append("once a day, with the date, " + listed(fields.map { "\($0.meaning) (\($0))" }))
        }
        parts += figures.compactMap { figure in
            figure.filled.map { "within \($0), \(figure.meaning), for time that this device did not observe" }
        }
        if !events.isEmpty {
            parts.append("at once, with the time, " + listed(events.map { "\($0.meaning) (\($0))" }, "or"))
        }
        let receivers = [settings.server.baseURL, settings.mqtt.broker].compactMap { $0 }
        let place =
            receivers.isEmpty
            ? "nowhere yet: no server is configured. Once one is,"
            : receivers.map { "to \(escapingControls($0))" }.joined(separator: " and ")
        if extras.contains(.coverage) {
            parts.append(
                "with the figures, for how long of the day each kind was observed, and why not the rest (coverage)")
        }
        if extras.contains(.quarters) {
            parts.append(
                "for each quarter of an hour, \(listed(fields.filter(\.hasQuarters).map(\.description))) and how long it was observed, with a name of this "
                    + "device (quarters)")
        }
        if settings.announcesConsent, !fields.isEmpty {
            parts.append("at each change, the list of permitted figures")
        }
        return "\(place) in the name of your account: " + parts.joined(separator: "; ") + carried
    }

    /// The content of an event, besides its kind and its time.
    private var carried: String {
        guard !events.isEmpty else { return "" }
        var members: [String] = []
        for member in events.compactMap(\.member) {
            let words = "\(member.meaning) (\(member.key))"
            if !members.contains(words) { members.append(words) }
        }
        return ". An event carries \(listed(members)), and no raw samples, coordinates or app names"
    }

    private var kept: String {
        var parts: [String] = []
        if !figures.isEmpty {
            parts.append("for each day and quarter of an hour " + listed(figures.map { "\($0.meaning) (\($0))" }))
        }
        if !events.isEmpty { parts.append("the events with their times") }
        for book in books { if case .byDay = book.rows { parts.append(book.words) } }
        if !parts.isEmpty {
            parts[0] = "for \(settings.store.historyDays) days, " + parts[0]
            parts.append("the state needed after a restart")
        }
        for book in books { if case .one(let lasting) = book.rows { parts.append("\(book.words), \(lasting)") } }
        let waiting =
            isAnythingSent ? ". Unsent data is kept for \(words(for: settings.delivery.keepUndelivered))" : ""
        return "encrypted on this device: " + parts.joined(separator: "; ") + waiting
            + ". Your answer stays in the trail (anicca audit)"
    }

    private var withdrawal: [String] {
        var lines = ["at any time:"]
        lines += domains.map { "anicca toggle \($0) off" }
        lines += domains.filter { $0.leastScope != $0.wholeScope }.map { "anicca permissions narrow \($0)" }
        lines.append("anicca permissions deny \(permission)")
        lines += erasure
        return lines
    }

    private var erasure: [String] {
        let forgetting = domains.map { "anicca forget \($0), which deletes the data on this device" }
        guard isAnythingSent else { return forgetting }
        return forgetting + [
            "The \(settings.receiver) is asked to erase its copy; if it offers no erasure,",
            "ask its operator.",
        ] + domains.flatMap(\.filledFigures).map(\.whatStays)
    }

    private func row(_ name: String, _ text: String) -> [String] { row(name, lines: wrapped(text, to: 66)) }

    private func row(_ name: String, lines: [String]) -> [String] {
        lines.enumerated().map { index, line in
            "  " + pad(index == 0 ? name : "", to: 11) + line
        }
    }
}

// MARK: - Text

/// In days if it is a whole number of days, otherwise in hours.
private func words(for interval: Interval) -> String {
    let hours = interval.inSeconds / 3600
    let (count, unit) = hours % 24 == 0 ? (hours / 24, "day") : (hours, "hour")
    return counted(Int(count), unit)
}

extension Domain {
    /// The figures of other domains within which its minutes are sent.
    var filledFigures: [Figure] { figures.compactMap(\.filled) }
}

extension Figure {
    /// Says that a server keeps the minutes of another domain within it, when that domain is forgotten.
    var whatStays: String { "What \(self) holds of it goes with anicca forget \(domain)." }
}

extension Book {
    /// Such as `the alarms that you set (alarms)`.
    fileprivate var words: String { "\(meaning) (\(name))" }
}
