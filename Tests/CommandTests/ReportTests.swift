import Domains
import Foundation
import Store
import Core
import RightClock
import Testing

@testable import anicca

/// `anicca report`
@Suite struct ReportTests {
    private let first = ReportStore.first
    private static let fence = "[fence \"<b>&home\"]\nlatitude = 52.5\nlongitude = 13.4\n"

    @Test func everyFigureOnThePageIsThatOfDays() throws {
        let device = try TestDevice(Self.fence)
        try fill(device, days: 3)
        let days: [[String: Any]] = try device.anicca("days", "--json").json()
        let figures = try page(device).section("days")
        let titles = figures.all("thead")[0].all("th").map(\.text)
        let rows = figures.all("tbody")[0].all("tr")
        #expect(days.count == 3 && rows.count == 3)
        for (day, row) in zip(days, rows) {
            #expect(row.all("th")[0].all("time")[0].attributes["datetime"] == day["date"] as? String)
            for figure in Figure.all {
                let column = titles.firstIndex(of: figure.words.name).map { row.children[$0] }
                let shown = column.flatMap {
                    $0.all("data").first?.attributes["value"] ?? $0.all("time").first?.attributes["datetime"]
                }
                let told = day[figure.description].map { "\($0)" }
                #expect(shown == told, "\(figure)")
            }
            #expect(row.children.last?.text == "waiting" && day["delivery"] as? String == "queued")
        }
        #expect(
            titles == [
                "day", "night sleep", "woke", "steps", "sitting", "worn", "walking", "sleep with naps", "record",
            ])
    }

    @Test func theSummaryHasTheMeans() throws {
        let device = try TestDevice(Self.fence)
        try fill(device, days: 3)
        let root = try page(device).root
        #expect(root.all("header")[0].all("p")[0].text == "3 days, 2025-01-13 to 2025-01-15 (UTC), 3 with data.")
        let means = root.all("header")[0].all("li").map(\.text)
        #expect(means.contains("6 h 30 min night sleep") && means.contains("1683 steps"), "\(means)")
    }

    @Test func ribbonsNightsAndHoursTellTheQuarters() throws {
        let device = try TestDevice(Self.fence)
        try fill(device, days: 2)
        let page = try page(device)
        let ribbon = try page.section("activity").all("svg")[0]
        let paths = Dictionary(
            uniqueKeysWithValues: ribbon.all("path").map { ($0.attributes["class"] ?? "", $0.attributes["d"] ?? "") })
        #expect(paths["asleep"] == "M0 5h26" && paths["walking"] == "M48 5h1")
        #expect(paths["stationary"] == "M26 5h22M49 5h27M84 5h12")
        #expect(paths["unworn"] == nil && paths["none"] == nil, "what is not worn is the ground")
        #expect(
            ribbon.all("desc")[0].text
                == "stationary 15 h 15 min, asleep 6 h 30 min, not worn 2 h 00 min, walking 15 min")
        let course = try page.section("activity").all("td")[1].text
        #expect(course.hasPrefix("00:00 asleep, 06:30 stationary, 12:00 walking, 12:15 stationary, 19:00 not worn"))

        let night = try page.section("sleep").all("svg")[0]
        #expect(night.all("path")[0].attributes["d"] == "M48 5h26")
        #expect(night.all("desc")[0].text == "6 h 30 min, woke 06:29")
        #expect(try page.section("sleep").all("td")[1].text == "00:00 to 06:30")
        let hours = try page.section("steps").all("tbody")[0].all("tr").map { $0.all("td").map(\.text) }
        #expect(hours.count == 24 && hours[12] == ["3018", "1509"] && hours[9] == ["24", "12"])
    }

    @Test func visitsHaveNamesAndNoCoordinates() throws {
        let device = try TestDevice(Self.fence)
        try fill(device, days: 2)
        let text = try device.anicca("report", "--html", "-").output
        #expect(!text.contains("52.5") && !text.contains("13.3"))
        #expect(text.contains("08:00–16:00 <bdi>a place</bdi>"))
        #expect(text.contains("18:00–2025-01-14 06:00 <bdi>&lt;b&gt;&amp;home</bdi>"))
    }

    @Test func deliveryTellsWhatBecameOfTheRecords() throws {
        let device = try TestDevice(Self.fence)
        let ledger = try fill(device, days: 4)
        let now = right((first + 5).start)
        let records = try ledger.queued()
        try ledger.markDelivered(records[0].id, by: 1, of: [1], at: now)
        try ledger.setAside(records[1].id, by: 1, of: [1], error: "the server's <answer>", at: now)
        try ledger.withhold(records[2].id, at: now)
        let delivery = try page(device).section("delivery")
        let told = Dictionary(uniqueKeysWithValues: zip(delivery.all("dt").map(\.text), delivery.all("dd").map(\.text)))
        #expect(told["sent"] == "1 record of these days" && told["set aside"] == "1, refused by the server")
        #expect(told["withheld"] == "1, as their domains were turned off")
        let words = try page(device).section("days").all("tbody")[0].all("tr").compactMap { $0.children.last?.text }
        #expect(words == ["waiting", "withheld", "set aside", "sent"])
    }

    @Test func theOverviewFitsATerminal() throws {
        let device = try TestDevice(Self.fence)
        try fill(device, days: 28)
        let lines = try device.anicca("report").output.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.allSatisfy { $0.count <= 80 })
        #expect(
            lines.contains("2025-01-13  zzzzzzz------------..---   1683    15:15   6:30  06:29  waiting"), "\(lines[5])"
        )
        #expect(try device.anicca("report", "--days", "2").output.contains("2 days, 2025-02-08 to 2025-02-09 (UTC)"))
    }

    @Test func programsHaveTheCourseOfEachDay() throws {
        let device = try TestDevice(Self.fence)
        try fill(device, days: 2)
        let days: [[String: Any]] = try device.anicca("report", "--json").json()
        #expect(days.map { $0["date"] as? String } == ["2025-01-13", "2025-01-14"])
        let activity = try #require(days[0]["activity"] as? [[String: String]])
        #expect(activity.map { $0["from"] } == ["00:00", "06:30", "12:00", "12:15", "19:00", "21:00"])
        #expect(
            activity.map { $0["state"] } == ["asleep", "stationary", "walking", "stationary", "notWorn", "stationary"])
        let steps = try #require(days[0]["stepsByHour"] as? [[String: Int]])
        #expect(steps.first == ["hour": 6, "steps": 6] && steps.contains(["hour": 12, "steps": 1509]))
    }

    @Test func anEmptyStoreHasAPageThatSaysSo() throws {
        let (device, _) = try TestDevice.withStore()
        #expect(try device.anicca("report", "--json").output == "[]\n")
        let outcome = try device.anicca("report")
        #expect(outcome.status == 0 && outcome.output.isEmpty)
        #expect(outcome.messages.contains("no day has ended yet"))
        let root = try page(device).root
        #expect(root.all("header")[0].all("p")[0].text == "Nothing was collected yet on a day that has ended.")
        #expect(root.all("section").count == 1, "that of delivery")
    }

    @Test(arguments: [["--days", "0"], ["--days", "91"], ["--force"], ["--json", "--html", "-"], ["more"]])
    func whatMakesNoSenseIsAUsageError(arguments: [String]) throws {
        #expect(try AniccaProgram.run(["report"] + arguments).status == 64)
    }

    // MARK: The file

    @Test func theFileIsForTheWearerAlone() throws {
        let device = try TestDevice(Self.fence)
        try fill(device, days: 1)
        let outcome = try device.anicca("report", "--html", device.path("r.html"))
        #expect(outcome.status == 0 && outcome.output.hasSuffix(" kB, for you alone\n"), "\(outcome.messages)")
        let attributes = try FileManager.default.attributesOfItem(atPath: device.path("r.html"))
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        _ = try ParsedPage(String(contentsOfFile: device.path("r.html"), encoding: .utf8))
        try expectNoParts(in: device)
    }

    @Test func whatIsInTheWayStays() throws {
        let device = try TestDevice(Self.fence)
        try fill(device, days: 1)
        try device.write("r.html", "mine")
        let outcome = try device.anicca("report", "--html", device.path("r.html"))
        #expect(outcome.status == 73 && outcome.messages.contains("--force"))
        #expect(try String(contentsOfFile: device.path("r.html"), encoding: .utf8) == "mine")
        for name in ["store", "none/r.html", "store/", "i2c"] {
            #expect(try device.anicca("report", "--force", "--html", device.path(name)).status == 73, "\(name)")
        }
        #expect(try device.anicca("report", "--force", "--html", device.path("r.html")).status == 0)
        let attributes = try FileManager.default.attributesOfItem(atPath: device.path("r.html"))
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        try expectNoParts(in: device)
    }

    private func expectNoParts(in device: TestDevice) throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: device.directory.path)
        #expect(names.allSatisfy { !$0.contains(".part-") })
    }

    private func page(_ device: TestDevice) throws -> ParsedPage {
        let outcome = try device.anicca("report", "--html", "-")
        #expect(outcome.status == 0, "\(outcome.messages)")
        return try ParsedPage(outcome.output)
    }

    /// Ordinary days with visits.
    @discardableResult
    private func fill(_ device: TestDevice, days count: Int) throws -> Ledger {
        let store = try ReportStore(device)
        let days = (0..<count).map { first + $0 }
        try store.keep(days.flatMap(ReportStore.ordinary), until: first + (count - 1))
        try store.visit(days)
        return store.ledger
    }
}
