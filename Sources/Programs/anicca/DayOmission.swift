import Commands
import Domains
import Store
import System
import Core

/// A time of a day that is missing in all or some of its figures, with the reason.
struct DayOmission: Equatable {
    let from: WallTime
    var to: WallTime
    let reason: String

    /// The time after `until` is ignored. Missing quarters of the domains in `guessing` have no recorded reason.
    static func all(
        of explanation: DayExplanation, guessing: [Domain], until: WallTime
    ) -> [DayOmission] {
        let omissions = explanation.parts.compactMap { part -> DayOmission? in
            guard let from = part.began, let reason = part.omission else { return nil }
            return DayOmission(from: from, to: from + part.quarter.length, reason: reason)
        }
        return merged(omissions + gaps(in: explanation, guessing, until: until))
    }

    /// Quarters without any data, and quarters in which one domain of the day was not collected.
    private static func gaps(
        in explanation: DayExplanation, _ domains: [Domain], until: WallTime
    ) -> [DayOmission] {
        let dated = explanation.parts.filter { $0.began != nil }
        let domains = domains.filter { domain in dated.contains { $0.domain == domain } }
        guard !domains.isEmpty else { return [] }
        var gaps: [DayOmission] = []
        var start = explanation.day.start
        while start < until {
            let end = start + QuarterHour.length
            let middle = start + QuarterHour.length / 2
            let here = dated.filter { part in
                part.began.map { $0 <= middle && middle < $0 + part.quarter.length } ?? false
            }
            let missing = domains.filter { domain in !here.contains { $0.domain == domain } }
            let reasons =
                here.isEmpty
                ? ["no data: all domains were off, or aniccad did not run"]
                : missing.map { "\($0): not collected: off, or its device was missing" }
            gaps += reasons.map { DayOmission(from: start, to: end, reason: $0) }
            start = end
        }
        return gaps
    }

    /// Joins consecutive times with the same reason; the result is in order of time.
    private static func merged(_ omissions: [DayOmission]) -> [DayOmission] {
        var merged: [DayOmission] = []
        for omission in omissions.sorted(by: { $0.from < $1.from }) {
            let index = merged.lastIndex { $0.reason == omission.reason }
            if let index, merged[index].to >= omission.from {
                merged[index].to = max(merged[index].to, omission.to)
            } else {
                merged.append(omission)
            }
        }
        return merged
    }
}

extension DayExplanation.Part {
    /// The reason why it is missing in all or some of the figures.
    fileprivate var omission: String? {
        switch standing {
        case .counted:
            quarter.amounts.first { Figure(id: $0.figure)?.tellsWear == true }?.value == 0 ? "not worn" : nil
        case .late: "\(domain): it arrived after the record may have been sent"
        case .superseded: "\(domain): from before it was turned off and on again"
        case .unreadable: "\(domain): changed or moved outside this program"
        }
    }
}

extension DayOmission {
    /// `02:00 to 05:45`.
    var span: String { "\(clock(from)) to \(UTCDay(containing: to) == UTCDay(containing: from) ? clock(to) : "24:00")" }

    var json: JSONObject {
        JSONObject(("from", from), ("to", to), ("reason", reason))
    }
}
