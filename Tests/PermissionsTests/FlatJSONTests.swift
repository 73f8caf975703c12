import Testing

@testable import Permissions

@Suite struct FlatJSONTests {
    private func read(_ text: String) -> String? {
        FlatJSON.string("class", in: Array(text.utf8)).map { String(decoding: $0, as: UTF8.self) }
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
        #"{"class":7}"#, "{\"a\":\"b\u{1}true,\"class\":\"VERSION\"}",
    ])
    func whatIsNoFlatObjectHasNoMember(text: String) { #expect(read(text) == nil) }

    @Test func everyTruncationAndEveryChangedByteIsSurvived() {
        let text = Array(#"{"class":"VERSION","release":"3\"2","proto_major":3,"x":null}"#.utf8)
        for end in text.indices { #expect(FlatJSON.string("class", in: Array(text[..<end])) == nil) }
        for index in text.indices {
            for byte in [0, 0x22, 0x2C, 0x3A, 0x5C, 0x7B, 0x7D, 0xFF] as [UInt8] {
                var changed = text
                changed[index] = byte
                _ = FlatJSON.string("class", in: changed)
            }
        }
    }
}
