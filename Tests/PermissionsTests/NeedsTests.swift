import Domains
import LaterVersion
import Core
import Testing

@testable import Store
@testable import Sensing

/// A domain that is collected only with others: here alarm, which needs motion and steps.
@Suite struct NeedsTests {
    private static let version = Domain.all.map { $0 == .alarm ? $0.needing([.motion, .steps]) : $0 }
    private static let all: [Domain] = [.motion, .steps, .alarm]

    @Test func itIsCollectedOnlyWithAllThatItNeeds() throws {
        for missing in [Domain.motion, .steps] {
            let bench = try KeeperBench(Self.all.filter { $0 != missing }, of: Self.version)
            bench.begin()
            #expect(bench.orders.last?.suspended == DomainSet(.alarm))
            #expect(bench.domains?.allows(.alarm) == false)
            try bench.turn(missing, on: true, at: instant(.seconds(1)))
            #expect(bench.domains == DomainSet(Self.all) && bench.orders.last?.suspended == [])
            #expect(bench.orders.last?.dropped.allows(.alarm) == false)
            #expect(bench.orders.last?.scope(of: .alarm) == .alarm)
        }
    }

    @Test func itWaitsAfterWhatItNeedsHasSettledAndKeepsItsData() throws {
        let bench = try KeeperBench(Self.all, of: Self.version)
        bench.begin()
        try bench.turn(.steps, on: false, at: instant(.seconds(1)))
        #expect(bench.domains == DomainSet(Self.all), "the toggle settles")
        bench.keeper.lookAgain(at: instant(.seconds(3)))
        #expect(bench.domains == DomainSet(.motion))
        #expect(bench.orders.last?.suspended == DomainSet(.alarm) && bench.orders.last?.dropped == [])
        #expect(bench.registry.consent.state.toggles.allows(.alarm))
    }

    @Test func itWaitsWhileTheDeviceOfAnotherIsMissing() throws {
        let bench = try KeeperBench(Self.all, of: Self.version)
        bench.begin()
        try bench.handler(.motion).hardware = .blocked(.absent, reason: "unplugged")
        bench.keeper.lost([unplugged], at: instant(.seconds(1)))
        #expect(bench.domains == DomainSet(.steps) && bench.orders.last?.suspended == [.motion, .alarm])
        #expect(!bench.registry.consent.state.isSuspended(.alarm), "its own device is there")
        try bench.handler(.motion).hardware = .ready
        bench.keeper.nodesChanged(at: instant(.seconds(2)))
        #expect(bench.domains == DomainSet(Self.all))
    }

    @Test func thePermissionsSayWhatItWaitsFor() throws {
        let bench = try RegistryBench(domains: Self.version)
        let alarm = try #require(Self.version.first { $0 == .alarm })
        for domain in [Domain.motion, .alarm] { try bench.turnOn(domain) }
        let report = try #require(try bench.registry.report(at: noon).first { $0.domain == .alarm })
        #expect(report.isOn && report.status == .authorized)
        #expect(report.reason == "waits for steps, which it needs")
        #expect(report.advice == "hint for notDetermined")
        #expect(try bench.ledger.consent().state.awaited(by: alarm) == [.steps])
        try bench.turnOn(.steps)
        #expect(try bench.registry.report(at: noon).first { $0.domain == .alarm }?.advice == nil)
        #expect(try bench.ledger.consent().state.awaited(by: alarm) == [])
    }

    @Test func needsOfNeedsCount() {
        let steps = Domain.steps.needing([.motion])
        let alarm = Domain.alarm.needing([steps])
        #expect(!DomainSet([.steps, .alarm]).allowsNeeds(of: alarm))
        #expect(DomainSet(Self.all).allowsNeeds(of: alarm))
        var order = CollectionOrder(domains: [.steps, .alarm], suspended: [.motion])
        order.suspendWaiting(of: [.motion, steps, alarm])
        #expect(order.domains == [] && order.suspended == DomainSet(Self.all))
        #expect(order.scope(of: .alarm) == [])
    }
}
