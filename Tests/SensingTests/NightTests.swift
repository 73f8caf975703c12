import Domains
import Store
import Devices
import Core
import Sensing
import Signal
import SimulatedBus
import Testing

@testable import Simulation

/// Nights through the session, the service and the registers of a simulated chip.
@Suite struct NightTests {
    /// A wearer of `plan`, whose noon is that of UTC.
    private final class Bench {
        static let day = UTCDay(daysSinceEpoch: 20_103)
        let plan: NightPlan
        let clock: VirtualClock
        let devices: SimulatedDevices
        let store = MemoryStore()
        private(set) var service: SensingService
        private(set) var run: ServiceRun
        private(set) var notes: [SensingNote] = []

        init(_ plan: NightPlan, _ domains: DomainSet, source: (any AccelerationSource)? = nil) {
            self.plan = plan
            clock = VirtualClock(bootingAt: Self.day.start + .hours(12))
            let night = source ?? SimulatedNight(plan, noon: clock.now.boot)
            devices = SimulatedDevices(source: night, pulses: [], clock: clock, seed: 1)
            var noted: (SensingNote) -> Void = { _ in }
            service = SensingService(
                rules: SensingRules(), devices: devices, store: store, boot: BootID(high: 1, low: 1),
                note: { noted($0) }, signal: {})
            run = ServiceRun(service: service, devices: devices, seed: 1)
            noted = { [weak self] in self?.notes.append($0) }
            service.begin(nil, at: clock.now)
            service.allow(CollectionOrder(domains: domains), at: clock.now)
        }

        func live(until hour: Int64) { run.run(until: Self.day.start + .hours(hour)) }

        func figure(_ figure: Figure, _ day: Int = 1) -> Int64? {
            store.figures(of: Self.day + day, with: service.session).first { $0.figure == figure }?.value.number
        }

        /// The true end of the time in bed.
        var up: WallTime { Self.day.start + .hours(12) + plan.up }
    }

    /// To bed at 21:30 UTC, up some eight hours later.
    private static let night = plan(
        [(12, false), (150, true), (4, false), (200, true), (3, false), (100, true), (5, false)], bed: .minutes(570))

    private static func asleep(_ plan: NightPlan) -> ClosedRange<Int64> {
        let truth = plan.asleepTime.inMinutes
        return truth - 50...truth + 50
    }

