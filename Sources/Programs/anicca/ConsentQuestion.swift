import Config
import Consent
import Daybook
import Files
import Journaling
import Quantities

/// The question behind a permission, in plain words (SPEC §2): what is collected, what leaves the device, how long it is
/// kept, and how to take the answer back.
struct ConsentQuestion {
    /// A possible answer of the wearer.
    struct Choice {
        /// The words that can be typed; the prompt shows the first.
        let words: [String]
        let meaning: String
        let answer: Answer
    }

    let permission: Permission
    /// The domains that may be agreed to alone, where the permission stands for several.
    let domains: [Domain]
    let settings: Settings

    /// Asks it once. `notAsked` when it was left open.
    func ask(in prompt: Prompt) -> Answer {
        for line in lines { prompt.say(line) }
        let known = choices
        let answer = prompt.ask(call, choices: choiceText) { words in
            known.first { $0.words.contains(words) }?.answer
        }
        return answer ?? .notAsked
    }

    /// Apart from leaving it open.
    var choices: [Choice] {
        let yes = Choice(words: ["y", "yes"], meaning: "yes", answer: .agreedWholly(to: permission))
        let no = Choice(words: ["n", "no"], meaning: "no", answer: .declined)
        return [yes] + narrowerChoices + [no]
    }

    private var narrowerChoices: [Choice] {
        switch permission {
        case .motion, .screenTime, .alarm: []
        case .health:
            domains.map { domain in
                Choice(words: ["only \(domain)", "\(domain) only"], meaning: "", answer: .agreed(.least(for: domain)))
            }
        case .location:
            [
                Choice(
                    words: ["events only", "only events", "events only, no coordinates"], meaning: "no coordinates",
                    answer: .agreed(.least(for: .location)))
            ]
        }
    }

    private var call: String { "Do you agree? Type \(choiceText):" }

    private var choiceText: String {
        let known = choices.map { $0.meaning.isEmpty ? $0.words[0] : "\($0.words[0]) (\($0.meaning))" }
        return known.joined(separator: ", ") + " or q (leave it open)"
    }
}

// MARK: - Wording

extension ConsentQuestion {
    var lines: [String] {
        [permission.purpose]
            + row("Collected", permission.collected + notYet)
            + row("Sent", sent)
            + row("Kept", kept)
            + row("Withdraw", lines: withdrawal)
    }

    /// What may be agreed to now but is of no consequence before a later version.
    private var notYet: String {
        let later = permission.domains.filter { !$0.isInUse }.map(\.description)
        return later.isEmpty ? "" : ". This version does nothing with \(list(later)) yet"
    }

    /// From the same tables as the requests, so that it cannot fall behind them.
    private var sent: String {
        let fields = SampleType.allCases.filter { $0.domain.permission == permission && $0.isSent }
        let events = NudgeEvent.Kind.allCases.filter { $0.domain.permission == permission }
        guard !fields.isEmpty || !events.isEmpty else { return "nothing leaves the device" }
        var parts: [String] = []
        if !fields.isEmpty { parts.append("once a day " + list(fields.map { "\($0.inWords) (\($0))" })) }
        if !events.isEmpty {
            parts.append("at once, with the time, " + list(events.map { "\($0.inWords) (\($0))" }, or: "or"))
        }
        let place =
            settings.server.baseURL.map { "to \(escapingControls($0))" }
            ?? "nowhere yet, for no server is named. Once it is,"
        let note = events.isEmpty ? "" : ". An event carries no raw samples, no places, no app names"
        return "\(place) in the name of your account: " + parts.joined(separator: "; ") + note
    }

    private var kept: String {
        guard permission != .alarm else { return "nothing but your answer, in the trail (anicca audit)" }
        return "encrypted on this device for \(settings.store.historyDays) days; what could not be sent waits for "
            + "\(words(for: settings.delivery.keepUndelivered)). Your answer stays in the trail (anicca audit)"
    }

    private var withdrawal: [String] {
        ["at any time:"] + permission.domains.map { "anicca toggle \($0) off" }
            + ["anicca permissions deny \(permission)"] + erasure
    }

    private var erasure: [String] {
        guard permission != .alarm else { return [] }
        return permission.domains.map { "anicca forget \($0), which deletes what is stored here" }
            + ["What the server has by then, its operator has to delete."]
    }

    private func row(_ name: String, _ text: String) -> [String] { row(name, lines: wrapped(text, to: 66)) }

    private func row(_ name: String, lines: [String]) -> [String] {
        lines.enumerated().map { index, line in
            "  " + pad(index == 0 ? name : "", to: 11) + line
        }
    }
}

extension Permission {
    fileprivate var purpose: String {
        switch self {
        case .motion: "Motion: how much of the day you sit still."
        case .health: "Health: your steps and your sleep."
        case .screenTime: "Screen time: how long you use social apps on your phone."
        case .location: "Location: when you come to a place, leave it or stay there."
        case .alarm: "Alarm: the device may vibrate or sound."
        }
    }

    fileprivate var collected: String {
        switch self {
        case .motion:
            "what the accelerometer feels, for some seconds every minute, less often while you are still; this device "
                + "turns it into minutes of sitting and keeps no samples"
        case .health:
            "for steps the pulses of the step sensor or, where none is wired, what the accelerometer feels, without a "
                + "pause while you walk, counted on this device; for sleep how the accelerometer lies and moves, turned "
                + "into when you slept and for how long; no samples are kept"
        case .screenTime:
            "minutes of social-app use as your paired phone reports them; never which apps or sites"
        case .location: "where you are, from gpsd; whether that is one of your places is worked out on this device"
        case .alarm: "nothing; the motor or buzzer is switched on to remind you"
        }
    }
}

extension SampleType {
    fileprivate var inWords: String {
        switch self {
        case .sleepDuration: "minutes of sleep"
        case .wakeAt: "when you woke"
        case .socialMinutes: "minutes of social apps"
        case .steps: "the number of steps"
        case .rawPulses: "pulses of the step sensor"
        case .sedentaryMinutes: "minutes of sitting"
        }
    }
}

extension NudgeEvent.Kind {
    fileprivate var inWords: String {
        switch self {
        case .sedentaryLong: "that you sat for long"
        case .socialThresholdExceeded: "that you used social apps for long"
        case .geofenceEntered: "that you came to a place"
        case .geofenceExited: "that you left one"
        case .visit: "that you stay somewhere"
        }
    }
}

// MARK: - Text

/// `a, b and c`.
private func list(_ words: [String], or last: String = "and") -> String {
    guard words.count > 1, let end = words.last else { return words.first ?? "" }
    return words.dropLast().joined(separator: ", ") + " \(last) " + end
}

/// Whole days where it is so many, else hours.
private func words(for interval: Interval) -> String {
    let hours = interval.inSeconds / 3600
    let (count, unit) = hours % 24 == 0 ? (hours / 24, "day") : (hours, "hour")
    return "\(count) \(unit)\(count == 1 ? "" : "s")"
}
