import Domains
import Files
import Quantities
import Testing

@testable import Ledger
@testable import Permissions

@Suite struct PermissionReportTests {
    private let bench: RegistryBench
    init() throws { bench = try RegistryBench(policy { $0.forbidden = DomainSet(.location) }) }

    private func report(_ domain: Domain, at time: WallTime = noon + .hours(1)) throws -> PermissionReport {
        try #require(try bench.registry.report(at: time).first { $0.domain == domain })
    }

    @Test func reportHasEveryDomainAndWritesNothing() throws {
        try bench.handler(.alarm).hardware = .blocked(.absent, reason: "no line")
        let reports = try bench.registry.report(at: noon)
        #expect(reports.map(\.domain) == Domain.all)
        #expect(
            reports.map(\.status) == [
                .notDetermined, .notDetermined, .notDetermined, .notDetermined, .restricted, .unsupported,
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

    @Test func configThatForbidsIsTheReason() throws {
        #expect(try report(.location).reason == "[policy] location = forbidden in the config")
        #expect(try bench.handler(.location).requests == 0)
    }

    @Test func narrowerAgreementIsTheReason() throws {
        try bench.turn(.steps, answer: .agreed(.steps))
        #expect(try report(.steps).reason == "agreed to no more than steps")
        #expect(try report(.sleep).advice == "hint for denied")
    }
}
