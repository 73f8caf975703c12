import Domains
import Foundation
import Store
import Devices
import System
import Core
import RightClock
import Sensing
import Signal
import Testing

@testable import anicca

/// `anicca export`
@Suite struct ExportTests {
    private let day = UTCDay(daysSinceEpoch: 20_101)
    private static let names = [
        "alarms.json", "coverage.csv", "days.json", "events.json", "manifest.json", "nudges.json", "places.json",
        "quarters.csv",
        "receipt.json", "trail.json", "wearer.json",
    ]

    @Test func everythingThatIsStoredIsThereForTheWearerAlone() throws {
        let device = try TestDevice("[fence \"home\"]\nlatitude = 52.5\nlongitude = 13.4\n")
        let ledger = try fill(device)
        let entries = try ledger.trail()
        let outcome = try device.anicca("export", device.path("mine"))
        #expect(outcome.status == 0, "\(outcome.messages)")
        #expect(outcome.output == "\(device.path("mine")): 11 files, for you alone\n")
        let files = FileManager.default
        #expect(try files.contentsOfDirectory(atPath: device.path("mine")).sorted() == Self.names)
        #expect(try mode(device.path("mine")) == 0o700)
        for name in Self.names { #expect(try mode(device.path("mine/\(name)")) == 0o600, "\(name)") }
        #expect(try files.contentsOfDirectory(atPath: device.directory.path).allSatisfy { !$0.contains(".part-") })

        let days: [[String: Any]] = try device.exported("days.json")
        #expect(days.map { $0["date"] as? String } == ["2025-01-13"])
        let figures = try #require(days[0]["figures"] as? [[String: Any]])
        #expect(figures.map { $0["figure"] as? String } == ["steps", "rawPulses"])
        #expect(figures[0]["value"] as? Int == 9000 && figures[0]["unit"] as? String == "1")
        #expect(days[0]["delivery"] as? String == "queued")

        let places: [[String: Any]] = try device.exported("places.json")
        let visit = try #require((places[0]["visits"] as? [[String: Any]])?.first)
        #expect(visit["place"] as? String == "home" && visit["latitude"] as? Double == 52.5163)
        #expect((places[0]["positions"] as? [[String: Any]])?.first?["longitude"] as? Double == 13.3777)

        let events: [[String: Any]] = try device.exported("events.json")
        #expect(events.map { $0["event"] as? String } == ["visit"])
        #expect(events[0]["place"] as? String == "home" && events[0]["state"] as? String == "queued")
        let trail: [[String: Any]] = try device.exported("trail.json")
        #expect(trail.count == entries.count)
        #expect(try ledger.trail() == entries, "the store is as it was")
        let alarms: [Any] = try device.exported("alarms.json")
        let nudges: [Any] = try device.exported("nudges.json")
        #expect(alarms.isEmpty && nudges.isEmpty)
    }

    @Test func quartersAreRowsWithUnitsInTheHeader() throws {
        let device = try TestDevice()
        try fill(device)
        #expect(try device.anicca("export", device.path("mine")).status == 0)
        let lines = try text("quarters.csv", device).components(separatedBy: "\r\n")
        let header = lines[0].components(separatedBy: ",")
        #expect(Array(header[0..<4]) == ["date", "began [UTC]", "length [min]", "boot"])
        for figure in Figure.all { #expect(header.contains { $0.hasPrefix("\(figure) [") }) }
        let row = lines[1].components(separatedBy: ",")
        #expect(row.count == header.count && Array(row[0..<3]) == ["2025-01-13", "2025-01-13T00:00:00Z", "15.000"])
        let steps = try #require(header.firstIndex(of: "steps [1]"))
        #expect(row[steps] == "9000")
        #expect(lines.last?.isEmpty == true)
    }

    @Test func whatTheDayHasSoFarIsThere() throws {
        let (device, ledger) = try TestDevice.withStore()
        let now = Instant.now
        try ledger.change([.reply(.steps, .agreedWholly(to: .health))], at: now.wall)
        var session = SensingSession(boot: try BootID.current())
        let began = Instant(boot: now.boot - .seconds(10), wall: now.wall - .seconds(10), isSynchronised: true)
        session.begin(nil, at: began)
        _ = session.handle(.ordered(CollectionOrder(domains: DomainSet(.steps))), at: began)
        _ = session.handle(.lineOpened(kernelBuffer: 1024), at: began)
        let pulses = (0..<20).map { began.boot + .milliseconds(500) * Int64($0) }
        _ = session.handle(.pulses(PulseBatch(pulses: pulses)), at: now)
        try ledger.commit(Batch(checkpoint: session.checkpoint(at: now)))

        #expect(try device.anicca("export", device.path("mine")).status == 0)
        let lines = try text("quarters.csv", device).components(separatedBy: "\r\n").dropLast()
        let steps = try #require(lines[0].components(separatedBy: ",").firstIndex(of: "steps [1]"))
        let rows = lines.dropFirst().map { $0.components(separatedBy: ",") }
        #expect(rows.compactMap { Int($0[steps]) }.reduce(0, +) == 20)
        #expect(rows.allSatisfy { !$0[0].isEmpty && !$0[1].isEmpty })
    }

    @Test func theManifestHasTheHashOfEachFile() throws {
        let device = try TestDevice()
        try fill(device)
        let printed: [String: Any] = try device.anicca("export", device.path("mine"), "--json").json()
        let manifest: [String: Any] = try device.exported("manifest.json")
        let files = try #require(manifest["files"] as? [[String: Any]])
        #expect(files.count == Self.names.count - 1)
        #expect((printed["files"] as? [[String: Any]])?.count == files.count)
        for file in files {
            let name = try #require(file["file"] as? String)
            let bytes = [UInt8](try Data(contentsOf: URL(filePath: device.path("mine/\(name)"))))
            #expect(file["bytes"] as? Int == bytes.count)
            #expect(file["sha256"] as? String == hexadecimal(Vault.sha256(bytes)))
        }
    }

    @Test func theReceiptSaysWhoAgreedToWhatAndUnderWhichText() throws {
        let device = try TestDevice(
            """
            [account]
            user-id = 11111111-2222-3333-4444-555555555555
            [server]
            contact = Study office, study@example.org
            privacy-policy = https://example.org/privacy
            """)
        try fill(device)
        #expect(try device.anicca("export", device.path("mine")).status == 0)
        let receipt: [String: Any] = try device.exported("receipt.json")
        #expect((receipt["receiptId"] as? String)?.count == 32)
        #expect(receipt["controllerContact"] as? String == "Study office, study@example.org")
        #expect(receipt["privacyPolicy"] as? String == "https://example.org/privacy")
        #expect(receipt["jurisdiction"] as? String == "not stated: [server] jurisdiction is not set")
        #expect(receipt["piiPrincipal"] as? String == "11111111-2222-3333-4444-555555555555")
        let records = try #require(receipt["records"] as? [[String: Any]])
        #expect(records.map { $0["permission"] as? String } == ["health", "location"])
        let health = records[0]
        #expect(health["since"] as? String == day.start.description && health["givenBy"] as? String == "wearer")
        #expect(health["state"] as? String == "agreed to steps, sleep and walks")
        let notice = try #require(health["notice"] as? [String: Any])
        let words = try #require(notice["text"] as? String)
        #expect(words.hasPrefix("Health: your steps, your sleep and your walks and runs."))
        #expect(notice["sha256"] as? String == hexadecimal(Vault.sha256(Array(words.utf8))))
        #expect(notice["version"] as? String == aniccaVersion)
        #expect(
            (health["purposes"] as? [[String: Any]])?.map { $0["domain"] as? String } == ["steps", "sleep", "walks"])
        #expect((health["events"] as? [Any])?.isEmpty == false)
        let location = try #require((records[1]["purposes"] as? [[String: Any]])?.first)
        #expect(location["collectionMethod"] as? String == "gpsd")
        #expect((location["sensitivity"] as? String)?.isEmpty == false)
        let categories = try #require(location["dataCategories"] as? [[String: Any]])
        #expect(categories.last?["name"] as? String == "places" && categories.last?["sent"] as? Bool == false)
    }

    /// What a phone reports of a body is health data, though it comes through a folder.
    @Test func theReceiptSaysWhatThePhonesTotalsAre() throws {
        let (device, ledger) = try TestDevice.withStore()
        for domain in [Domain.screenTime, .phone] {
            try ledger.change([.reply(domain, .agreedWholly(to: domain.permission))], at: day.start)
        }
        #expect(try device.anicca("export", device.path("mine")).status == 0)
        let receipt: [String: Any] = try device.exported("receipt.json")
        let records = try #require(receipt["records"] as? [[String: Any]])
        let purposes = records.compactMap { ($0["purposes"] as? [[String: Any]])?.first }
        #expect(purposes.map { $0["domain"] as? String } == ["screenTime", "phone"])
        let isSpecial = purposes.map { ($0["sensitivity"] as? String)?.hasPrefix("special category") }
        #expect(isSpecial == [false, true])
        let categories = try #require(purposes.last?["dataCategories"] as? [[String: Any]])
        let sitting = categories.first { $0["name"] as? String == "phoneSitting" }
        #expect(sitting?["sent"] as? Bool == true, "within sedentaryMinutes")
    }

    @Test func whatIsInTheWayStays() throws {
        let device = try TestDevice()
        try fill(device)
        try FileManager.default.createDirectory(atPath: device.path("mine"), withIntermediateDirectories: false)
        try device.write("mine/note", "mine")
        let outcome = try device.anicca("export", device.path("mine"))
        #expect(outcome.status == 73 && outcome.messages.contains("is not empty"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: device.path("mine")) == ["note"])
        #expect(try device.anicca("export", device.path("mine/note")).status == 73)
        #expect(try device.anicca("export", device.path("none/mine")).status == 73)
        #expect(try device.anicca("export", ".").status == 73)
        try FileManager.default.removeItem(atPath: device.path("mine/note"))
        #expect(try device.anicca("export", device.path("mine") + "/").status == 0, "an empty one")
    }

    @Test func withoutAStoreNothingIsMade() throws {
        let device = try TestDevice()
        #expect(try device.anicca("export", device.path("mine")).status == 69)
        #expect(!FileManager.default.fileExists(atPath: device.path("mine")))
    }

    @Test(.enabled(if: geteuid() == 0, "only root can become somebody else"))
    func whatRootExportsIsReadByTheOwnerOfTheStoreAndWrittenByRoot() throws {
        let device = try TestDevice("[fence \"home\"]\nlatitude = 52.5\nlongitude = 13.4\n")
        try fill(device)
        try device.give(to: 1)
        chmod(device.directory.path, 0o755)
        let outcome = try device.anicca("export", device.path("mine"), "--open-mhealth")
        #expect(outcome.status == 0, "\(outcome.messages)")
        for name in Self.names + ["omh-step-count.json", "omh-heart-rate.json", "ieee-sleep.json"] {
            #expect(try owner(device.path("mine/\(name)")) == 0)
        }
        let places: [[String: Any]] = try device.exported("places.json")
        #expect(places.count == 1)
    }

    @Test func aStreamThatIsCutOffIsNoExport() {
        var bytes: [UInt8] = []
        let names = [
            "days.json", "quarters.csv", "coverage.csv", "events.json", "wearer.json", "places.json", "alarms.json",
            "nudges.json",
        ]
        for name in names {
            bytes += Array("\(name) 2\nxy".utf8)
        }
        for name in ["trail.json", "receipt.json", "manifest.json"] { bytes += Array("\(name) 0\n".utf8) }
        #expect(ExportStream.files(in: bytes)?.count == 11)
        #expect(ExportStream.files(in: bytes.dropLast()) == nil)
        #expect(ExportStream.files(in: bytes + [0]) == nil)
        #expect(ExportStream.files(in: Array("../x 0\n".utf8)) == nil)
        #expect(ExportStream.files(in: Array("days.json -1\n".utf8)) == nil)
    }

    /// A day of steps, a visit with its event, and a position.
    @discardableResult
    private func fill(_ device: TestDevice) throws -> Ledger {
        let ledger = try device.makeStore()
        try ledger.change([.reply(.location, .agreedWholly(to: .location))], at: day.start)
        try ledger.change([.reply(.steps, .agreedWholly(to: .health))], at: day.start)
        let place = try #require(Coordinates(latitude: 52.5163, longitude: 13.3777))
        let home = Fence(name: "home")
        let visit = Visit(
            arrived: day.start + .hours(6), left: day.start + .hours(8), place: home.number, position: place)
        let steps = ClosedDay(day: day, figures: [.init(.steps, 9000), .init(.rawPulses, 9100)])
        try ledger.commit(
            Batch(
                checkpoint: [], closedDays: [steps],
                events: [NudgeEvent(kind: .visit, at: visit.arrived, value: home.number)]))
        let places = [PlaceNote.visit(visit), .passed(day.start + .hours(1), place)]
        try ledger.commit(Batch(checkpoint: [], notes: places.map { BookNote($0) }))
        return ledger
    }

    private func text(_ name: String, _ device: TestDevice) throws -> String {
        String(decoding: try Data(contentsOf: URL(filePath: device.path("mine/\(name)"))), as: UTF8.self)
    }

    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    private func owner(_ path: String) throws -> uid_t? {
        try FileManager.default.attributesOfItem(atPath: path)[.ownerAccountID] as? uid_t
    }
}
