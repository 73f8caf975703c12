import Domains
import System
import Core

/// Reads a report: a JSON object (RFC 8259) with `type`, `timestamp` and `minutes`. Other members are skipped.
enum ReportReader {
    /// The tolerated lead of a phone's clock.
    static let ahead = Interval.minutes(5)
    private static let deepest = 31

    static func report(in bytes: [UInt8], at now: WallTime) throws(ReportFault) -> CompanionReport {
        guard let members = JSONMembers(bytes, deepest: deepest) else { throw unusable("not a JSON object") }
        guard let type = members.string("type") else { throw unusable("no member type") }
        guard type == "sns" else { throw unusable("its type is not sns") }
        guard let timestamp = members.string("timestamp"), let end = WallTime(dateTime: timestamp) else {
            throw unusable("timestamp is missing or not a time such as 2025-01-15T13:05:00Z")
        }
        guard let minutes = members.number("minutes"), (0...1440).contains(minutes) else {
            throw unusable("minutes is missing or not a number from 0 to 1440")
        }
        guard end <= now + ahead else { throw unusable("of the future: \(end)") }
        guard end > (UTCDay(containing: now) + -1).start else { throw unusable("older than yesterday: \(end)") }
        return CompanionReport(used: (end - .seconds(Int64((minutes * 60).rounded())))..<end)
    }

    private static func unusable(_ reason: String) -> ReportFault { .unusable(reason, isKept: true) }
}

extension WallTime {
    /// RFC 3339 `date-time`, truncated to the second; an offset is applied. Nil for anything else.
    init?(dateTime text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count <= 40, bytes.count >= 20,
            let local = WallTime(String(decoding: bytes[..<19], as: UTF8.self) + "Z")
        else { return nil }
        var rest = bytes[19...]
        if rest.first == UInt8(ascii: ".") {
            let digits = rest.dropFirst().prefix { (0x30...0x39).contains($0) }
            guard !digits.isEmpty else { return nil }
            rest = rest.dropFirst(1 + digits.count)
        }
        if rest.elementsEqual("Z".utf8) || rest.elementsEqual("z".utf8) {
            self = local
            return
        }
        let signs = Array(rest)
        guard signs.count == 6, signs[3] == UInt8(ascii: ":"),
            let hours = Int64(String(decoding: signs[1...2], as: UTF8.self)), (0..<24).contains(hours),
            let minutes = Int64(String(decoding: signs[4...5], as: UTF8.self)), (0..<60).contains(minutes)
        else { return nil }
        let offset = Interval.minutes(hours * 60 + minutes)
        switch signs[0] {
        case UInt8(ascii: "+"): self = local - offset
        case UInt8(ascii: "-"): self = local + offset
        default: return nil
        }
    }
}