    @Test func aNightBelongsToTheDayOnWhichItEndsAndItsMinutesToBoth() throws {
        let bench = Bench(Self.night, [.motion, .sleep])
        bench.live(until: 36)
        let minutes = try #require(bench.figure(.sleepDuration))
        #expect(Self.asleep(Self.night).contains(minutes))
        let woke = WallTime(secondsSinceEpoch: try #require(bench.figure(.wakeAt)))
        #expect((woke - bench.up).inMinutes.magnitude <= 10)
        #expect(bench.figure(.sleepDuration, 0) == nil && bench.figure(.wakeAt, 0) == nil)
        let before = try #require(bench.figure(.asleepMinutes, 0))
        let after = try #require(bench.figure(.asleepMinutes))
        #expect(before > 80, "it began before midnight")
        #expect((before + after - minutes).magnitude <= 1)
        #expect(bench.service.session.sleeps.count == 1)
        let noon = BootTime(nanoseconds: 0)
        let raised = bench.notes.compactMap { if case .raised(let event) = $0 { event.at - noon } else { nil } }
        #expect(!raised.contains { $0 > Self.night.bed && $0 < Self.night.up }, "no event comes out of a night")
        let morning = (Bench.day.start + .hours(36) - bench.up).inMinutes
        #expect(bench.figure(.sedentaryMinutes).map { $0 <= morning + 15 } == true)
    }

    @Test func sleepIsMeasuredWithoutMotionAndMotionWithoutSleep() throws {
        let sleep = Bench(Self.night, DomainSet(.sleep))
        sleep.live(until: 36)
        #expect(Self.asleep(Self.night).contains(try #require(sleep.figure(.sleepDuration))))
        #expect(sleep.figure(.sedentaryMinutes) == nil && sleep.figure(.wornMinutes) == nil)

        let motion = Bench(Self.night, DomainSet(.motion))
        motion.live(until: 36)
        #expect(motion.figure(.sleepDuration) == nil && motion.figure(.asleepMinutes) == nil)
        #expect(motion.devices.chip.slowTime == .zero, "the chip rests between windows")
        #expect(sleep.devices.chip.slowTime > .hours(8))
    }

    @Test func whatEndsInTheNightLeavesTheOtherAsItWas() throws {
        let bench = Bench(Self.night, [.motion, .sleep])
        bench.live(until: 27)
        #expect(bench.figure(.asleepMinutes).map { $0 > 60 } == true, "so far")
        bench.service.allow(CollectionOrder(domains: DomainSet(.motion)), at: bench.clock.now)
        bench.live(until: 28)
        #expect(bench.figure(.sleepDuration) == nil && bench.figure(.asleepMinutes) == nil)
        bench.live(until: 36)
        #expect(bench.figure(.sleepDuration) == nil && bench.figure(.sedentaryMinutes) != nil)
    }

    @Test func sleepThatIsTurnedOnInTheNightCountsFromThen() throws {
        let bench = Bench(Self.night, DomainSet(.motion))
        bench.live(until: 27)
        bench.service.allow(CollectionOrder(domains: [.motion, .sleep]), at: bench.clock.now)
        bench.live(until: 36)
        let asleep = try #require(bench.figure(.sleepDuration))
        let rest = (bench.up - (Bench.day.start + .hours(27))).inMinutes
        #expect(asleep > 60 && asleep <= rest + 5)
    }

    @Test func aDeviceOnATableSleepsNot() {
        final class Table: AccelerationSource {
            func acceleration(at time: BootTime) -> Acceleration { Acceleration(x: 0, y: 0, z: 1) }
        }
        let bench = Bench(Self.night, [.motion, .sleep], source: Table())
        bench.live(until: 36)
        for day in [0, 1] {
            #expect(bench.figure(.sleepDuration, day) == nil && (bench.figure(.asleepMinutes, day) ?? 0) == 0)
        }
        #expect(bench.service.session.sleeps.isEmpty)
        #expect(bench.devices.chip.slowTime < .hours(6), "nobody's sleep is followed")
    }

    /// A reboot of which nobody knows how long it took: what was slept until then stands, and the rest is a sleep of its own.
    @Test func aNightCutByARebootIsKept() throws {
        let bench = Bench(Self.night, [.motion, .sleep])
        bench.live(until: 28)
        let checkpoint = bench.service.session.checkpoint(at: bench.clock.now)
        let sleptSoFar = try #require(bench.figure(.sleepDuration))
        #expect(sleptSoFar > 120)

        let later = Instant(boot: BootTime(nanoseconds: 60_000_000_000), wall: WallTime(secondsSinceEpoch: 0))
        var session = SensingSession(boot: BootID(high: 1, low: 2))
        session.begin(nil, at: later)
        try session.restore(checkpoint, at: later)
        let actions =
            session.handle(.ordered(CollectionOrder(domains: [.motion, .sleep])), at: later)
            + session.handle(.sensorOpened(), at: later)
        let stored = actions.flatMap { if case .store(let collected) = $0 { collected.quarters } else { [Quarter]() } }
        let left = stored.flatMap(\.amounts).filter { $0.figure == Figure.sleepDuration.id }
        #expect(left.map(\.value) == [sleptSoFar])
        let woke = stored.filter { quarter in quarter.amounts.contains { $0.figure == Figure.wakeAt.id } }
        #expect(woke.map(\.boot) == [BootID(high: 1, low: 1)])
    }

    /// A kill between the boot and the first answer of the sensor, as in a supply that fails again.
    @Test func aNightCutByTwoRebootsIsKept() throws {
        let bench = Bench(Self.night, [.motion, .sleep])
        bench.live(until: 28)
        let sleptSoFar = try #require(bench.figure(.sleepDuration))
        var checkpoint = bench.service.session.checkpoint(at: bench.clock.now)
        var stored: [Quarter] = []
        for boot in Int64(2)...3 {
            let later = Instant(boot: BootTime(nanoseconds: 60_000_000_000), wall: WallTime(secondsSinceEpoch: 0))
            var session = SensingSession(boot: BootID(high: 1, low: boot))
            session.begin(nil, at: later)
            try session.restore(checkpoint, at: later)
            if boot == 2 {
                checkpoint = session.checkpoint(at: later)
                continue
            }
            let actions = session.handle(.ordered(CollectionOrder(domains: [.motion, .sleep])), at: later)
            stored = actions.flatMap { if case .store(let collected) = $0 { collected.quarters } else { [Quarter]() } }
        }
        let left = stored.flatMap(\.amounts).filter { $0.figure == Figure.sleepDuration.id }
        #expect(left.map(\.value) == [sleptSoFar])
    }

    /// Set down on a slant, where it takes two hours to be sure, and switched off before.
    @Test func whatMayNotHaveBeenWornIsNotLeftBehindAsSleep() throws {
        final class Slant: AccelerationSource {
            func acceleration(at time: BootTime) -> Acceleration { Acceleration(x: 0.6, y: 0, z: 0.8) }
        }
        let bench = Bench(Self.night, [.motion, .sleep], source: Slant())
        bench.run.run(until: Bench.day.start + .hours(12) + .minutes(95))
        let checkpoint = bench.service.session.checkpoint(at: bench.clock.now)
        let later = Instant(boot: BootTime(nanoseconds: 60_000_000_000), wall: WallTime(secondsSinceEpoch: 0))
        var session = SensingSession(boot: BootID(high: 1, low: 2))
        session.begin(nil, at: later)
        try session.restore(checkpoint, at: later)
        let actions = session.handle(.ordered(CollectionOrder(domains: [.motion, .sleep])), at: later)
        let stored = actions.flatMap { if case .store(let collected) = $0 { collected.quarters } else { [Quarter]() } }
        let figures = stored.flatMap(\.amounts).filter { $0.figure == Figure.sleepDuration.id || $0.value != 0 }.map(
            \.figure)
        #expect(!figures.contains(Figure.sleepDuration.id) && !figures.contains(Figure.asleepMinutes.id))
    }

    @Test func aProcessThatIsKilledInTheNightLosesNothingOfIt() throws {
        let whole = Bench(Self.night, DomainSet(.sleep))
        whole.live(until: 36)
        let bench = Bench(Self.night, DomainSet(.sleep))
        bench.live(until: 28)
        let restarted = SensingService(
            rules: SensingRules(), devices: bench.devices, store: bench.store, boot: BootID(high: 1, low: 1),
            note: { _ in }, signal: {})
        bench.service.handOver(to: restarted, at: bench.clock.now)
        let run = ServiceRun(service: restarted, devices: bench.devices, seed: 2)
        restarted.allow(CollectionOrder(domains: DomainSet(.sleep)), at: bench.clock.now)
        run.run(until: Bench.day.start + .hours(36))
        let figures = bench.store.figures(of: Bench.day + 1, with: restarted.session)
        let cut = try #require(figures.first { $0.figure == .sleepDuration }?.value.number)
        #expect((cut - (try #require(whole.figure(.sleepDuration)))).magnitude <= 10)
        #expect(restarted.session.sleeps.count == 1)
    }

    // MARK: Plans of other lives

    private static func plan(_ parts: [(minutes: Int, asleep: Bool)], bed: Interval? = nil) -> NightPlan {
        var (movement, asleep): ([Float], [Bool]) = ([], [])
        for part in parts {
            for epoch in 0..<part.minutes * 2 {
                movement.append(part.asleep ? (epoch % 50 < 8 ? 4 : 0) : 25)
                asleep.append(part.asleep)
            }
        }
        return NightPlan(movement: movement, asleep: asleep, bed: bed, seed: 3)
    }

    @Test func anHourAwakeIsInOneNight() throws {
        let plan = Self.plan([(10, false), (200, true), (65, false), (200, true), (5, false)])
        let bench = Bench(plan, DomainSet(.sleep))
        bench.live(until: 36)
        #expect(bench.service.session.sleeps.count == 1)
        let asleep = try #require(bench.figure(.sleepDuration))
        #expect((330...420).contains(asleep), "\(asleep)")
    }

    @Test func aNapAloneIsTheSleepOfItsDay() throws {
        let bench = Bench(Self.plan([(3, false), (75, true), (3, false)]), DomainSet(.sleep))
        bench.live(until: 36)
        let asleep = bench.figure(.sleepDuration, 0) ?? bench.figure(.sleepDuration, 1)
        #expect((50...80).contains(asleep ?? 0))
    }

    /// Who sleeps by day is asleep from noon on, whatever the hour.
    @Test func theHourMakesNoDifference() throws {
        var plans: [NightPlan] = []
        for bed: Int64 in [1, 9] {
            plans.append(NightPlan(movement: Self.night.movement, asleep: Self.night.asleep, bed: .hours(bed), seed: 5))
        }
        for plan in plans {
            let bench = Bench(plan, DomainSet(.sleep))
            bench.live(until: 36)
            let sleeps = bench.service.session.sleeps.map(\.length.inMinutes)
            #expect(sleeps.count == 1 && sleeps.allSatisfy { Self.asleep(Self.night).contains($0) }, "\(sleeps)")
        }
    }

    /// Also before an hour of rest, of which sleep holds nothing yet.
    @Test func aDayStaysOpenWhileTheWearerRestsButNoLongerThanTwoHours() {
        func closings(bed: Interval, until hour: Interval) -> Int {
            let plan = NightPlan(movement: Self.night.movement, asleep: Self.night.asleep, bed: bed, seed: 5)
            let bench = Bench(plan, DomainSet(.sleep))
            bench.run.run(until: Bench.day.start + hour)
            return bench.notes.count { if case .dayClosed = $0 { true } else { false } }
        }
        #expect(closings(bed: .minutes(665), until: .hours(24) + .minutes(15)) == 0, "in bed at midnight, nothing held")
        #expect(closings(bed: .minutes(665), until: .hours(24) + .minutes(110)) == 0)
        #expect(closings(bed: .minutes(665), until: .hours(24) + .minutes(135)) == 1)
        #expect(closings(bed: .hours(15), until: .hours(24) + .minutes(30)) == 1, "up at midnight")
    }

    /// Minutes before midnight stay as they were judged when their day was closed, in the figure of the night too (SPEC §5).
    @Test(arguments: [DomainSet(.sleep), [.motion, .sleep]]) func aNightIsTheSumOfItsMinutes(domains: DomainSet) throws
    {
        for bed: Int64 in [8, 9, 10, 11] {
            let plan = NightPlan(movement: Self.night.movement, asleep: Self.night.asleep, bed: .hours(bed), seed: 5)
            let bench = Bench(plan, domains)
            bench.live(until: 36)
            let minutes = [0, 1].compactMap { bench.figure(.asleepMinutes, $0) }.reduce(0, +)
            let nights = [0, 1].compactMap { bench.figure(.sleepDuration, $0) }
            #expect(nights.count == 1 && (nights[0] - minutes).magnitude <= 1, "\(nights) of \(minutes)")
        }
    }
}

/// The choice of docs/decisions/0032-sleep.md, held to its figures.
@Suite struct NightCostTests {
    private static let plans = [UInt64(1)].map { NightPlan(seed: $0) }

