import Foundation
import Quantities
import Testing

/// The quarters that made the figures of lived days.
@Suite struct WhyTests {
    @Test func theQuartersOfALivedDayMakeItsRecord() throws {
        let first = UTCDay(daysSinceEpoch: 20_101)
        let device = try Device()
        try device.setUp(before: first)
        #expect(try device.daemon(seed: 7, days: 2, from: first).wait() == 0)
        let text = try Program.run("anicca", ["days", "--json"] + device.configArguments).lines.joined()
        let days = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]])
        #expect(days.count > 0)
        for day in days {
            let date = try #require(day["date"] as? String)
            let why = try Program.run("anicca", ["why", date, "--json"] + device.configArguments)
            let json = try JSONSerialization.jsonObject(with: Data(why.lines.joined().utf8)) as? [String: Any]
            let figures = try #require(json?["figures"] as? [[String: Any]])
            for name in ["steps", "sedentaryMinutes"] {
                let figure = try #require(figures.first { $0["figure"] as? String == name })
                #expect(figure["value"] as? Int == day[name] as? Int)
                let quarters = try #require(figure["quarters"] as? [[String: Any]])
                let sum = quarters.compactMap { ($0["value"] ?? $0["nanoseconds"]) as? Int }.reduce(0, +)
                #expect((name == "steps" ? sum : (sum + 30_000_000_000) / 60_000_000_000) == day[name] as? Int)
            }
            let shown = try Program.run("anicca", ["why", date] + device.configArguments)
            #expect(shown.status == 0 && shown.lines.allSatisfy { $0.count <= 80 })
        }
    }
}
