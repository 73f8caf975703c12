import Domains
import CSQLite
import Store
import Core
import Testing

@Suite struct AuditTests {
    private let time = WallTime(secondsSinceEpoch: 1_740_823_200)

    @Test func beforeAnythingWasAllowedThereIsNothing() throws {
        let (device, _) = try TestDevice.withStore()
        let outcome = try device.anicca("audit")
        #expect(outcome.status == 0)
        #expect(outcome.output.isEmpty)
        #expect(outcome.messages.contains("anicca setup"))
        #expect(try device.anicca("audit", "--json").output == "[]\n")
        let verified = try device.anicca("audit", "--verify")
        #expect(verified.status == 0)
        #expect(verified.output == "0 entries: intact\n")
    }

    @Test func everyChangeIsARow() throws {
        let device = try TestDevice()
        try fill(device.makeStore())
        let outcome = try device.anicca("audit")
        #expect(
            outcome.lines == [
                "when                  who            what             from         to                         entry",
                "2025-03-01T10:00:00Z  wearer         health answer    never asked  agreed to steps and sleep      1",
                "2025-03-01T10:00:00Z  wearer         steps toggle     off          on                             2",
                "2025-03-01T10:01:00Z  kernel         steps device     usable       refused by the kernel          3",
                "2025-03-01T10:01:00Z  kernel         steps toggle     on           off                            4",
                "2025-03-01T10:02:00Z  administrator  location device  usable       forbidden by the config        5",
                "2025-03-01T10:03:00Z  wearer         steps data       stored       forgotten                      6",
            ])
    }

    @Test func jsonIsAnArray() throws {
        let device = try TestDevice()
        try fill(device.makeStore())
        let entries: [[String: Any]] = try device.anicca("audit", "--json").json()
        #expect(entries.map { $0["entry"] as? Int } == [1, 2, 3, 4, 5, 6])
        #expect(entries[2]["by"] as? String == "kernel")
        #expect(entries[2]["what"] as? String == "steps device")
        #expect(entries[2]["at"] as? String == "2025-03-01T10:01:00Z")
        #expect(entries[1]["from"] as? String == "off")
        #expect(entries[1]["to"] as? String == "on")
    }

    @Test func anIntactTrailShowsItsHead() throws {
        let device = try TestDevice()
        try fill(device.makeStore())
        let outcome = try device.anicca("audit", "--verify")
        #expect(outcome.status == 0)
        #expect(outcome.output.hasPrefix("6 entries, head "))
        #expect(outcome.output.hasSuffix(": intact\n"))
        let json: [String: Any] = try device.anicca("audit", "--verify", "--json").json()
        #expect(json["entries"] as? Int == 6)
        #expect(json["intact"] as? Bool == true)
        #expect((json["head"] as? String)?.isEmpty == false)
    }

    @Test func aRemovedEntryIsNamed() throws {
        let device = try TestDevice()
        try fill(device.makeStore())
        try device.tamper("DELETE FROM consent WHERE id = 3")
        let outcome = try device.anicca("audit", "--verify")
        #expect(outcome.status == 65)
        #expect(outcome.lines[0] == "entry 3 was removed")
        #expect(outcome.lines[1].hasSuffix(": broken"))
        #expect(outcome.messages.contains("keep a copy of the store"))

        let lines = try device.anicca("audit", "--verify", "--json")
        #expect(lines.status == 65)
        let report: [String: Any] = try lines.json()
        #expect((report["findings"] as? [[String: String]])?.first == ["finding": "entry 3 was removed"])
        #expect(report["intact"] as? Bool == false)

        let consent = try #require(try device.findings()["consent"])
        #expect(consent["state"] == "failed")
        #expect(consent["found"]?.contains("entry 3 was removed") == true)
        #expect(consent["advice"]?.isEmpty == false)
    }

    @Test func anEntryThatDoesNotOpenIsNamed() throws {
        let device = try TestDevice()
        try fill(device.makeStore())
        try device.tamper("UPDATE consent SET sealed = zeroblob(60) WHERE id = 2")
        let outcome = try device.anicca("audit")
        #expect(outcome.status == 65)
        #expect(outcome.messages.contains("entry 2 of the consent trail"))
        #expect(outcome.messages.contains("anicca audit --verify --config \(device.configPath) lists all damage"))
        #expect(try device.anicca("audit", "--verify").lines.contains("entry 2 was changed"))
    }

    /// The snapshot then names an entry that is not there.
    @Test func whoseEndWasCutOffIsToldWhyEverythingIsOff() throws {
        let device = try TestDevice()
        try fill(device.makeStore())
        try device.tamper("DELETE FROM consent WHERE id > 4")
        for command in ["status", "permissions"] {
            let outcome = try device.anicca(command)
            #expect(outcome.status == 0)
            #expect(outcome.messages.hasPrefix("the consent trail is broken, so all domains count as off"))
        }
        #expect(try device.findings()["consent"]?["state"] == "failed")
        try device.makeStore().change([.reply(.steps, .agreedWholly(to: .health))], at: time + .minutes(9))
        #expect(
            try device.findings()["consent"]?["state"] == "warning",
            "behind the answer that began anew it stops nothing")
    }

    private func fill(_ ledger: Ledger) throws {
        try ledger.change([.reply(.steps, .agreed([.steps, .sleep], offered: [.steps, .sleep]))], at: time)
        try ledger.change([.found(.steps, .refused)], at: time + .minutes(1))
        try ledger.change([.forbidden(DomainSet(.location))], at: time + .minutes(2))
        _ = try ledger.forget([.steps], at: time + .minutes(3)) { _ in nil }
    }
}

extension TestDevice {
    /// Lets the store take no more entries of the trail.
    func refuseEntries() throws {
        try tamper("CREATE TRIGGER refused BEFORE INSERT ON consent BEGIN SELECT RAISE(ABORT, 'refused'); END")
    }

    /// Changes the store behind the program's back.
    func tamper(_ statement: String) throws {
        var database: OpaquePointer?
        defer { sqlite3_close(database) }
        try #require(sqlite3_open(path("store/ledger.sqlite"), &database) == SQLITE_OK)
        for trigger in ["changed", "deleted"] {
            try #require(sqlite3_exec(database, "DROP TRIGGER consent_is_never_\(trigger)", nil, nil, nil) == SQLITE_OK)
        }
        try #require(sqlite3_exec(database, statement, nil, nil, nil) == SQLITE_OK)
    }
}