    @Test func theDaemonLosesLittleAgainstSamplesWithoutAGapAndWakesSeldom() {
        var (device, all) = (Agreement(), Agreement())
        var (with, without) = (0, 0)
        for plan in Self.plans {
            let trial = NightTrial(plan, .device(.mpu6050))
            device.add(trial.asleep(in: plan), plan.asleep)
            all.add(NightTrial(plan, .continuous).asleep(in: plan), plan.asleep)
            with += trial.cost?.wakeUps ?? 0
            without += NightTrial(plan, .withoutSleep(.mpu6050)).cost?.wakeUps ?? 0
        }
        // Over forty nights 0.02, which `make nights` holds it to.
        #expect(all.kappa - device.kappa <= 0.05, "\(all.kappa), \(device.kappa)")
        #expect(device.kappa > 0.4)
        #expect(with - without <= 1_200 * Self.plans.count, "\(with - without)")
    }

    /// Where steps are counted in acceleration, the samples between windows show a walk in place of the interrupt.
    @Test func sleepCostsFewStepsAndNoSitting() {
        // The second day settles the evening of the first.
        let life = WearerLife(firstDay: UTCDay(daysSinceEpoch: 20_101), plans: [.typical, .typical], seed: 1)
        let figures = [DomainSet([.motion, .steps]), [.motion, .steps, .sleep]].map { domains in
            let clock = VirtualClock(bootingAt: life.start)
            let devices = SimulatedDevices(life: life, clock: clock, hasPulseLine: false)
            let store = MemoryStore()
            let service = SensingService(
                rules: SensingRules(), devices: devices, store: store, note: { _ in }, signal: {})
            let run = ServiceRun(service: service, devices: devices, seed: 1)
            service.allow(CollectionOrder(domains: domains), at: clock.now)
            run.run(until: life.end)
            let day = store.figures(of: life.firstDay, with: service.session)
            return [Figure.steps, .sedentaryMinutes].map { figure in
                Double(day.first { $0.figure == figure }?.value.number ?? 0)
            }
        }
        #expect(figures[1][0] > figures[0][0] * 0.95, "\(figures)")
        #expect(abs(figures[1][1] - figures[0][1]) < 15, "\(figures)")
    }

    private struct Agreement {
        private var counts = [0.0, 0.0, 0.0, 0.0]

        mutating func add(_ found: [Bool], _ truth: [Bool]) {
            for (one, other) in zip(found, truth) { counts[(one ? 2 : 0) + (other ? 1 : 0)] += 1 }
        }

        var kappa: Double {
            let all = counts.reduce(0, +)
            let chance =
                ((counts[0] + counts[1]) * (counts[0] + counts[2]) + (counts[2] + counts[3]) * (counts[1] + counts[3]))
                / (all * all)
            return ((counts[0] + counts[3]) / all - chance) / (1 - chance)
        }
    }
}
