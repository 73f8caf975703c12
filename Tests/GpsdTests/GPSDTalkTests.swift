import Domains
import Core
import Testing

@testable import Devices

/// Lines as gpsd 3.22 and 3.25 write them.
enum Sample {
    static let version = #"{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}"# + "\r\n"
    static let others = """
        {"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/ttyS0","native":0,"cycle":1.00}]}\r
        {"class":"WATCH","enable":true,"json":true,"nmea":false,"raw":0}\r
        {"class":"TPV","device":"/dev/ttyS0","mode":1}\r
        {"class":"SKY","device":"/dev/ttyS0","hdop":1.00,"satellites":[{"PRN":1,"el":50.0,"az":10.0,"used":true}]}\r
        {"class":"GST","device":"/dev/ttyS0","lat":3.000,"lon":4.000}\r

        """
    static let position =
        #"{"class":"TPV","device":"/dev/ttyS0","mode":3,"time":"2026-06-18T12:00:20.250Z","ept":0.005,"lat":52.5,"#
        + #""lon":-13.4,"altHAE":90.0,"epx":3.0,"epy":4.0,"speed":1.286,"eph":19.5}"# + "\r\n"

    static let fix = Coordinates(latitude: 52.5, longitude: -13.4).map {
        Fix(
            at: now, $0, mode: .threeD, error: 19.5, speed: 1.286,
            wall: WallTime(nanoseconds: 1_781_784_020_250_000_000))
    }
    static let now = BootTime(nanoseconds: 7)
}

@Suite struct GPSDTalkTests {
    private func hear(_ pieces: [String]) throws(PositionError) -> [Fix] {
        var talk = GPSDTalk()
        var fixes: [Fix] = []
        for piece in pieces { fixes += try talk.hear(piece.utf8, at: Sample.now) }
        return fixes
    }

