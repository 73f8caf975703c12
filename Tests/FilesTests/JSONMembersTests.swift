import Testing

@testable import System

@Suite struct JSONMembersTests {
    // MARK: Flat objects, as gpsd's greeting is

    private func read(_ text: String) -> String? {
        JSONMembers(text.utf8, deepest: 1)?.string("class")
    }

    @Test(arguments: [
        #"{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}"#,
        "{\"class\":\"VERSION\"}\r", #" { "a" : -1.5E3 , "b" : true , "class" : "VERSION" } "#,
        #"{"a":"\"}","class":"VERSION"}"#, #"{"class":"VERSION","class":"TPV"}"#,
    ])
    func memberIsFound(text: String) { #expect(read(text) == "VERSION") }

    @Test(arguments: [
        "", "{", "{}", "VERSION", #""class":"VERSION""#, #"{"class":"VERSION""#, #"{"class":"VERSION}"#,
        #"{"class":"VERSION"}{"#, #"{"class":"VERSION"} x"#, #"{"class" "VERSION"}"#, #"{"class":VERSION"}"#,
        #"{"class":"VERSION",}"#, #"{,"class":"VERSION"}"#, #"["class","VERSION"]"#, #"{"a":{},"class":"VERSION"}"#,
        #"{"a":[],"class":"VERSION"}"#, "{\"a\":\"\u{1}x\",\"class\":\"VERSION\"}", #"{"class":"VERSION\"#,
        #"{"class":7}"#, #"{"cl\u0061ss":"VERSION"}"#, "{\"a\":\"b\u{1}true,\"class\":\"VERSION\"}",
    ])
    func whatIsNoFlatObjectHasNoMember(text: String) { #expect(read(text) == nil) }

    @Test func everyTruncationAndEveryChangedByteIsSurvived() {
        let text = Array(#"{"class":"VERSION","release":"3\"2","proto_major":3,"x":null}"#.utf8)
        for end in text.indices { #expect(JSONMembers(text[..<end], deepest: 1) == nil) }
        for index in text.indices {
            for byte in [0, 0x22, 0x2C, 0x3A, 0x5C, 0x7B, 0x7D, 0xFF] as [UInt8] {
                var changed = text
                changed[index] = byte
                _ = JSONMembers(changed, deepest: 1)
                _ = JSONMembers(changed, deepest: 1, escapes: .decoded)
            }
        }
    }

    // MARK: Nested ones

    @Test func objectsAreReadAndListsSteppedOver() throws {
        let text = #"{"a":{"b":-2.50e1,"c":{"d":"e"}},"list":[1,"x",{"a":[]},null],"word":true,"a":"f"}"#
        let members = try #require(JSONMembers(text.utf8, deepest: 4))
        #expect(members.all.map(\.name) == ["a", "list", "word", "a"])
        guard case .object(let inner) = members.all[0].value, case .object(let innermost) = inner.all[1].value,
            case .other = members.all[1].value, case .other = members.all[2].value
        else { Issue.record("\(members)"); return }
        #expect(inner.number("b") == -25 && innermost.string("d") == "e" && members.string("a") == "f")
        #expect(members.number("a") == nil && members.string("word") == nil)
    }

    @Test func nestingIsCounted() {
        for depth in 1...4 {
            for (open, close) in [("[", "]"), (#"{"a":"#, "}")] {
                let inner = String(repeating: open, count: depth - 1) + "1" + String(repeating: close, count: depth - 1)
                let isRead = JSONMembers("{\"a\":\(inner)}".utf8, deepest: 3) != nil
                #expect(isRead == (depth <= 3), "\(depth) of \(open)")
            }
        }
    }

    static let escapes: [(String, String?)] = [
        (#"\n\t\r\b\f\"\\\/"#, "\n\t\r\u{8}\u{C}\"\\/"), (#"\u00e4\u00E4"#, "ää"), (#"\ud83d\ude00"#, "😀"),
        (#"\ud83d"#, "\u{FFFD}"), (#"\ude00x"#, "\u{FFFD}x"), (#"\ud83d\u0041"#, "\u{FFFD}A"), (#"\q"#, nil),
        (#"\u12"#, nil), (#"\u00g0"#, nil), (#"\ud83d\u12"#, nil),
    ]

    @Test(arguments: escapes) func escapesAreDecodedOrStay(written: String, decoded: String?) {
        let text = "{\"a\":\"\(written)\"}".utf8
        #expect(JSONMembers(text, deepest: 1, escapes: .decoded)?.string("a") == decoded)
        #expect(JSONMembers(text, deepest: 1)?.string("a") == written)
    }
}
