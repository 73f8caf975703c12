import Domains
import System
import LaterVersion
import Core
import Testing

@testable import Store
@testable import Sensing

@Suite struct PermissionReportTests {
    private let bench: RegistryBench
    init() throws { bench = try RegistryBench(policy { $0.forbidden = DomainSet(.location) }) }

    private func report(_ domain: Domain, at time: WallTime = noon + .hours(1)) throws -> PermissionReport {
        try #require(try bench.registry.report(at: time).first { $0.domain == domain })
    }

    @Test func reportHasEveryDomainAndWritesNothing() throws {
        let bench = try RegistryBench(policy { $0.forbidden = DomainSet(.location) }, domains: Domain.all.map(\.later))
        try bench.handler(.steps).hardware = .blocked(.absent, reason: "no line")
        let reports = try bench.registry.report(at: noon)
        #expect(reports.map(\.domain) == Domain.all)
        #expect(
            reports.map(\.status) == [
                .notDetermined, .unsupported, .notDetermined, .notDetermined, .notDetermined, .notDetermined,
                .notDetermined, .notDetermined, .restricted, .notDetermined,
            ])
        #expect(try bench.ledger.trail().isEmpty)
        #expect(!bench.registry.isKnown && bench.acts.isEmpty)
    }

    @Test func whatIsOnAndWellNeedsNoAdvice() throws {
        try bench.turnOn(.motion)
        let report = try report(.motion)
        #expect(report.isOn && report.status == .authorized)
        #expect(report.toggledAt == noon && report.since == noon)
        #expect(report.reason == nil && report.advice == nil)
    }

    @Test func whatIsOffSaysHowToTurnItOn() throws {
        #expect(try report(.motion).advice == "hint for notDetermined")
        #expect(try report(.motion).toggledAt == nil)
    }

    @Test func hardwareThatIsGoneSinceShowsAtOnce() throws {
        try bench.turnOn(.motion)
        try bench.handler(.motion).hardware = .blocked(.refused, reason: "permission denied")
        let report = try report(.motion)
        #expect(report.isOn && report.status == .denied)
        #expect(report.since == noon + .hours(1))
        #expect(report.reason == "permission denied" && report.advice == "hint for denied because permission denied")
    }

    @Test func hardwareThatIsBackShowsAtOnce() throws {
        try bench.handler(.motion).hardware = .blocked(.absent, reason: "unplugged")
        try bench.turn(.motion, answer: nil)
        try bench.handler(.motion).hardware = .ready
        #expect(try report(.motion).status == .notDetermined)
        #expect(try bench.status(.motion) == .unsupported)
    }

    @Test func busyHardwareIsTheReasonAndNoObstacle() throws {
        try bench.turnOn(.steps)
        try bench.handler(.steps).hardware = .failing(reason: "held by \"fan\"")
        let report = try report(.steps)
        #expect(report.status == .authorized && report.reason == "held by \"fan\"")
    }

    @Test func narrowerAgreementIsTheReason() throws {
        let later = try RegistryBench(domains: Domain.all.map(\.later), over: bench)
        try later.turn(.steps, answer: .agreed(.steps, offered: [.steps, .sleep]))
        try later.turn(.location.later, answer: .agreed(.placeEvents))
        let reports = try later.registry.report(at: noon)
        let sleep = try #require(reports.first { $0.domain == .sleep })
        let location = try #require(reports.first { $0.domain == .location })
        #expect(sleep.status == .denied && sleep.reason == "agreed to no more than steps")
        #expect(sleep.advice == "hint for limited")
        #expect(location.status == .limited && location.reason == "agreed to no more than place events")
    }

    @Test func versionThatDoesNotCollectItIsTheReasonAndTheHardwareIsNotTouched() throws {
        let earlier = try RegistryBench(domains: Domain.withSleep, over: bench)
        try bench.ledger.change([.reply(.screenTime.later, .agreed(.screenTime))], at: noon)
        try bench.ledger.change([.found(.screenTime.later, .absent)], at: noon)
        for domain in [Domain.screenTime, .alarm] {
            let report = try #require(try earlier.registry.report(at: noon).first { $0.domain == domain })
            #expect(report.status == .unsupported && report.reason == PermissionReport.notCollected)
            #expect(report.advice == "hint for unsupported" && report.since == nil)
            #expect(report.isOn == (domain == .screenTime), "as a later version left it")
            #expect(try earlier.handler(domain).requests == 0)
        }
    }

    /// The version before, over a store in which this one has turned sleep on.
    @Test func whatSharesThePermissionOfWhatIsNotCollectedIsAsItWas() throws {
        try bench.turnOn(.sleep)
        try bench.turnOn(.steps)
        let earlier = try RegistryBench(domains: Domain.beforeSleep, over: bench)
        let reports = try earlier.registry.report(at: noon)
        let (steps, sleep) = (reports[1], reports[2])
        #expect(steps.isOn && steps.status == .authorized && steps.reason == nil)
        #expect(sleep.isOn && sleep.status == .unsupported && sleep.reason == PermissionReport.notCollected)
        #expect(try earlier.handler(.sleep).requests == 0)
    }
}
