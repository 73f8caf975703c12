import Domains
import Testing

@testable import Delivery

/// The answer of a server is of a stranger.
@Suite struct NudgeAnswerTests {
    private func nudge(_ text: String) -> Nudge? { NudgeAnswer.nudge(in: Array(text.utf8)) }

    @Test func aNudgeIsFoundBesideEverythingElse() {
        let answer =
            #" {"a":[1,{"nudge":{"strength":"light","message":"no"}}],"nudge" : {"x":null,"message":"Up \u00e4 \ud83d\ude00\n!","strength":"strong"},"b":true} "#
        #expect(nudge(answer) == Nudge(.strong, message: "Up ä 😀!"))
    }

    @Test func anAnswerOnATopicHasTheKeyOfTheEvent() {
        let key = "7f0b6c1e-2d44-4c52-9a1b-0c3e5d7f9a10"
        func isAnswer(_ text: String) -> Bool { NudgeAnswer.isAnswer(Array(text.utf8), to: key) }
        #expect(isAnswer(#"{"key":"\#(key)"}"#))
        #expect(isAnswer(#"{"nudge":{"strength":"light","message":"a"},"key":"\#(key)"}"#))
        for other in [
            "", "{}", #"{"key":null}"#, #"{"key":"\#(key.uppercased())"}"#, #"{"key":{"key":"\#(key)"}}"#,
            #"{"nudge":{"key":"\#(key)"}}"#, #"{"key":"\#(key)""#, #"["key","\#(key)"]"#,
            #"{"key":"\#(key)","pad":"\#(String(repeating: "x", count: NudgeAnswer.longest))"}"#,
        ] {
            #expect(!isAnswer(other), "\(other.prefix(80))")
        }
    }

    static let others: [String] = [
        "", "[]", "null", "{}", #"{"nudge":null}"#, #"{"nudge":{}}"#, #"{"nudge":{"strength":"light"}}"#,
        #"{"nudge":{"strength":"gentle","message":"a"}}"#, #"{"nudge":{"strength":1,"message":"a"}}"#,
        #"{"nudge":{"strength":"light","message":"a"}"#, #"{"nudge":{"strength":"light","message":"a"}} x"#,
        #"{"nudge":{"strength":"light","message":"a\q"}}"#, #"{"nudge":{"strength":"light","message":"\u12"}}"#,
        #"{"nudge":{"strength":"light","message":"a"},}"#, #"{"nudge" {"strength":"light","message":"a"}}"#,
    ]

    @Test(arguments: others) func anythingElseIsIgnored(answer: String) { #expect(nudge(answer) == nil) }

    /// As the message is written, and as it is read: no escape brings back what is left out.
    struct Written: Sendable {
        let json, message: String
    }

    static let written: [Written] = [
        Written(json: #"a\u001b[2Jb"#, message: "a[2Jb"),
        Written(json: #"\u0000\u0007\u007f\u009bx"#, message: "x"),
        Written(json: #"a\r\n\t\b\fb\u2028\u2029c"#, message: "abc"),
        Written(json: #"\u202eevil\u2066\u200f\u061c"#, message: "evil"),
        Written(json: #"a\u200b\ufeff\u00ad\u2060b"#, message: "ab"),
        Written(json: #"\udb40\udc41a"#, message: "a"),
        Written(json: #"\ud83d"#, message: "\u{FFFD}"),
        Written(json: #"\ud83dx\ude00"#, message: "\u{FFFD}x\u{FFFD}"),
        Written(json: #"\ud83d\ud83d\ude00"#, message: "\u{FFFD}😀"),
        Written(json: #"\ud83d\u0041"#, message: "\u{FFFD}A"),
        Written(json: #"\"\\\/ \u0041"#, message: "\"\\/ A"),
        Written(json: "", message: ""),
    ]

    @Test(arguments: written) func aMessageIsPlainHoweverItIsWritten(message: Written) {
        #expect(
            nudge(#"{"nudge":{"strength":"light","message":"\#(message.json)"}}"#)?.message == message.message,
            "\(message.json)")
    }

    @Test func bytesThatAreNoTextAreReplaced() {
        let (head, tail) = (Array(#"{"nudge":{"strength":"light","message":"a"#.utf8), Array(#"b"}}"#.utf8))
        for bytes in [[0xFF], [0xC3], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80]] as [[UInt8]] {
            let message = NudgeAnswer.nudge(in: head + bytes + tail)?.message
            #expect(message?.first == "a" && message?.last == "b" && message?.contains("\u{FFFD}") == true)
        }
    }

    @Test func aLongMessageIsCut() {
        let text = String(repeating: "€", count: 2000)
        let message = nudge(#"{"nudge":{"strength":"strong","message":"\#(text)"}}"#)?.message
        #expect(message == String(repeating: "€", count: Nudge.mostCharacters))
    }

    @Test func aDeepOrLongAnswerHoldsNone() {
        let good = #""nudge":{"strength":"light","message":"a"}"#
        #expect(nudge("{\(good)}") != nil)
        let deep = String(repeating: "[", count: 100_000)
        #expect(nudge("{\"a\":\(deep),\(good)}") == nil)
        #expect(nudge("{\"a\":\"\(String(repeating: "x", count: NudgeAnswer.longest))\",\(good)}") == nil)
    }

    /// Every cut and every changed byte is survived.
    @Test func noBytesAreTooOdd() {
        let whole = Array(#"{"a":[1,"\u00e4"],"nudge":{"strength":"light","message":"\ud83d\ude00 a"}}"#.utf8)
        for length in whole.indices { #expect(NudgeAnswer.nudge(in: Array(whole.prefix(length))) == nil) }
        for index in whole.indices {
            for byte in [UInt8(0), 0x22, 0x5C, 0x7B, 0xFF] {
                var changed = whole
                changed[index] = byte
                _ = NudgeAnswer.nudge(in: changed)
            }
        }
    }
}
