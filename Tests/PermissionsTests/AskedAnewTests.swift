import Domains
import LaterVersion
import Core
import Testing

@testable import Store
@testable import Sensing

/// A store of the version before, to which steps were all of `health`, under this version.
@Suite struct AskedAnewTests {
    private static let steps = Answer.agreed(.steps, offered: .steps)
    private static let all = Answer.agreed(Permission.health.offeredScope, offered: Permission.health.offeredScope)

    private let earlier: RegistryBench
    private let bench: RegistryBench
    init() throws {
        earlier = try RegistryBench(domains: Domain.beforeSleep)
        let outcome = try earlier.turn(.steps, answer: Self.steps)
        #expect(outcome == .changed(note: nil))
        bench = try RegistryBench(over: earlier)
    }

    private var answer: Answer { get throws { try bench.ledger.consent().state.answer(to: .health) } }

    @Test func laterVersionAsksAnewAboutWhatItCollectsMore() throws {
        #expect(try earlier.turn(.sleep.earlier, answer: Self.all) != .changed(note: nil))
        #expect(earlier.questions == [.health], "asked about steps alone")
        #expect(try bench.turn(.sleep, answer: .agreed([.sleep, .walks])) == .changed(note: nil))
        #expect(
            bench.questions == [.health] && bench.lines == ["sleep is on: the wearer agreed to steps, sleep and walks"])
        #expect(try bench.status(.sleep) == .authorized && bench.status(.steps) == .authorized)
        #expect(try bench.isOn(.steps) && answer == Self.all)
        #expect(
            try earlier.status(.sleep.earlier) == .unsupported && earlier.isOn(.sleep),
            "and an older one leaves it as it is")
    }

    @Test func nothingIsAskedUntilItIsTurnedOn() throws {
        let trail = try bench.ledger.trail()
        try bench.registry.refresh()
        try bench.registry.applyPolicy(at: noon)
        #expect(try bench.turn(.steps, answer: Self.all) == .already)
        #expect(bench.registry.status(of: .sleep) == .notDetermined && bench.registry.status(of: .steps) == .authorized)
        #expect(try bench.ledger.trail() == trail && bench.questions.isEmpty)
    }

    @Test func noIsANoToSleepAloneAndIsNotAskedAboutAgain() throws {
        #expect(try bench.turn(.sleep, answer: .declined) == .declined)
        #expect(try answer == .agreed(.steps, offered: Permission.health.offeredScope))
        #expect(try bench.isOn(.steps) && !bench.isOn(.sleep))
        let refusal = TurnOutcome.refused(.denied, reason: "agreed to no more than steps", advice: "hint for limited")
        #expect(try bench.turn(.sleep, answer: Self.all) == refusal)
        #expect(bench.questions == [.health])
    }

    @Test func stepsGoOnUnderAKeeperWhenSleepIsTurnedOn() throws {
        let keeper = try KeeperBench()
        let ledger = try keeper.wearer.scratch.ledger(.visitor)
        try ledger.change([.reply(.steps, Self.steps)], at: noon - .days(1))
        keeper.begin(checkpoint: 2)
        #expect(keeper.orders.map(\.domains) == [DomainSet(.steps)])
        try keeper.turn(.sleep, on: true, at: instant(.seconds(1)))
        let order = try #require(keeper.orders.last)
        #expect(order.domains == [.steps, .sleep] && !order.dropped.allows(.steps))
        #expect(order.scope(of: .steps) == .steps && order.scope(of: .sleep) == .sleep)
        try keeper.turn(.sleep, on: false, at: instant(.seconds(2)))
        keeper.keeper.lookAgain(at: instant(.seconds(3)))
        #expect(keeper.domains == DomainSet(.steps))
        #expect(keeper.orders.allSatisfy { $0.domains.allows(.steps) && $0.suspended == [] })
    }
}
