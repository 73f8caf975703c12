import Domains
import Devices
import Core
import Sensing
import Testing

/// Off means off on the hardware, by what the simulated chip and line show.
@Suite struct HardwareOffTests {
    /// While the next window is near the chip sleeps; while it is far away the chip is in low power, and watches.
    @Test func theChipWatchesForMovementOnlyWhileThatIsHeeded() {
        let bench = ServiceBench()
        bench.allow(ServiceBench.both)
        bench.run(for: .seconds(30))
        #expect(bench.chipSleeps && !bench.service.agenda(at: bench.clock.now).watchesMotion)
        #expect(bench.devices.chip.lowPowerTime == .zero)
        bench.run(for: .minutes(20))
        #expect(!bench.chipSleeps && bench.service.agenda(at: bench.clock.now).watchesMotion)
        #expect(bench.devices.chip.lowPowerTime > .minutes(3))
    }

    /// While a window fills, while the chip sleeps between windows, and while it is relaxed and watches.
    @Test(arguments: [Interval.seconds(2), .seconds(30), .minutes(20)])
    func withoutMotionTheChipSleepsTheBusIsClosedAndNothingIsWatched(length: Interval) {
        let bench = ServiceBench()
        bench.allow(ServiceBench.both)
        bench.run(for: length)
        #expect(bench.devices.isBusOpen)
        #expect(bench.chipSleeps == (length == .seconds(30)), "attentive, it sleeps until the next window")
        if length < .seconds(5) { #expect(bench.samplesHeld > 0) }
        bench.allow(ServiceBench.steps)
        #expect(bench.chipSleeps)
        #expect(bench.samplesHeld == 0)
        #expect(!bench.devices.isBusOpen)
        #expect(!bench.service.agenda(at: bench.clock.now).watchesMotion)
        #expect(bench.figure(.sedentaryMinutes) == nil && bench.figure(.steps) != nil)
        let on = bench.devices.chip.awakeTime
        bench.run(for: .hours(1))
        #expect(bench.devices.chip.awakeTime == on)
        #expect(bench.devices.busOpenings == 1)
    }

    @Test func withoutStepsTheLineIsFreeForAnotherProcess() {
        let bench = ServiceBench()
        bench.allow(ServiceBench.both)
        bench.run(for: .minutes(3))
        #expect(bench.devices.line != nil && bench.figure(.steps) == 100)
        bench.allow(ServiceBench.motion)
        #expect(bench.devices.line == nil)
        #expect(bench.service.pulseLine == nil)
        #expect(!bench.service.agenda(at: bench.clock.now).watchesPulses)
        #expect(bench.figure(.steps) == nil && bench.figure(.rawPulses) == nil)
        #expect(bench.figure(.sedentaryMinutes) != nil)
    }

    @Test func withEverythingOffNothingIsWaitedForButTheEndOfTheDay() {
        let bench = ServiceBench()
        bench.allow(ServiceBench.both)
        bench.run(for: .minutes(20))
        bench.allow([])
        let agenda = bench.service.agenda(at: bench.clock.now)
        let end = UTCDay(containing: bench.clock.now.wall).end - bench.clock.now.wall
        #expect(agenda.wakeAt.map { $0 >= bench.clock.now.boot + end } == true)
        #expect(!agenda.watchesPulses && !agenda.watchesMotion)
        #expect(bench.service.takeLosses().isEmpty)
        #expect(!bench.notes.contains { if case .sensorStaysAwake = $0 { true } else { false } })
    }

    /// One access fails, from the one that wakes the chip through the first window's start to those that put it to sleep.
    @Test(arguments: 3..<40)
    func aTransferThatFailsLeavesNoChipAwake(accesses: Int) {
        let bench = ServiceBench()
        bench.devices.bus.fault = .nak(next: 1, after: accesses)
        bench.allow(ServiceBench.motion)
        bench.allow([])
        #expect(bench.chipSleeps)
        #expect(!bench.devices.isBusOpen)
    }

    @Test func aChipThatAKilledRunLeftAwakeIsPutToSleepWhenItsDomainIsOffAtTheStart() {
        let bench = ServiceBench()
        bench.allow(ServiceBench.motion)
        bench.run(for: .seconds(62))
        #expect(!bench.chipSleeps)
        bench.restartAfterKill()
        bench.allow(ServiceBench.steps)
        #expect(bench.chipSleeps)
        #expect(!bench.devices.isBusOpen)
        bench.allow(ServiceBench.steps, consentRevision: 2)
        #expect(bench.devices.busOpenings == 2, "once in each run")
    }

    @Test func pulsesThatWaitInTheKernelAreDroppedWithTheirDomain() {
        let bench = ServiceBench()
        bench.allow(ServiceBench.steps)
        bench.run(for: .milliseconds(79_900))
        bench.allow(ServiceBench.steps, dropped: ServiceBench.steps)
        bench.run(for: .minutes(5))
        let pulses = bench.figure(.rawPulses)
        #expect(pulses == 60, "100 pulses, of which 40 came by then")
    }

    @Test func aWindowThatFillsIsDroppedWithItsDomain() {
        let bench = ServiceBench()
        bench.allow(ServiceBench.motion)
        bench.run(for: .seconds(3))
        bench.allow(ServiceBench.motion, dropped: ServiceBench.motion)
        bench.run(for: .seconds(4))
        #expect(bench.service.session.lastWindow == nil, "a new window began, and is not full after 4 s")
        bench.run(for: .seconds(2))
        #expect(bench.service.session.lastWindow != nil)
    }

    @Test func aChipThatFillsItsFIFOTooSlowlyRestsUntilTheNextWindow() throws {
        let bench = ServiceBench()
        bench.allow(ServiceBench.motion)
        bench.run(for: .seconds(2))
        try bench.devices.chip.write(0xFF, to: 0x19)  // SMPLRT_DIV (RM 25): four samples a second.
        #expect(!bench.chipRests)
        bench.run(for: .seconds(20))
        #expect(bench.count { if case .windowLost = $0 { true } else { false } } == 1)
        #expect(bench.chipRests)
    }

    @Test func everyCommitSaysWhatWasHeeded() {
        let bench = ServiceBench()
        bench.allow(ServiceBench.both, consentRevision: 4)
        bench.run(for: .minutes(5))
        bench.allow(ServiceBench.both, dropped: ServiceBench.steps, consentRevision: 9)
        bench.run(for: .minutes(15))
        #expect(bench.store.batches.first?.consentRevision == 4)
        #expect(bench.store.batches.last?.consentRevision == 9)
        #expect(Set(bench.store.batches.map(\.consentRevision)) == [4, 9])
    }

    @Test func aServiceThatWasNeverToldWhatIsAllowedWritesNothing() {
        let bench = ServiceBench()
        bench.service.stop(at: bench.clock.now)
        #expect(bench.store.batches.isEmpty)
    }

    @Test func whatAFullStoreHasNotTakenGoesWithItsDomain() {
        let bench = ServiceBench()
        bench.allow(ServiceBench.both)
        bench.run(for: .minutes(10))
        bench.store.isFull = true
        bench.run(for: .hours(15))
        bench.allow(ServiceBench.steps)
        bench.store.isFull = false
        bench.run(for: .minutes(5))
        let days = bench.store.memory.days
        #expect(days.map(\.day) == [UTCDay(daysSinceEpoch: 20_103)])
        #expect(days.flatMap(\.figures).map(\.figure) == [.steps, .rawPulses, Domain.steps.observed])
    }
}
