import Domains
import Foundation
import Store
import Core
import RightClock
import Testing

@testable import anicca

/// `anicca export --open-mhealth`
@Suite struct OpenMHealthTests {
    private static let day = ReportStore.first

    @Test func aQuarterOfStepsIsADataPoint() throws {
        let device = try exported()
        let points: [[String: Any]] = try device.exported("omh-step-count.json")
        #expect(points.count == 96)
        let noon = try #require(points.first { start(of: $0) == "2025-01-13T12:00:00Z" })
        let body = try #require(noon["body"] as? [String: Any])
        let count = try #require(body["step_count"] as? [String: Any])
        #expect(count["value"] as? Int == 1500 && count["unit"] as? String == "steps")
        #expect(end(of: noon) == "2025-01-13T12:15:00Z")
        let header = try #require(noon["header"] as? [String: Any])
        #expect(Set(header.keys) == ["id", "creation_date_time", "schema_id", "acquisition_provenance"])
        #expect(schema(of: noon) == ["namespace": "omh", "name": "step-count", "version": "3.0"])
        #expect(
            header["acquisition_provenance"] as? [String: String] == [
                "source_name": "Anicca Edge", "source_creation_date_time": "2025-01-13T12:15:00Z",
                "modality": "sensed",
            ])
    }

    @Test func aSleepIsAnEpisodeAndTheTimeAsleep() throws {
        let points: [[String: Any]] = try exported().exported("ieee-sleep.json")
        #expect(points.compactMap { schema(of: $0)?["name"] } == ["sleep-episode", "total-sleep-time"])
        for point in points {
            #expect(start(of: point) == "2025-01-13T00:00:00Z" && end(of: point) == "2025-01-13T06:29:00Z")
            let header = try #require(point["header"] as? [String: Any])
            #expect(Set(header.keys) == ["uuid", "schema_id", "source_creation_date_time", "modality"])
            #expect(schema(of: point)?["namespace"] == "ieee" && header["modality"] as? String == "sensed")
        }
        let total = try #require((points[1]["body"] as? [String: Any])?["total_sleep_time"] as? [String: Any])
        #expect(total["value"] as? Int == 390 && total["unit"] as? String == "min")
    }

    @Test func anIdIsAUUIDAndTheSameInEveryExport() throws {
        let device = try exported()
        #expect(try device.anicca("export", device.path("again"), "--open-mhealth").status == 0)
        var ids: Set<String> = []
        for name in ["omh-step-count.json", "ieee-sleep.json"] {
            let bytes = try Data(contentsOf: URL(filePath: device.path("mine/\(name)")))
            #expect(try Data(contentsOf: URL(filePath: device.path("again/\(name)"))) == bytes)
            for point in try device.exported(name, as: [[String: Any]].self) {
                let header = try #require(point["header"] as? [String: Any])
                let id = try #require((header["id"] ?? header["uuid"]) as? String)
                #expect(UUID(uuidString: id) != nil && Array(id)[14] == "8" && "89ab".contains(Array(id)[19]))
                ids.insert(id)
            }
        }
        #expect(ids.count == 98)
    }

    @Test func theyAreInTheManifestAndOnlyWhenAskedFor() throws {
        let device = try exported()
        let manifest: [String: Any] = try device.exported("manifest.json")
        let files = try #require(manifest["files"] as? [[String: Any]])
        for name in ["omh-step-count.json", "ieee-sleep.json"] {
            let file = try #require(files.first { $0["file"] as? String == name })
            let bytes = [UInt8](try Data(contentsOf: URL(filePath: device.path("mine/\(name)"))))
            #expect(file["sha256"] as? String == hexadecimal(Vault.sha256(bytes)))
        }
        #expect(try device.anicca("export", device.path("plain")).status == 0)
        let plain = try FileManager.default.contentsOfDirectory(atPath: device.path("plain"))
        #expect(!plain.contains("omh-step-count.json") && plain.count == 11)
    }

    @Test func theBeginningOfASleepIsFoundFromTheMinutesBefore() {
        let quarters = sensed([(20, 0), (21, 6), (22, 15), (23, 10)], slept: 31, woke: 23)
        let episode = SensedQuarter.sleeps(in: quarters).found.first?.json.description
        #expect(episode?.contains(#""start_date_time":"2025-01-13T05:24:00Z""#) == true, "\(episode ?? "none")")
    }

    @Test func partsOfAQuarterAreOnePoint() throws {
        var night = dated([(22, 15), (23, 10)], slept: 25, woke: 23)
        // As after a change of consent: steps are added up, a sleep is told once.
        let steps = ReportStore.quarter(Self.day, 23, [], steps: 7).amounts
        var quarter = night[1].quarter
        quarter.amounts += steps + steps + quarter.amounts.suffix(2)
        night[1] = DatedQuarter(quarter: quarter, day: night[1].day, began: night[1].began)
        let quarters = SensedQuarter.all(of: night, endedBy: Self.day.end)
        #expect(quarters.count == 2)
        #expect(quarters[1].stepCount?.json.description.contains(#""value":14"#) == true)
        let total = SensedQuarter.sleeps(in: quarters).found.last?.json.description
        #expect(total?.contains(#""total_sleep_time":{"value":25,"unit":"min"}"#) == true)
    }

    @Test func aQuarterWithChecksOfThePulseIsAPointWithTheirMedian() {
        let checks = [60, 71, 0, 58].map { Quarter.Amount(Figure.heartRate.id, $0) }
        let quarters = [checks, [Quarter.Amount(Figure.heartRate.id, 0)], []].enumerated().map { index, amounts in
            let start = ReportStore.quarter(Self.day, index, []).start
            return DatedQuarter(
                quarter: Quarter(boot: .unknown, start: start, amounts: amounts), day: Self.day,
                began: Self.day.start + QuarterHour.length * Int64(index))
        }
        let points = SensedQuarter.all(of: quarters, endedBy: Self.day.end).compactMap(\.heartRate)
        #expect(points.count == 1)
        let text = points.first?.json.description
        #expect(text?.contains(#""heart_rate":{"value":60,"unit":"beats/min"}"#) == true, "\(text ?? "none")")
        #expect(text?.contains(#""descriptive_statistic":"median""#) == true)
    }

    @Test func aSleepWhoseQuartersAreGoneIsLeftOut() {
        let (found, without) = SensedQuarter.sleeps(in: sensed([(22, 15), (23, 10)], slept: 31, woke: 23))
        #expect(found.isEmpty && without.isEmpty, "they are older than what is kept")
    }

    @Test func aSleepThatItsQuartersDoNotMakeUpIsTold() {
        var night = dated([(22, 15), (23, 10)], slept: 31, woke: 23)
        night += dated([(20, 15), (21, 0)], slept: 15, woke: 20)
        let (found, without) = SensedQuarter.sleeps(in: SensedQuarter.all(of: night, endedBy: Self.day.end))
        #expect(found.count == 2 && without.count == 1, "the earlier sleep is another one")
    }

    @Test func aQuarterThatGoesOnIsLeftOut() {
        let dated = dated([(20, 0), (21, 0)], slept: 0, woke: 0)
        let end = Self.day.start + QuarterHour.length * 22
        #expect(SensedQuarter.all(of: dated, endedBy: end).count == 2)
        #expect(SensedQuarter.all(of: dated, endedBy: end - .seconds(1)).count == 1)
    }

    /// An ordinary day, exported into `mine`.
    private func exported() throws -> TestDevice {
        let device = try TestDevice()
        let store = try ReportStore(device)
        try store.keep(ReportStore.ordinary(Self.day), until: Self.day)
        let outcome = try device.anicca("export", device.path("mine"), "--open-mhealth")
        #expect(outcome.status == 0 && outcome.output.hasSuffix("mine: 14 files, for you alone\n"))
        return device
    }

    /// Quarters of the day with minutes asleep, of which that of the number `woke` has the end of a sleep.
    private func sensed(_ minutes: [(Int, Int64)], slept: Int64, woke: Int) -> [SensedQuarter] {
        SensedQuarter.all(of: dated(minutes, slept: slept, woke: woke), endedBy: Self.day.end)
    }

    private func dated(_ minutes: [(Int, Int64)], slept: Int64, woke: Int) -> [DatedQuarter] {
        minutes.map { index, asleep in
            var quarter = ReportStore.quarter(Self.day, index, [(.asleepMinutes, asleep)])
            if index == woke {
                quarter.amounts += [.init(Figure.sleepDuration.id, slept), .init(Figure.wakeAt.id, 720_001)]
            }
            return DatedQuarter(
                quarter: quarter, day: Self.day, began: Self.day.start + QuarterHour.length * Int64(index))
        }
    }

    private func schema(of point: [String: Any]) -> [String: String]? {
        (point["header"] as? [String: Any])?["schema_id"] as? [String: String]
    }

    private func start(of point: [String: Any]) -> String? { interval(of: point)?["start_date_time"] }

    private func end(of point: [String: Any]) -> String? { interval(of: point)?["end_date_time"] }

    private func interval(of point: [String: Any]) -> [String: String]? {
        let body = point["body"] as? [String: Any]
        return (body?["effective_time_frame"] as? [String: Any])?["time_interval"] as? [String: String]
    }
}
