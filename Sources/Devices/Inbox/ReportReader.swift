import Domains
import System
import Core

/// Reads a report: a JSON object (RFC 8259) with the members of its `type`. Other members are skipped.
enum ReportReader {
    /// The tolerated lead of a phone's clock.
    static let ahead = Interval.minutes(5)
    private static let deepest = 31

    /// - Parameters:
    ///   - written: the time at which the file was written.
    ///   - now: a trusted time.
    static func report(
        in bytes: [UInt8], written: WallTime, at now: WallTime
    ) throws(ReportFault) -> CompanionReport {
        guard let members = JSONMembers(bytes, deepest: deepest) else { throw unusable("not a JSON object") }
        guard let type = members.string("type") else { throw unusable("no member type") }
        if let kind = DayTotal.Kind(rawValue: type) {
            return .total(try total(kind, members, written: min(written, now), at: now))
        }
        guard type == "sns" else {
            throw unusable("its type is none of sns, \(DayTotal.Kind.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return .use(try use(members, at: now))
    }

    private static func use(_ members: JSONMembers, at now: WallTime) throws(ReportFault) -> Range<WallTime> {
        guard let timestamp = members.string("timestamp"), let end = WallTime(dateTime: timestamp) else {
            throw unusable("timestamp is missing or not a time such as 2025-01-15T13:05:00Z")
        }
        let minutes = try number("minutes", upTo: 1440, members)
        guard end <= now + ahead else { throw unusable("of the future: \(end)") }
        guard end > (UTCDay(containing: now) + -1).start else { throw unusable("older than yesterday: \(end)") }
        return (end - .seconds(Int64((minutes * 60).rounded())))..<end
    }

    private static func total(
        _ kind: DayTotal.Kind, _ members: JSONMembers, written: WallTime, at now: WallTime
    ) throws(ReportFault) -> DayTotal {
        guard let date = members.string("date"), let start = WallTime(startOfDay: date) else {
            throw unusable("date is missing or not a day with its offset such as 2025-01-15+01:00")
        }
        let amount = try number(kind == .sitting ? "minutes" : "total", upTo: kind.most, members)
        let total = DayTotal(kind, of: start, amount: Int64(amount.rounded()), written: written)
        guard start <= now + ahead else { throw unusable("of the future: \(date)") }
        guard total.day >= UTCDay(containing: now) + -1 else { throw unusable("older than yesterday: \(date)") }
        return total
    }

    private static func number(
        _ name: String, upTo most: Int64, _ members: JSONMembers
    ) throws(ReportFault) -> Double {
        guard let number = members.number(name), (0...Double(most)).contains(number) else {
            throw unusable("\(name) is missing or not a number from 0 to \(most)")
        }
        return number
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
        guard let offset = Interval(offset: rest) else { return nil }
        self = local - offset
    }

    /// The start of a local day: RFC 3339 `full-date`, followed by its offset as in `date-time`, such as
    /// `2025-01-15+01:00`. The offset is above -12:00, so that its noon is on the same day in UTC or before, and 14 hours
    /// at most. Nil for anything else.
    public init?(startOfDay text: String) {
        let bytes = Array(text.utf8)
        guard (11...16).contains(bytes.count), let day = UTCDay(String(decoding: bytes[..<10], as: UTF8.self)),
            let offset = Interval(offset: bytes[10...]), offset > .hours(-12), offset <= .hours(14)
        else { return nil }
        self = day.start - offset
    }
}

extension Interval {
    /// RFC 3339 `time-offset`: `Z`, `z`, `+01:00` or `-11:30`. Nil for anything else.
    fileprivate init?(offset text: ArraySlice<UInt8>) {
        if text.elementsEqual("Z".utf8) || text.elementsEqual("z".utf8) {
            self = .zero
            return
        }
        let signs = Array(text)
        guard signs.count == 6, signs[3] == UInt8(ascii: ":"),
            [1, 2, 4, 5].allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= signs[$0] }),
            let hours = Int64(String(decoding: signs[1...2], as: UTF8.self)), (0..<24).contains(hours),
            let minutes = Int64(String(decoding: signs[4...5], as: UTF8.self)), (0..<60).contains(minutes)
        else { return nil }
        switch signs[0] {
        case UInt8(ascii: "+"): self = .minutes(hours * 60 + minutes)
        case UInt8(ascii: "-"): self = .minutes(-(hours * 60 + minutes))
        default: return nil
        }
    }
}
