import Core
import Testing

@testable import Domains

/// A nudge is of a stranger, and kept for a week.
@Suite struct NudgeBookTests {
    private let monday = UTCDay(daysSinceEpoch: 20_465).start

    @Test func theMessageOfAStrangerIsShortAndPlain() {
        let nudge = Nudge(
            .light, message: "Up\u{1B}[31m and\n\u{202E}move\u{200B}!" + String(repeating: "x", count: 500))
        #expect(nudge.message.hasPrefix("Up[31m andmove!x"))
        #expect(nudge.message.unicodeScalars.count == Nudge.mostCharacters)
    }

    @Test func nudgesAreKeptOnceForEachRecordAndForAWeek() throws {
        var nudges = NudgeBook()
        for record in Int64(1)...30 {
            for _ in 0..<2 { nudges.add(Nudge(.strong, message: "\(record)"), answering: record, at: monday) }
        }
        #expect(nudges.nudges.count == 20 && nudges.nudges.last?.nudge.message == "30")
        #expect(try NudgeBook(nudges.bytes) == nudges)
        nudges.add(Nudge(.light, message: "later"), answering: 31, at: monday + .days(8))
        #expect(nudges.nudges.count == 1)
    }

    static let long: [Unicode.Scalar] = ["a", "ä", "€", "😀", "\u{301}"]

    @Test(arguments: long) func aMessageIsBoundInCharactersAndBytes(scalar: Unicode.Scalar) throws {
        let text = String(String.UnicodeScalarView(repeatElement(scalar, count: 1_000_000)))
        let nudge = Nudge(.strong, message: text)
        #expect(nudge.message.unicodeScalars.count == Nudge.mostCharacters)
        #expect(nudge.message.utf8.count <= Nudge.mostCharacters * 4)
        var book = NudgeBook()
        for record in Int64(0)..<100 { book.add(nudge, answering: record, at: monday) }
        #expect(try book.bytes.count < 20_000 && NudgeBook(book.bytes) == book)
    }

    @Test func aMillionMarksThatAreLeftOutLeaveAnEmptyMessage() {
        #expect(Nudge(.light, message: String(repeating: "\u{7}", count: 1_000_000) + "a").message.isEmpty)
    }

    /// Each by the property that Unicode gives it.
    @Test func nothingInvisibleIsKept() {
        for value in UInt32(0)...0x10FFFF {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let isKept = Nudge(.light, message: String(scalar)).message.unicodeScalars.first == scalar
            let properties = scalar.properties
            let isHidden: Bool =
                switch properties.generalCategory {
                case .control, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate: true
                default:
                    properties.isDefaultIgnorableCodePoint || properties.isNoncharacterCodePoint
                        || properties.isBidiControl
                }
            if isHidden, isKept { Issue.record("U+\(String(value, radix: 16)) is kept") }
            if !isKept, properties.isAlphabetic, !isHidden { Issue.record("U+\(String(value, radix: 16)) is left out") }
        }
    }

    @Test func whatIsNoUTF8IsReadAsText() throws {
        var book = NudgeBook()
        book.add(Nudge(.light, message: "abcd"), answering: 1, at: monday)
        for byte in [UInt8(0xFF), 0xC0, 0xED, 0x80, 0x1B] {
            let bytes = book.bytes.map { $0 == UInt8(ascii: "b") ? byte : $0 }
            let message = try NudgeBook(bytes).nudges[0].nudge.message
            #expect(message == (byte == 0x1B ? "acd" : "a\u{FFFD}cd"))
        }
    }
}
