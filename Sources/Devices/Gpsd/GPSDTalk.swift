import Domains
import System
import Core

/// A parser of gpsd's side of a connection. Bytes may arrive in pieces of any size.
struct GPSDTalk {
    /// The longest line, in bytes without its newline; gpsd's own limit is 10240 (`GPS_JSON_RESPONSE_MAX`).
    static let longestLine = 16 * 1024
    /// A longer first line is not gpsd's greeting.
    private static let longestGreeting = 1024

    /// Whether gpsd's greeting arrived.
    private(set) var isGreeted = false
    private var line: [UInt8] = []
    /// The latest fix returned.
    private var latest: Fix?

    /// The fixes in the lines completed by these bytes. A report with the time and position of the previous fix is
    /// dropped unless it adds the error estimate: gpsd repeats a report within a second as more becomes known.
    mutating func hear(_ bytes: some Sequence<UInt8>, at now: BootTime) throws(PositionError) -> [Fix] {
        var fixes: [Fix] = []
        var rest = Array(bytes)[...]
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            try append(rest[..<end])
            rest = rest[(end + 1)...]
            if !isGreeted {
                try takeGreeting()
            } else if let fix = Fix(gpsdLine: line, at: now), !repeats(fix) {
                latest = fix
                fixes.append(fix)
            }
            line.removeAll(keepingCapacity: true)
        }
        try append(rest)
        return fixes
    }

    /// The error to throw after the other side hung up.
    var afterHangUp: PositionError { isGreeted || line.isEmpty ? .closed : stranger }

    private mutating func append(_ piece: ArraySlice<UInt8>) throws(PositionError) {
        let room = (isGreeted ? Self.longestLine : Self.longestGreeting) - line.count
        line += piece.prefix(room)
        guard piece.count <= room else { throw isGreeted ? .overlong : stranger }
    }

    private mutating func takeGreeting() throws(PositionError) {
        guard JSONMembers(line, deepest: 1)?.string("class") == "VERSION" else { throw stranger }
        isGreeted = true
    }

    private func repeats(_ fix: Fix) -> Bool {
        guard let latest, fix.wall != nil else { return false }
        return fix.wall == latest.wall && fix.position == latest.position && (latest.error != nil || fix.error == nil)
    }

    /// The beginning of another program's first line, reduced to printable ASCII.
    private var stranger: PositionError {
        var text = ""
        for byte in line.prefix(40) {
            let isPlain = (0x20..<0x7F).contains(byte) && byte != UInt8(ascii: "\"")
            text.unicodeScalars.append(isPlain ? Unicode.Scalar(byte) : "?")
        }
        return .notGPSD(says: text + (line.count > 40 ? "…" : ""))
    }
}
