import Domains
import Testing

@testable import Sinks

/// The answer of a server is of a stranger.
@Suite struct NudgeAnswerTests {
    private func nudge(_ text: String) -> Nudge? { NudgeAnswer.nudge(in: Array(text.utf8)) }

    @Test func aNudgeIsFoundBesideEverythingElse() {
        let answer =
            #" {"a":[1,{"nudge":{"strength":"light","message":"no"}}],"nudge" : {"x":null,"message":"Up \u00e4 \ud83d\ude00\n!","strength":"strong"},"b":true} "#
        #expect(nudge(answer) == Nudge(.strong, message: "Up ä 😀!"))
    }

    static let others: [String] = [
        "", "[]", "null", "{}", #"{"nudge":null}"#, #"{"nudge":{}}"#, #"{"nudge":{"strength":"light"}}"#,
        #"{"nudge":{"strength":"gentle","message":"a"}}"#, #"{"nudge":{"strength":1,"message":"a"}}"#,
        #"{"nudge":{"strength":"light","message":"a"}"#, #"{"nudge":{"strength":"light","message":"a"}} x"#,
        #"{"nudge":{"strength":"light","message":"a\q"}}"#, #"{"nudge":{"strength":"light","message":"\u12"}}"#,
        #"{"nudge":{"strength":"light","message":"a"},}"#, #"{"nudge" {"strength":"light","message":"a"}}"#,
    ]

    @Test(arguments: others) func anythingElseIsIgnored(answer: String) { #expect(nudge(answer) == nil) }

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