    private func fix(_ members: String) throws -> Fix? {
        try hear([Sample.version, #"{"class":"TPV",\#(members)}"# + "\n"]).first
    }

    @Test func positionsAreFixesAndAllElseIsSkipped() throws {
        let fixes = try hear([Sample.version, Sample.others, Sample.position, "\n", "no JSON\n", Sample.others])
        #expect(fixes == [Sample.fix].compactMap { $0 } && fixes.count == 1)
    }

    @Test func linesAreSplitAnywhere() throws {
        let text = Array((Sample.version + Sample.others + Sample.position).utf8)
        for cut in text.indices {
            var talk = GPSDTalk()
            let fixes = try talk.hear(text[..<cut], at: Sample.now) + talk.hear(text[cut...], at: Sample.now)
            #expect(fixes.count == 1 && fixes.first == Sample.fix, "at \(cut)")
        }
        #expect(try hear(text.map { String(Unicode.Scalar($0)) }).first == Sample.fix)
    }

    @Test func theTimeAndPlaceOfTheLastFixAreTheSameFix() throws {
        let next = Sample.position.replacing("20.250Z", with: "21.250Z")
        #expect(
            try hear([Sample.version, Sample.position, Sample.position, Sample.others, Sample.position]).count == 1)
        #expect(try hear([Sample.version, Sample.position, next, next]).count == 2)
        #expect(
            try hear([Sample.version, Sample.position, Sample.position.replacing("52.5", with: "52.6")]).count == 2)
        let vague = Sample.position.replacing(#","epx":3.0,"epy":4.0"#, with: "").replacing(#","eph":19.5"#, with: "")
        let errors = try hear([Sample.version, vague, vague, Sample.position, vague]).map(\.error)
        #expect(errors == [nil, 19.5])
        let undated = Sample.position.replacing(#""time":"2026-06-18T12:00:20.250Z","#, with: "")
        #expect(try hear([Sample.version, undated, undated]).map(\.wall) == [nil, nil])
    }

    static let errors: [(String, Double?)] = [
        ("", nil), (#","eph":12.5,"epx":1,"epy":1"#, 12.5), (#","epx":3,"epy":4"#, 5), (#","epx":3"#, nil),
        (#","eph":0"#, 0),
    ]

    @Test(arguments: errors) func theErrorIsTheHorizontalOne(members: String, error: Double?) throws {
        let fix = try #require(try fix(#""mode":2,"lat":1,"lon":2"# + members))
        #expect(fix.mode == .twoD && fix.error == error && fix.speed == nil && fix.wall == nil)
    }

    static let noFixes: [String] = [
        #""lat":1,"lon":2"#, #""mode":0,"lat":1,"lon":2"#, #""mode":1,"lat":1,"lon":2"#, #""mode":4,"lat":1,"lon":2"#,
        #""mode":2.5,"lat":1,"lon":2"#, #""mode":-3,"lat":1,"lon":2"#, #""mode":"3","lat":1,"lon":2"#,
        #""mode":3,"lat":1"#,
        #""mode":3,"lon":2"#, #""mode":3,"lat":90.001,"lon":2"#, #""mode":3,"lat":1,"lon":-180.001"#,
        #""mode":3,"lat":"1","lon":2"#, #""mode":3,"lat":null,"lon":2"#, #""mode":3,"lat":1e999,"lon":2"#,
        #""mode":3,"lat":NaN,"lon":2"#, #""mode":3,"lat":1,"lon":2,"eph":-1"#, #""mode":3,"lat":1,"lon":2,"eph":"1""#,
        #""mode":3,"lat":1,"lon":2,"eph":1e300"#, #""mode":3,"lat":1,"lon":2,"epx":-3,"epy":4"#,
        #""mode":3,"lat":1,"lon":2,"speed":-0.1"#, #""mode":3,"lat":1,"lon":2,"speed":inf"#,
        #""mode":3,"lat":1,"lon":2"x"#,
        #""mode":3,"lat":1,"lon":2,"a":[[[[[[[[]]]]]]]]"#,
    ]

    @Test(arguments: noFixes) func whatIsNoNumberOrOutOfRangeIsNoFix(members: String) throws {
        #expect(try fix(members) == nil)
    }

    static let times: [(String, Int64?)] = [
        ("2026-06-18T12:00:20Z", 0), ("2026-06-18T12:00:20.2Z", 200_000_000), ("2026-06-18T12:00:20.000Z", 0),
        ("2026-06-18T12:00:20.123456789Z", 123_456_789), ("2026-06-18T12:00:20.1234567890Z", nil),
        ("2026-06-18T12:00:20.Z", nil), ("2026-06-18T12:00:20", nil), ("2026-06-18T12:00:20.5", nil),
        ("2026-06-18T12:00:20z", nil), ("2026-06-18T12:00:20+00:00", nil), ("2026-06-18 12:00:20Z", nil),
        ("2026-06-31T12:00:20Z", nil), ("2026-06-18T12:00:60Z", nil), (" 2026-06-18T12:00:20Z", nil), ("", nil),
        ("2026-06-18T12:00:20.5Zx", nil), ("2026-06-18T12:00:20.+5Z", nil), ("1781784020", nil),
    ]

    @Test(arguments: times) func aTimeIsReadStrictly(time: String, nanoseconds: Int64?) throws {
        let fix = try #require(try fix(#""mode":3,"lat":1,"lon":2,"time":"\#(time)""#))
        #expect(fix.wall == nanoseconds.map { WallTime(nanoseconds: 1_781_784_020_000_000_000 + $0) })
    }

    static let strangers: [(String, String)] = [
        ("SSH-2.0-OpenSSH_9.2p1\r\n", "SSH-2.0-OpenSSH_9.2p1?"), (#"{"class":"TPV"}"# + "\n", "{?class?:?TPV?}"),
        (#"{"class":"VERSION","a":[]}"# + "\n", "{?class?:?VERSION?,?a?:[]}"),
        ("\u{1B}[2J\u{202E}\n", "?[2J???"), ("\n", ""),
        (String(repeating: "x", count: 41) + "\n", String(repeating: "x", count: 40) + "…"),
        (String(repeating: "y", count: 1025), String(repeating: "y", count: 40) + "…"),
    ]

    @Test(arguments: strangers) func anotherGreetingIsNoGPSD(said: String, quoted: String) {
        #expect(throws: PositionError.notGPSD(says: quoted)) { try hear([said]) }
    }

    @Test func aLineOfAnyLengthTakesBoundedRoom() throws {
        let longest = String(repeating: "x", count: GPSDTalk.longestLine)
        #expect(try hear([Sample.version, longest + "\n", Sample.position]).count == 1)
        #expect(throws: PositionError.overlong) { try hear([Sample.version, longest, "x"]) }
    }

    @Test func aHangUpWithinTheGreetingIsAnothers() throws {
        var talk = GPSDTalk()
        #expect(talk.afterHangUp == .closed)
        _ = try talk.hear("220 mail".utf8, at: Sample.now)
        #expect(talk.afterHangUp == .notGPSD(says: "220 mail"))
        talk = GPSDTalk()
        _ = try talk.hear((Sample.version + "{").utf8, at: Sample.now)
        #expect(talk.afterHangUp == .closed)
    }

    /// Every cut and every changed byte is survived, and changes one fix at most.
    @Test func noBytesAreTooOdd() throws {
        let text = Array(Sample.position.utf8)
        for index in text.indices {
            for byte in [0, 0x0A, 0x22, 0x2D, 0x39, 0x5B, 0x5C, 0x65, 0x7B, 0xFF] as [UInt8] {
                var changed = text
                changed[index] = byte
                var talk = GPSDTalk()
                _ = try talk.hear(Sample.version.utf8, at: Sample.now)
                let first = try talk.hear(changed, at: Sample.now)
                #expect(first.count <= 1)
                for fix in first {
                    #expect(fix.position.latitude.magnitude <= 90 && fix.error ?? 0 >= 0 && fix.speed ?? 0 >= 0)
                }
            }
        }
    }
}
