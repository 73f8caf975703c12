import Domains
import Store
import Core
import RightClock
import Testing

/// The made-up domain of the list, in the programs as they ship.
@Suite struct ProbeDomainTests {
    @Test func itIsAskedAboutTurnedAndListed() throws {
        let device = try TestDevice()
        let ledger = try device.makeStore()
        #expect(try device.anicca("setup").messages.hasPrefix("not answered yet: health, motion, probe\n"))
        #expect(try device.anicca("toggle", "probe", "on").status == 79, "asked about before it is on")
        #expect(try device.anicca("toggle", "probe", "on", "--agree").output.hasPrefix("probe is on now: "))
        #expect(try ledger.consent().state.toggles == DomainSet(.probe))
        #expect(try ledger.consent().isTrusted)
        let reports: [[String: Any]] = try device.anicca("permissions", "--json").json()
        let report = try #require(reports.first { $0["domain"] as? String == "probe" })
        #expect(report["on"] as? Bool == true && report["status"] as? String == "authorized")
        let status: [String: Any] = try device.anicca("status", "--json").json()
        let toggles = try #require(status["toggles"] as? [String: [String: Any]])
        #expect(toggles["probe"]?["on"] as? Bool == true)
        #expect(try device.anicca("permissions", "deny", "probe").output.contains("probe is off"))
        #expect(try ledger.consent().state.toggles == [])
    }

    @Test func itsFigureIsInDaysAndGoesWithForget() throws {
        let device = try TestDevice()
        let ledger = try device.makeStore()
        try ledger.change([.reply(.probe, .agreed(.probe))], at: WallTime(secondsSinceEpoch: 1_736_700_000))
        let day = ClosedDay(day: UTCDay(daysSinceEpoch: 20_103), figures: [.init(.probeWindows, 321)])
        try ledger.commit(Batch(checkpoint: [], closedDays: [day]))
        let days: [[String: Any]] = try device.anicca("days", "--json").json()
        #expect(days.map { $0["probeWindows"] as? Int } == [321])
        #expect(try device.anicca("days", "--csv").output.contains("probeWindows"))
        #expect(try device.anicca("forget", "probe", "--yes").status == 0)
        #expect(try device.anicca("days", "--json").output == "[]\n")
    }

    @Test func itsBookGoesWithTheScopeAndIsExportedAndCounted() throws {
        let device = try TestDevice()
        let ledger = try device.makeStore()
        let at = WallTime(secondsSinceEpoch: 1_736_953_500)
        #expect(try device.anicca("toggle", "probe", "on", "--agree").status == 0)
        func keep() throws {
            var batch = Batch(checkpoint: [])
            batch.notes = [BookNote(ProbeNote(at: at))]
            try ledger.commit(batch)
        }
        try keep()
        let status: [String: Any] = try device.anicca("status", "--json").json()
        #expect((status["probe"] as? [String: Any])?["times"] as? Int == 1)
        #expect(try device.anicca("export", device.path("mine")).status == 0)
        let file = try String(contentsOfFile: device.path("mine/probe.json"), encoding: .utf8)
        #expect(file.contains(#"{"date":"2025-01-15","times":["2025-01-15T15:05:00Z"]}"#))
        #expect(try device.anicca("doctor").output.contains("its event comes after 100 windows"))
        #expect(try device.anicca("permissions", "narrow", "probe").status == 0)
        #expect(try ledger.bookDays(ProbeDay.self).allSatisfy { $0.1.times.isEmpty })
        #expect(try device.anicca("permissions", "expand", "probe", "--agree").status == 0)
        try keep()
        #expect(try device.anicca("forget", "probe", "--yes").output.contains("1 window time"))
        #expect(try ledger.bookDays(ProbeDay.self).isEmpty)
    }

    @Test func itsTableIsShownAndFolded() throws {
        let device = try TestDevice()
        let ledger = try device.makeStore()
        try ledger.change([.reply(.probe, .agreed(.probe))], at: WallTime(secondsSinceEpoch: 1_736_700_000))
        let day = ClosedDay(day: UTCDay(daysSinceEpoch: 20_103), figures: [.init(.probePauses, [60, 300, 61])])
        try ledger.commit(Batch(checkpoint: [], closedDays: [day]))
        #expect(try ledger.days(limit: 1).first?.value(of: .probePauses) == [60, 61, 300])
        #expect(
            try device.anicca("days", "--json").output.contains(#""probePauses":{"least":60,"median":61,"most":300}"#))
        #expect(try device.anicca("days", "--all").output.contains("least 60, median 61, most 300"))
        #expect(try device.anicca("why", "2025-01-15").output.contains("least 60, median 61, most 300"))
        #expect(try device.anicca("report").status == 0)
    }

    @Test func itsSettingIsReadAndCheckedAndItsNamesAreInTheHelp() throws {
        let good = try TestDevice("[probe]\nthreshold = 7\n[policy]\nprobe = allowed")
        #expect(try good.anicca("validate-config").status == 0)
        let bad = try TestDevice("[probe]\nthreshold = 0")
        let outcome = try bad.anicca("validate-config")
        #expect(outcome.status == 78 && outcome.messages.contains("threshold"))
        #expect(try AniccaProgram.run(["toggle", "--help"]).output.contains("probe"))
        #expect(try AniccaProgram.run(["permissions", "deny", "--help"]).output.contains("probe"))
    }
}
