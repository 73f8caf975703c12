import Foundation

/// The rules of a study about nudges, from a file in JSON (docs/fleet.md, "Nudges").
struct NudgePolicy: Sendable {
    struct Rule: Sendable {
        let name: String
        /// A type of `Event.types`, and its threshold if only one counts.
        let event: String
        let threshold: Int64?
        /// `light` or `strong`.
        let strength: String
        /// By language.
        let texts: [String: String]
        /// For a participant and day of theirs.
        let mostADay: Int
        /// Names, or beginnings of names with a `*` at the end; nil for everybody.
        let participants: [String]?
    }

    /// Minutes of the day; from after until goes over midnight.
    struct QuietHours: Sendable {
        let from, until: Int

        func contain(_ minute: Int) -> Bool {
            from <= until ? (from..<until).contains(minute) : minute >= from || minute < until
        }
    }

    /// Of a participant without their own.
    let language: String
    let timeZone: TimeZone
    let quietHours: QuietHours?
    /// The first one that fits counts.
    let rules: [Rule]

    /// Nobody is nudged.
    static let none = NudgePolicy(language: "", timeZone: .gmt, quietHours: nil, rules: [])

    /// A nudge for an older event is too late; a device does not play it either.
    static let patience: TimeInterval = 600
}

/// A request to the wearer, in the answer to an event.
struct Nudge: Hashable, Sendable {
    let rule: String
    let strength, message: String

    var json: JSON { .object(["strength": .string(strength), "message": .string(message)]) }
}

/// A participant as the rules see them.
struct NudgeRecipient: Sendable {
    /// Nil without a name, as for a device that was enrolled by its account.
    let name: String?
    let language, timeZone: String?
}

extension NudgePolicy {
    /// - Parameters:
    ///   - time: when the event arrived.
    ///   - given: the nudges of the participant's day so far, by rule.
    func decide(
        _ event: Event, for recipient: NudgeRecipient, at time: Date, given: [String: Int]
    ) -> Result<Nudge, NoNudge> {
        let fitting = rules.filter { rule in
            rule.event == event.type && (rule.threshold == nil || rule.threshold == event.threshold)
        }
        guard !fitting.isEmpty else { return .failure(.noRule) }
        guard let rule = fitting.first(where: { $0.includes(recipient) }) else { return .failure(.otherParticipants) }
        guard let age = event.age(at: time), age.magnitude <= NudgePolicy.patience else { return .failure(.late) }
        guard quietHours?.contain(minute(of: time, for: recipient)) != true else { return .failure(.quietHours) }
        guard given[rule.name, default: 0] < rule.mostADay else { return .failure(.enough) }
        let message = recipient.language.flatMap { rule.texts[$0] } ?? rule.texts[language] ?? ""
        return .success(Nudge(rule: rule.name, strength: rule.strength, message: message))
    }

    func zone(of recipient: NudgeRecipient) -> TimeZone {
        recipient.timeZone.flatMap(TimeZone.init(identifier:)) ?? timeZone
    }

    private func minute(of time: Date, for recipient: NudgeRecipient) -> Int {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone(of: recipient)
        let parts = calendar.dateComponents([.hour, .minute], from: time)
        return (parts.hour ?? 0) * 60 + (parts.minute ?? 0)
    }
}

/// Why an event gets no nudge.
enum NoNudge: String, Error {
    case noRule = "no rule is about it, or about its threshold"
    case otherParticipants = "the rules are for other participants"
    case late = "its time is more than 10 minutes from its arrival"
    case quietHours = "quiet hours"
    case enough = "there were enough of the rule on that day"
}

extension NudgePolicy.Rule {
    func includes(_ recipient: NudgeRecipient) -> Bool {
        guard let participants else { return true }
        guard let name = recipient.name else { return false }
        return participants.contains { $0.hasSuffix("*") ? name.hasPrefix($0.dropLast()) : name == $0 }
    }
}

extension Event {
    /// Seconds since the event; nil if its timestamp is no time.
    fileprivate func age(at time: Date) -> TimeInterval? {
        (try? Date(timestamp, strategy: .iso8601)).map { time.timeIntervalSince($0) }
    }
}
