import Domains
import Foundation
import Store
import Core
import Testing

@testable import anicca

/// The page of `anicca report`, and what it is made of.
@Suite struct ReportPageTests {
    private let first = ReportStore.first

    @Test func textIsEscaped() throws {
        #expect(
            HTML("<script>alert('1') & \"2\"</script>").text
                == "&lt;script&gt;alert(&#39;1&#39;) &amp; &quot;2&quot;&lt;/script&gt;")
        for number: UInt32 in [0, 0x1B, 0x7F, 0x85, 0xFDD0, 0xFFFE, 0x1_FFFF] {
            let scalar = try #require(Unicode.Scalar(number))
            #expect(HTML("a\(Character(scalar))b").text == "a\u{FFFD}b", "\(number)")
        }
        #expect(HTML("ä–🙂").text == "ä–🙂")
        #expect(HTML.element("p", ["title": "\"><script>"], "x").text == "<p title=\"&quot;&gt;&lt;script&gt;\">x</p>")
        #expect(HTML.element("td", []).text == "<td></td>")
        #expect(HTML.element("meta", ["a": "b"]).text == "<meta a=\"b\"/>")
        #expect(HTML.name("\u{202E}evil").text == "<bdi>\u{202E}evil</bdi>")
    }

    @Test func fullDaysAreASmallPage() throws {
        let page = try restlessPage(days: 28)
        #expect(page.utf8.count <= 150_000, "\(page.utf8.count)")
        #expect(try ParsedPage(page).section("activity").all("svg").count == 28)
    }

    @Test func nothingLeavesThePage() throws {
        let page = try restlessPage(days: 3)
        for word in [
            "http:", "https:", "//", "url(", "src=", "href=", "@import", "<script", "<link", "<img", "<iframe",
            "onload",
        ] {
            #expect(!page.contains(word), "\(word)")
        }
        let policy = try ParsedPage(page).root.all("meta").first {
            $0.attributes["http-equiv"] == "Content-Security-Policy"
        }
        #expect(policy?.attributes["content"] == "default-src 'none'; style-src 'unsafe-inline'; img-src data:")
    }

    @Test func everyPictureHasWordsAndATable() throws {
        let page = try ParsedPage(restlessPage(days: 3))
        #expect(page.root.attributes["lang"] == "en")
        let pictures = page.root.all("svg")
        #expect(pictures.count == 7)
        for picture in pictures {
            #expect(picture.attributes["role"] == "img" && picture.attributes["viewBox"] != nil)
            #expect(picture.attributes["width"] == nil && picture.attributes["height"] == nil)
            let words = [picture.all("title"), picture.all("desc")].map { $0.first }
            #expect(words.allSatisfy { $0?.text.isEmpty == false })
            #expect(
                picture.attributes["aria-labelledby"] == words.map { $0?.attributes["id"] ?? "" }.joined(separator: " ")
            )
        }
        for name in ["activity", "sleep", "steps"] { #expect(try page.section(name).all("table").count == 1) }
        let ids = page.root.everything.compactMap { $0.attributes["id"] }
        #expect(Set(ids).count == ids.count)
        let headings = page.root.everything.map(\.name).filter { ["h1", "h2", "h3", "h4", "h5", "h6"].contains($0) }
        #expect(headings.first == "h1" && headings.dropFirst().allSatisfy { $0 == "h2" } && headings.count == 7)
        for section in page.root.all("section") {
            #expect(section.all("h2").first?.attributes["id"] == section.attributes["aria-labelledby"])
        }
    }

    @Test func otherFiguresAreBarsDayByDay() throws {
        let device = try TestDevice()
        let store = try ReportStore(device)
        for domain in [Domain.floors, .phone] {
            try store.ledger.change([.reply(domain, .agreedWholly(to: domain.permission))], at: first.start - .days(1))
        }
        try store.keep(ReportStore.ordinary(first), until: first)
        #expect(!(try device.anicca("report", "--html", "-").output.contains("id=\"bars\"")), "without any of them")
        var days = (1...3).map { ReportStore.ordinary(first + $0) }
        for (index, flights) in [(0, Int64(4)), (2, 12)] {
            days[index][40].amounts.append(.init(Figure.flightsClimbed.id, flights))
        }
        try store.keep(days.flatMap { $0 }, until: first + 3)
        let bars = try ParsedPage(try device.anicca("report", "--html", "-").output).section("bars")
        let pictures = bars.all("svg")
        try #require(pictures.count == 1)
        #expect(pictures[0].all("path").map { $0.attributes["d"] } == ["M11 100v-33h8v33zM31 100v-100h8v100z"])
        #expect(pictures[0].attributes["viewBox"] == "0 0 40 100")
        #expect(pictures[0].all("title")[0].text == "flights climbed")
        #expect(pictures[0].all("desc")[0].text == "4 to 12, on 2 of 4 days")
    }

    @Test func theStyleIsReadAlikeAsHTMLAndAsXML() {
        #expect(!ReportStyle.sheet.contains { "<>&\"'".contains($0) })
    }

    /// WCAG 2.1, 1.4.3: text on its ground, in both schemes.
    @Test func textHasContrast() {
        for (ink, ground) in [(0x1A1A1A, 0xFFFFFF), (0x555555, 0xFFFFFF), (0xECECEC, 0x15181B), (0xB4B4B4, 0x15181B)] {
            #expect(contrast(ink, ground) >= 4.5)
            #expect(ReportStyle.sheet.contains(colour(ground)) && ReportStyle.sheet.contains(colour(ink)))
        }
    }

    // MARK: States

    @Test func aQuarterIsWhatFilledMostOfIt() {
        #expect(state([(.wornMinutes, 15), (.sedentaryMinutes, 8), (.walkingMinutes, 7)]) == .stationary)
        #expect(state([(.wornMinutes, 15), (.runningMinutes, 6), (.automotiveMinutes, 5)]) == .running)
        #expect(state([(.wornMinutes, 15), (.walkingMinutes, 4)]) == .unknown)
        #expect(state([(.wornMinutes, 15)]) == .unknown)
        #expect(state([(.wornMinutes, 15), (.asleepMinutes, 15)]) == .asleep)
        #expect(state([(.wornMinutes, 0)]) == .notWorn)
        #expect(state([(.wornMinutes, 5), (.walkingMinutes, 5)]) == .notWorn)
        #expect(state([(.asleepMinutes, 15)]) == .asleep, "motion is off")
        #expect(state([(.asleepMinutes, 0)]) == nil)
        #expect(state([]) == nil)
    }

    @Test func amountsThatCannotBeOverflowNothing() {
        var amounts = QuarterAmounts()
        let figures: [Figure] = [.steps, .sedentaryMinutes, .wornMinutes, .walkingMinutes, .asleepMinutes]
        for value in [Int64.max, .min, .max] {
            amounts.add(
                Quarter(
                    boot: .init(high: 1, low: 1), start: BootTime(nanoseconds: 0),
                    amounts: figures.map { .init($0.id, value) }))
        }
        #expect(amounts.state == .asleep && amounts.steps > 0)
    }

    @Test func offIsNotTheSameAsNothingStored() {
        let noon = first.start + .hours(12)
        let motion = MotionTimes([(first.start, true), (noon, false), (noon + .hours(6), true)], isUncertain: false)
        let states = CollectedAmounts().states(of: first, motion)
        #expect(states.runs.map(\.value) == [.noData, .off, .noData] && states.runs.map(\.start) == [0, 48, 72])
        #expect(CollectedAmounts().states(of: first + -1, motion).allSatisfy { $0 == .off }, "before it was ever on")
        let unsure = MotionTimes([(first.start, true), (noon, false)], isUncertain: true)
        #expect(CollectedAmounts().states(of: first, unsure).allSatisfy { $0 == .noData })
    }

    @Test func daysOffAreShaded() throws {
        let device = try TestDevice()
        let store = try ReportStore(device)
        try store.keep(ReportStore.ordinary(first), until: first)
        try store.ledger.change([.turn(.motion, on: false)], at: first.end)
        try store.ledger.change([.turn(.motion, on: true)], at: (first + 1).end)
        try store.keep(ReportStore.ordinary(first + 3), until: first + 3)
        let page = try ParsedPage(try device.anicca("report", "--html", "-").output)
        let ribbons = try page.section("activity").all("svg").map { $0.all("desc")[0].text }
        #expect(ribbons.count == 4 && ribbons[1] == "off 24 h 00 min" && ribbons[2] == "no data 24 h 00 min")
        let legend = try page.section("activity").all("ul")[0].all("li").map(\.text)
        #expect(legend.suffix(3) == ["not worn", "motion was off", "nothing stored"])
    }

    // MARK: -

    private func restlessPage(days count: Int) throws -> String {
        let device = try TestDevice("[fence \"<b>&home\"]\nlatitude = 52.5\nlongitude = 13.4\n")
        let store = try ReportStore(device)
        let days = (0..<count).map { first + $0 }
        try store.keep(days.flatMap(ReportStore.restless), until: first + (count - 1))
        try store.visit(days)
        return try device.anicca("report", "--html", "-").output
    }

    private func state(_ minutes: [(Figure, Int64)]) -> QuarterState? {
        var amounts = QuarterAmounts()
        amounts.add(ReportStore.quarter(first, 0, minutes))
        return amounts.state
    }

    private func colour(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        let isShort = stride(from: 0, to: 6, by: 2).allSatisfy { Array(digits)[$0] == Array(digits)[$0 + 1] }
        return "#" + (isShort ? String(stride(from: 0, to: 6, by: 2).map { Array(digits)[$0] }) : digits)
    }

    private func contrast(_ one: Int, _ other: Int) -> Double {
        let light = [luminance(one), luminance(other)].sorted()
        return (light[1] + 0.05) / (light[0] + 0.05)
    }

    private func luminance(_ colour: Int) -> Double {
        let parts = [16, 8, 0].map { shift -> Double in
            let part = Double(colour >> shift & 0xFF) / 255
            guard part > 0.04045 else { return part / 12.92 }
            return pow((part + 0.055) / 1.055, 2.4)
        }
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
    }
}
