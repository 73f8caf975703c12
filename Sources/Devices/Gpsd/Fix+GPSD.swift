import Domains
import System
import Core

extension Fix {
    /// Parses a line of gpsd (gpsd_json(5)) without its newline; nil if it holds no position. The line is untrusted.
    ///
    /// Also nil if a present member is not a number or is out of range: a receiver that reports one wrong value is not
    /// trusted with the others.
    init?(gpsdLine line: [UInt8], at now: BootTime) {
        guard let report = JSONMembers(line, deepest: 8), report.string("class") == "TPV" else { return nil }
        guard let mode = report.number("mode").flatMap(UInt8.init(exactly:)).flatMap(Mode.init(rawValue:)),
            let latitude = report.number("lat"), let longitude = report.number("lon"),
            let position = Coordinates(latitude: latitude, longitude: longitude),
            let horizontal = report.length("eph"), let eastern = report.length("epx"),
            let northern = report.length("epy"), let speed = report.length("speed")
        else { return nil }
        var error = horizontal
        // Some receivers report only one error per direction.
        if error == nil, let eastern, let northern {
            error = (eastern * eastern + northern * northern).squareRoot()
        }
        self.init(
            at: now, position, mode: mode, error: error, speed: speed,
            wall: report.string("time").flatMap(WallTime.init(gpsdTime:)))
    }
}

extension JSONMembers {
    /// The first member of this name, in metres or metres per second. `.some(nil)` if it is absent, nil if it is
    /// invalid.
    fileprivate func length(_ name: String) -> Double?? {
        guard let member = all.first(where: { $0.name == name }) else { return .some(nil) }
        guard case .number(let value) = member.value, (0...1e9).contains(value) else { return nil }
        return .some(value)
    }
}

extension WallTime {
    /// Reads exactly `YYYY-MM-DDTHH:MM:SSZ`, with an optional fraction of one to nine digits; otherwise as `init(_:)`.
    init?(gpsdTime text: String) {
        let bytes = Array(text.utf8)
        guard (20...30).contains(bytes.count),
            let second = WallTime(String(decoding: bytes[..<19], as: UTF8.self) + "Z")
        else { return nil }
        var rest = bytes[19...]
        var nanoseconds: Int64 = 0
        if rest.first == UInt8(ascii: ".") {
            let digits = rest.dropFirst().prefix { (0x30...0x39).contains($0) }
            guard (1...9).contains(digits.count) else { return nil }
            nanoseconds = digits.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
            for _ in digits.count..<9 { nanoseconds *= 10 }
            rest = rest.dropFirst(1 + digits.count)
        }
        guard rest.elementsEqual("Z".utf8) else { return nil }
        self = second + Interval(nanoseconds: nanoseconds)
    }
}
