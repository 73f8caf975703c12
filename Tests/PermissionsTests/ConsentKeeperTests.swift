import Domains
import System
import LaterVersion
import Core
import Testing

@testable import Store
@testable import Sensing

@Suite struct ConsentKeeperTests {
    @Test func atFirstNothingIsCollected() throws {
        let bench = try KeeperBench()
        bench.begin()
        #expect(bench.orders.map(\.domains) == [[]])
        #expect(bench.keeper.nextWake == nil && bench.keeper.watchedNodes.isEmpty)
        #expect(bench.book.entries.isEmpty)
        bench.keeper.lookAgain(at: instant(.seconds(1)))
        #expect(bench.orders.count == 1)
    }

    @Test func restartCollectsWhatIsOnAndDropsNothingOfIt() throws {
        let bench = try KeeperBench([.motion, .steps])
        bench.begin(checkpoint: 4)
        #expect(
            bench.orders == [
                CollectionOrder(
                    domains: DomainSet([.motion, .steps]),
                    dropped: DomainSet([.sleep, .walks, .floors, .heart, .screenTime, .phone, .location, .alarm]),
                    consentRevision: 4)
            ])
        #expect(bench.keeper.consentRevision == 4)
        #expect(bench.book.entries.isEmpty)
    }

    @Test func whatALaterVersionHoldsGoesWhenItsToggleIsTurnedOffOrItIsForgotten() throws {
        for event in [ConsentEvent.turn(.screenTime, on: false), .forget(.screenTime)] {
            let bench = try KeeperBench([.motion], of: Domain.withSleep)
            let ledger = try bench.wearer.scratch.ledger(.visitor)
            try ledger.change([.reply(.screenTime.later, .agreed(.screenTime))], at: noon - .hours(1))
            bench.begin(checkpoint: 4)
            #expect(bench.orders.last?.suspended == DomainSet(.screenTime))
            try ledger.change([event], at: instant(.seconds(1)).wall)
            bench.keeper.lookAgain(at: instant(.minutes(1)))
            let order = try #require(bench.orders.last)
            #expect(order.dropped.allows(.screenTime) || !order.suspended.allows(.screenTime), "\(event)")
            #expect(order.domains == DomainSet(.motion))
        }
    }

    @Test func whatWasTurnedOnAnewWhileNobodyLookedIsDropped() throws {
        let bench = try KeeperBench([.motion, .steps])
        try bench.wearer.turn(.motion, on: false, answer: nil, at: noon - .hours(2))
        try bench.wearer.turnOn(.motion, at: noon - .hours(1))
        bench.begin(checkpoint: 4)
        #expect(bench.domains == DomainSet([.motion, .steps]))
        #expect(bench.orders.last?.dropped.allows(.motion) == true)
        #expect(bench.orders.last?.dropped.allows(.steps) == false)
    }

    @Test func whatWasAgreedToOfWhatIsOnReachesSensing() throws {
        let bench = try KeeperBench([.motion], of: Domain.withSleep)
        let ledger = try bench.wearer.scratch.ledger(.visitor)
        try ledger.change([.reply(.location.later, .agreed(.placeEvents))], at: noon - .hours(1))
        bench.begin()
        let order = try #require(bench.orders.last)
        #expect(order.scope(of: .motion) == .motion)
        #expect(order.scope(of: .location) == [], "which this version does not collect")
        #expect(order.scope(of: .steps) == [], "which is off")
    }

    @Test func whatALaterVersionTurnedOnIsLeftAloneAndNotCollected() throws {
        let bench = try KeeperBench([.motion], of: Domain.withSleep)
        let ledger = try bench.wearer.scratch.ledger(.visitor)
        try ledger.change([.reply(.screenTime.later, .agreed(.screenTime))], at: noon - .hours(1))
        try bench.handler(.screenTime).currentStatus = .blocked(.refused, reason: "permission denied")
        try bench.handler(.screenTime).nodes = ["/dev/inbox"]
        bench.begin(checkpoint: 4)
        bench.keeper.nodesChanged(at: instant(.seconds(1)))
        bench.keeper.lookAgain(at: instant(.minutes(10)))
        #expect(bench.orders.map(\.domains) == [DomainSet(.motion)], "and its device stays closed")
        #expect(bench.orders[0].suspended == DomainSet(.screenTime))
        #expect(!bench.orders[0].dropped.allows(.screenTime))
        #expect(!bench.keeper.watchedNodes.contains("/dev/inbox"))
        #expect(try ledger.consent().state.toggles == [.motion, .screenTime], "it stays for the later version")
        #expect(try ledger.consent().isTrusted && ledger.trail().count == 4)
        #expect(try bench.handler(.screenTime).requests == 0 && bench.keeper.nextWake == nil)
        #expect(bench.book.entries.isEmpty)
    }

    @Test func togglesOfTheWearerAreFollowedAndLoggedOnce() throws {
        let bench = try KeeperBench()
        bench.begin()
        try bench.turn(.motion, on: true, at: instant(.seconds(1)))
        #expect(bench.domains == DomainSet(.motion))
        bench.keeper.lookAgain(at: instant(.seconds(2)))
        #expect(bench.orders.count == 2)
        #expect(bench.book.entries.map(\.message) == ["motion is on: the wearer agreed to motion and floors"])
        #expect(bench.keeper.watchedNodes == ["/dev/motion"])
    }

    @Test func flickWithinTheSettleTimeOrdersNothing() throws {
        let bench = try KeeperBench([.motion])
        bench.begin(checkpoint: 2)
        try bench.turn(.motion, on: false, at: instant(.seconds(1)))
        #expect(bench.keeper.nextWake == instant(.seconds(1) + .milliseconds(220)).boot)
        try bench.turn(.motion, on: true, at: instant(.seconds(1) + .milliseconds(219)))
        #expect(bench.keeper.nextWake == nil)
        bench.keeper.lookAgain(at: instant(.seconds(2)))
        #expect(bench.orders.count == 1)
        #expect(
            bench.book.entries.map(\.message) == [
                "motion is off: turned by the wearer", "motion is on: turned by the wearer",
            ])
    }

    @Test func toggleThatStaysOffClosesAfterTheSettleTime() throws {
        let bench = try KeeperBench([.motion, .steps])
        bench.begin(checkpoint: 4)
        try bench.turn(.motion, on: false, at: instant(.seconds(1)))
        bench.keeper.lookAgain(at: instant(.seconds(1) + .milliseconds(219)))
        #expect(bench.orders.count == 1)
        bench.keeper.lookAgain(at: instant(.seconds(1) + .milliseconds(220)))
        #expect(bench.orders.dropFirst() == [CollectionOrder(domains: DomainSet(.steps), consentRevision: 5)])
        #expect(bench.keeper.nextWake == nil)
    }

    @Test func withdrawalStopsAtOnceAlsoWhenTheConfigGrantsAgainInTheSameMoment() throws {
        let bench = try KeeperBench([.motion])
        bench.begin(checkpoint: 2)
        let now = instant(.seconds(1))
        try bench.registry.ledger.change([.decide(.motion, .notAsked), .granted([.motion])], at: now.wall)
        bench.keeper.lookAgain(at: now)
        #expect(bench.domains == [])
    }

    @Test func flickAroundARestartDropsNothingAndOpensNothingWhileOff() throws {
        let bench = try KeeperBench([.motion])
        try bench.wearer.turn(.motion, on: false, answer: nil, at: noon - .milliseconds(100))
        bench.begin(checkpoint: 2)
        #expect(bench.orders.map(\.domains) == [[]] && bench.orders[0].suspended == DomainSet(.motion))
        #expect(bench.orders[0].dropped.allows(.motion) == false)
        #expect(bench.keeper.nextWake == instant(.milliseconds(120)).boot)
        try bench.turn(.motion, on: true, at: instant(.milliseconds(50)))
        bench.keeper.lookAgain(at: instant(.seconds(1)))
        #expect(bench.orders.count == 2 && bench.domains == DomainSet(.motion))
        #expect(bench.orders[1].suspended == [] && bench.orders[1].dropped == [])
    }

    /// As after a reload that makes the settle time longer.
    @Test func aToggleThatIsOffIsNotOpenedByALongerSettleTime() throws {
        let bench = try KeeperBench([.motion])
        try bench.wearer.turn(.motion, on: false, answer: nil, at: noon - .milliseconds(100))
        bench.begin(checkpoint: 2)
        bench.keeper.lookAgain(at: instant(.milliseconds(60)))
        #expect(bench.orders.allSatisfy { $0.domains == [] })
        bench.keeper.lookAgain(at: instant(.milliseconds(120)))
        #expect(bench.orders.last?.suspended == [] && bench.orders.last?.domains == [])
    }

    @Test func whatHadSettledBeforeARestartStaysClosed() throws {
        let bench = try KeeperBench([.motion])
        try bench.wearer.turn(.motion, on: false, answer: nil, at: noon - .milliseconds(220))
        bench.begin(checkpoint: 2)
        #expect(bench.domains == [] && bench.keeper.nextWake == nil)
        #expect(bench.orders.last?.dropped.allows(.motion) == true)
    }

    @Test func theEarliestOfSeveralSettlesFirst() throws {
        let bench = try KeeperBench([.motion, .steps])
        bench.begin(checkpoint: 4)
        try bench.turn(.steps, on: false, at: instant(.milliseconds(100)))
        try bench.turn(.motion, on: false, at: instant(.milliseconds(200)))
        #expect(bench.keeper.nextWake == instant(.milliseconds(320)).boot)
        bench.keeper.lookAgain(at: instant(.milliseconds(320)))
        #expect(bench.domains == DomainSet(.motion))
        #expect(bench.keeper.nextWake == instant(.milliseconds(420)).boot)
    }

    /// The keeper and the store agree on the instant from which the domain was off.
    @Test func turnedOnWhenItHasJustSettledIsOnAnew() throws {
        let bench = try KeeperBench([.motion])
        bench.begin(checkpoint: 2)
        let off = instant(.seconds(1))
        try bench.turn(.motion, on: false, at: off)
        bench.keeper.lookAgain(at: off + .milliseconds(220))
        #expect(bench.domains == [])
        try bench.turn(.motion, on: true, at: off + .milliseconds(220))
        #expect(bench.registry.consent.onSince(.motion) == 4)
        #expect(bench.domains == DomainSet(.motion) && bench.orders.last?.dropped == DomainSet(.motion))
    }

    @Test func withdrawalWhileAToggleSettlesClosesAtOnce() throws {
        let bench = try KeeperBench([.motion, .steps])
        bench.begin(checkpoint: 4)
        try bench.turn(.motion, on: false, at: instant(.seconds(1)))
        #expect(try bench.wearer.registry.decide(.motion, .declined, at: noon + .seconds(1) + .milliseconds(10)))
        bench.keeper.lookAgain(at: instant(.seconds(1) + .milliseconds(10)))
        #expect(bench.domains == DomainSet(.steps) && bench.keeper.nextWake == nil)
    }

    /// Data from before an unseen time off is dropped, although the last off was a flick.
    @Test func flickAfterAnOffThatNobodySawIsDroppedInOneOrder() throws {
        let bench = try KeeperBench([.motion])
        bench.begin(checkpoint: 2)
        try bench.wearer.turn(.motion, on: false, answer: nil, at: noon + .seconds(1))
        try bench.wearer.turnOn(.motion, at: noon + .seconds(2))
        let off = instant(.seconds(3))
        try bench.turn(.motion, on: false, at: off)
        try bench.turn(.motion, on: true, at: off + .milliseconds(100))
        #expect(
            bench.orders.dropFirst() == [
                CollectionOrder(domains: DomainSet(.motion), dropped: DomainSet(.motion), consentRevision: 5)
            ])
    }

    // MARK: A wall clock that is set while a toggle settles

    @Test(arguments: [Interval.hours(1), .hours(-1), .milliseconds(220), .milliseconds(-440)])
    func aClockThatIsSetFarEndsTheSettling(by step: Interval) throws {
        let bench = try KeeperBench([.motion])
        bench.begin(checkpoint: 2)
        let off = instant(.seconds(1))
        try bench.turn(.motion, on: false, at: off)
        let wake = try #require(bench.keeper.nextWake)
        #expect(wake == off.boot + .milliseconds(220))
        bench.keeper.lookAgain(at: Instant(boot: wake, wall: off.wall + .milliseconds(220) + step))
        #expect(bench.domains == [] && bench.keeper.nextWake == nil)
        // The clock shows the time of the flick again.
        let again = Instant(boot: off.boot + .hours(1), wall: off.wall + .milliseconds(10))
        bench.keeper.lookAgain(at: again)
        #expect(bench.domains == [] && bench.keeper.nextWake == nil, "it stays closed")
    }

    @Test(arguments: [Interval.hours(1), .hours(-1)])
    func turnedOnAfterTheClockWasSetFarIsOnAnew(by step: Interval) throws {
        let bench = try KeeperBench([.motion])
        bench.begin(checkpoint: 2)
        let off = instant(.seconds(1))
        try bench.turn(.motion, on: false, at: off)
        try bench.turn(
            .motion, on: true,
            at: Instant(boot: off.boot + .milliseconds(100), wall: off.wall + .milliseconds(100) + step))
        #expect(bench.registry.consent.onSince(.motion) == 4)
        #expect(bench.orders.dropFirst().map(\.dropped) == [DomainSet(.motion)])
        #expect(bench.domains == DomainSet(.motion) && bench.keeper.nextWake == nil)
    }

    @Test func aClockThatIsSetBackALittleProlongsTheSettlingByThat() throws {
        let bench = try KeeperBench([.motion])
        bench.begin(checkpoint: 2)
        let off = instant(.seconds(1))
        try bench.turn(.motion, on: false, at: off)
        func set(back: Int64, after: Int64) -> Instant {
            Instant(boot: off.boot + .milliseconds(after), wall: off.wall + .milliseconds(after - back))
        }
        bench.keeper.lookAgain(at: set(back: 150, after: 100))
        #expect(bench.keeper.nextWake == off.boot + .milliseconds(320), "never further away than the settle time")
        bench.keeper.lookAgain(at: set(back: 150, after: 320))
        #expect(bench.keeper.nextWake == off.boot + .milliseconds(370))
        #expect(bench.orders.count == 1, "until then it can yet be a flick")
        bench.keeper.lookAgain(at: set(back: 150, after: 370))
        #expect(bench.domains == [] && bench.keeper.nextWake == nil)
    }

    @Test func whatIsForgottenIsDroppedAndGoesOn() throws {
        let bench = try KeeperBench([.motion, .steps])
        bench.begin(checkpoint: 4)
        try bench.wearer.ledger.change([.forget(.steps)], at: noon)
        bench.keeper.lookAgain(at: instant(.seconds(1)))
        bench.keeper.lookAgain(at: instant(.seconds(2)))
        #expect(
            bench.orders.dropFirst() == [
                CollectionOrder(domains: DomainSet([.motion, .steps]), dropped: DomainSet(.steps), consentRevision: 5)
            ])
        #expect(bench.book.lines(.dataForgotten).count == 1)
    }

    @Test func lostDeviceStopsItsDomainAloneAndIsOneLine() throws {
        let bench = try KeeperBench([.motion, .steps])
        bench.begin(checkpoint: 4)
        bench.keeper.lost([unplugged], at: instant(.seconds(1)))
        bench.keeper.lost([unplugged], at: instant(.seconds(2)))
        #expect(bench.orders.map(\.domains) == [DomainSet([.motion, .steps]), DomainSet(.steps)])
        #expect(try bench.wearer.status(.motion) == .unsupported)
        #expect(bench.orders.last?.suspended == DomainSet(.motion) && bench.orders.last?.dropped == [])
        #expect(try bench.wearer.isOn(.motion))
        #expect(
            bench.book.entries.map(\.message)
                == ["motion is suspended: not there (/dev/i2c-1: no device acknowledged the address (NACK))"])
        #expect(bench.book.entries.first?.domains == [.motion])
    }

    /// As where steps are counted from the accelerometer.
    @Test func aSensorThatTwoDomainsShareIsWatchedOnceAndTakesBothWithALineForEach() throws {
        let bench = try KeeperBench([.motion, .steps])
        let reason = "/dev/i2c-1: permission denied"
        for domain in [Domain.motion, .steps] { try bench.handler(domain).nodes = ["/dev/i2c-1"] }
        bench.begin(checkpoint: 4)
        #expect(bench.keeper.watchedNodes == ["/dev/i2c-1"])
        for domain in [Domain.motion, .steps] {
            try bench.handler(domain).currentStatus = .blocked(.refused, reason: reason)
        }
        bench.keeper.nodesChanged(at: instant(.seconds(1)))
        #expect(bench.orders.map(\.domains) == [DomainSet([.motion, .steps]), []], "both stop in one order")
        let why = "refused by the kernel (\(reason); hint for denied because \(reason))"
        #expect(bench.book.entries.map(\.message) == ["motion is off: \(why)", "steps is off: \(why)"])
        #expect(bench.book.entries.map(\.domains) == [[.motion], [.steps]])
        #expect(bench.keeper.watchedNodes.isEmpty && bench.keeper.nextWake == nil)
    }

    @Test func aDeviceThatIsBackIsCollectedAgainWithoutTheWearer() throws {
        let bench = try KeeperBench([.motion])
        bench.begin(checkpoint: 2)
        try bench.handler(.motion).hardware = .blocked(.absent, reason: "silent")
        bench.keeper.lost([unplugged], at: instant())
        #expect(bench.domains == [] && bench.keeper.nextWake == instant(.minutes(1)).boot)
        bench.keeper.lookAgain(at: instant(.minutes(1)))
        #expect(bench.keeper.nextWake == instant(.minutes(3)).boot, "asked less and less often")
        try bench.handler(.motion).hardware = .ready
        bench.keeper.lookAgain(at: instant(.minutes(2)))
        #expect(bench.domains == [], "not before its time")
        bench.keeper.lookAgain(at: instant(.minutes(3)))
        #expect(bench.domains == DomainSet(.motion) && bench.orders.last?.suspended == [])
        #expect(bench.orders.last?.dropped == [], "what was collected before stays")
        #expect(bench.keeper.nextWake == nil)
        #expect(bench.book.entries.last?.message == "motion resumes: was not there")
        #expect(bench.wearer.questions.count == 1)
    }

    @Test func aNodeThatComesBackEndsTheSuspensionAtOnce() throws {
        let bench = try KeeperBench([.motion])
        try bench.handler(.motion).nodes = ["/dev/i2c-1"]
        bench.begin(checkpoint: 2)
        let gone = DeviceStatus.blocked(.absent, reason: "no node")
        try (bench.handler(.motion).currentStatus, bench.handler(.motion).hardware) = (gone, gone)
        bench.keeper.nodesChanged(at: instant(.seconds(1)))
        #expect(bench.domains == [] && bench.keeper.watchedNodes == ["/dev/i2c-1"])
        try (bench.handler(.motion).currentStatus, bench.handler(.motion).hardware) = (.ready, .ready)
        bench.keeper.nodesChanged(at: instant(.seconds(5)))
        #expect(bench.domains == DomainSet(.motion))
    }

    @Test func aRestartKeepsWhatASuspendedDomainHolds() throws {
        let bench = try KeeperBench([.motion, .steps])
        bench.begin(checkpoint: 4)
        try bench.handler(.motion).hardware = .blocked(.absent, reason: "silent")
        bench.keeper.lost([unplugged], at: instant(.seconds(1)))
        let revision = bench.keeper.consentRevision
        let again = ConsentKeeper(registry: bench.registry, journal: bench.book.journal) { order, _ in
            #expect(order.domains == DomainSet(.steps) && order.suspended == DomainSet(.motion))
            #expect(!order.dropped.allows(.motion))
        }
        again.begin(checkpoint: revision, at: instant(.seconds(2)))
    }

    @Test func aSuspendedDomainThatIsTurnedOffLosesWhatItHolds() throws {
        let bench = try KeeperBench([.motion])
        bench.begin(checkpoint: 2)
        try bench.handler(.motion).hardware = .blocked(.absent, reason: "silent")
        bench.keeper.lost([unplugged], at: instant())
        try bench.turn(.motion, on: false, at: instant(.seconds(1)))
        #expect(bench.orders.last?.suspended == [] && bench.orders.last?.domains == [])
        #expect(bench.keeper.nextWake == nil, "nothing is looked for any more")
    }

    @Test func nodeThatTheCommandMayUseAndTheDaemonMayNotNeverOpens() throws {
        let bench = try KeeperBench()
        bench.begin()
        try bench.handler(.motion).currentStatus = .blocked(.refused, reason: "permission denied")
        try bench.turn(.motion, on: true, at: instant(.seconds(1)))
        #expect(bench.orders.map(\.domains) == [[]])
        #expect(try bench.wearer.status(.motion) == .denied)
        #expect(bench.book.entries.count == 2)
    }
}
