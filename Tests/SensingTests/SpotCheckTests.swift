import Core
import Devices
import Domains
import SimulatedBus
import Testing

@testable import Sensing
@testable import Simulation

/// A pulse oximeter beside the accelerometer on a simulated bus, and a wearer who sits.
@Suite struct SpotCheckTests {
    private static let withHeart = DomainSet([.motion, .heart])

    /// A wearer who sits, and walks for the given time from one minute after noon on.
    private func bench(walking: Interval = .zero, imu: SimulatedIMU = .mpu6050) -> ServiceBench {
        let clock = ServiceBench.clockAtNoon()
        let start = clock.now.boot + .minutes(1)
        let finger = SimulatedFinger(beatsPerMinute: 62, red: 1_800, infrared: 2_000)
        return ServiceBench(
            SimulatedDevices(
                source: Walker(from: start, to: start + walking), pulses: [], clock: clock, hasPulseLine: false,
                imu: imu,
                skin: { finger.light(at: $0) }, seed: 1))
    }

    private func oximeter(_ bench: ServiceBench) throws -> SimulatedMAX3010x { try #require(bench.devices.oximeter) }

    private func row(_ bench: ServiceBench) -> [Int64] {
        bench.store.memory.figures(of: UTCDay(containing: bench.clock.now.wall), with: bench.service.session)
            .first { $0.figure == .heartRate }?.value.numbers ?? []
    }

    @Test(arguments: SimulatedIMU.all) func aSittingWearerHasAHeartRate(imu: SimulatedIMU) throws {
        let bench = bench(imu: imu)
        bench.allow(Self.withHeart)
        bench.run(for: .minutes(45))
        let row = row(bench)
        #expect(row.count == 3 && row.allSatisfy { (60...64).contains($0) }, "\(row)")
        #expect((60...64).contains(try #require(bench.figure(.restingHeartRate))))
        #expect(bench.notes.allSatisfy { if case .failed = $0 { false } else { true } })
    }

    @Test func theLEDsAreLitOnlyDuringChecks() throws {
        let bench = bench()
        bench.allow(Self.withHeart)
        bench.run(for: .hours(6))
        let lit = try oximeter(bench).litTime
        // 36 checks of four windows, and the search for the current.
        #expect((.minutes(10)...(.minutes(15))).contains(lit), "\(lit.inSeconds) s")
        #expect(try oximeter(bench).isOff)
    }

    /// SPEC §15: at most three wake-ups a minute on average.
    @Test func aCheckAddsFewWakeUps() throws {
        let without = bench()
        without.allow(ServiceBench.motion)
        without.run(for: .hours(10))
        let with = bench()
        with.allow(Self.withHeart)
        with.run(for: .hours(10))
        let added = Double(with.wakeUps - without.wakeUps) / 600
        #expect(added > 1.5 && added <= 3, "\(added) a minute")
    }

    @Test func theWindowsOfChecksDoNotChangeThePace() throws {
        let (without, with) = (bench(), bench())
        for bench in [without, with] {
            bench.allow(bench === with ? Self.withHeart : ServiceBench.motion)
            bench.run(for: .hours(3))
        }
        func paces(_ bench: ServiceBench) -> [SensingNote] {
            bench.notes.filter { if case .paceChanged = $0 { true } else { false } }
        }
        #expect(paces(with) == paces(without) && !paces(with).isEmpty)
        let minutes = try (#require(with.figure(.sedentaryMinutes)), #require(without.figure(.sedentaryMinutes)))
        #expect(abs(minutes.0 - minutes.1) <= 5)
    }

    @Test func aWalkerIsNotChecked() throws {
        let bench = bench(walking: .hours(2))
        bench.allow(Self.withHeart)
        bench.run(for: .hours(1))
        #expect(row(bench).isEmpty)
        #expect(try oximeter(bench).litTime < .seconds(40), "the first minute")
    }

    @Test func withoutItsDomainNothingIsRead() throws {
        let bench = bench()
        bench.allow(ServiceBench.motion)
        bench.run(for: .hours(2))
        #expect(try oximeter(bench).litTime == .zero && row(bench).isEmpty)
    }

    /// Runs until the LEDs are lit.
    private func light(_ bench: ServiceBench) throws {
        let chip = try oximeter(bench)
        for _ in 0..<2000 where chip.isOff { bench.run(for: .seconds(1)) }
        try #require(!chip.isOff)
    }

    @Test func theEndOfConsentDuringACheckTurnsTheLEDsOff() throws {
        for order in [ServiceBench.motion, DomainSet()] {
            let bench = bench()
            bench.allow(Self.withHeart)
            try light(bench)
            bench.allow(order, dropped: DomainSet(.heart))
            #expect(try oximeter(bench).isOff)
            bench.run(for: .hours(1))
            #expect(row(bench).isEmpty)
            #expect(try oximeter(bench).isOff)
        }
    }

    /// The process that follows a killed one, with and without the domain.
    @Test func aKillDuringACheckLeavesNoLEDOn() throws {
        for order in [Self.withHeart, ServiceBench.motion, DomainSet()] {
            let bench = bench()
            bench.allow(Self.withHeart)
            try light(bench)
            bench.restartAfterKill(remembering: true)
            #expect(try !oximeter(bench).isOff, "nobody has turned them off")
            bench.allow(order)
            #expect(try oximeter(bench).isOff)
        }
    }

    /// The bus fails while the process that follows a killed one starts, with the domain off.
    @Test func aFaultAtTheStartAfterAKillIsTriedAgain() throws {
        let bench = bench()
        bench.allow(Self.withHeart)
        try light(bench)
        bench.restartAfterKill(remembering: true)
        bench.devices.sensorFault = .noAcknowledge
        bench.allow(DomainSet())
        bench.devices.sensorFault = nil
        #expect(try !oximeter(bench).isOff)
        bench.allow(ServiceBench.motion)
        #expect(try oximeter(bench).isOff)
    }

    @Test func aStopDuringACheckTurnsTheLEDsOff() throws {
        let bench = bench()
        bench.allow(Self.withHeart)
        try light(bench)
        bench.service.stop(at: bench.clock.now)
        #expect(try oximeter(bench).isOff)
    }

    @Test func anotherChipInItsPlaceIsALossOfHeartAlone() throws {
        let bench = bench()
        try oximeter(bench).identity = 0x11
        bench.allow(Self.withHeart)
        let losses = bench.service.takeLosses()
        #expect(losses.map(\.domain) == [.heart] && losses.map(\.obstacle) == [.absent])
        bench.run(for: .hours(1))
        #expect(try #require(bench.figure(.sedentaryMinutes)) > 50)
    }

    @Test func aChipThatLosesItsSettingsDuringACheckIsSetUpAgain() throws {
        let bench = bench()
        bench.allow(Self.withHeart)
        try light(bench)
        try oximeter(bench).losePower()
        bench.run(for: .minutes(2))
        let failures = bench.count { if case .failed(.oximeter, _, _) = $0 { true } else { false } }
        #expect(failures == 1)
        bench.run(for: .hours(1))
        #expect(bench.notes.contains(.recovered(.oximeter)) && !row(bench).isEmpty)
    }

    /// No transfer works from the middle of a check on, past its end, or at the end of the domain.
    @Test(arguments: [true, false]) func lightThatAFailingBusLeftOnIsTurnedOffLater(isWanted: Bool) throws {
        let ends: [(ServiceBench) -> Void] = [
            { $0.run(for: .minutes(6)) }, { $0.allow(ServiceBench.motion) }, { $0.service.stop(at: $0.clock.now) },
        ]
        for end in ends {
            let bench = bench()
            bench.allow(Self.withHeart)
            try light(bench)
            bench.devices.bus.fault = .lasting(.noAcknowledge)
            if isWanted { bench.run(for: .seconds(50)) } else { bench.allow(ServiceBench.motion) }
            #expect(try !oximeter(bench).isOff)
            bench.devices.bus.fault = nil
            end(bench)
            #expect(try oximeter(bench).isOff)
        }
    }

    /// Transfers of either chip fail at any time of some six hours, up to six in a row, and the bus hangs.
    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func aBusThatFailsNowAndThenCostsChecksAndNothingElse(seed: UInt64) throws {
        let bench = bench()
        bench.allow(Self.withHeart)
        var generator = SplitGenerator(seed: seed, stream: 0)
        for _ in 0..<100 {
            bench.run(for: .seconds(Int64.random(in: 20...400, using: &generator)))
            bench.devices.bus.fault =
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: nil
                case 1: .stuck(recoverable: true)
                default:
                    .nak(
                        next: Int.random(in: 1...6, using: &generator),
                        after: Int.random(in: 0...60, using: &generator))
                }
        }
        bench.devices.bus.fault = nil
        bench.run(for: .minutes(25))
        let row = row(bench)
        #expect(row.count == 3 && row.allSatisfy { (59...65).contains($0) }, "\(row)")
        let lit = try oximeter(bench).litTime
        #expect(lit < .minutes(30), "\(lit.inSeconds) s")
        bench.service.stop(at: bench.clock.now)
        #expect(try oximeter(bench).isOff)
    }

    @Test func aWearerWhoIsGoneHasNoRate() throws {
        let bench = bench()
        try oximeter(bench).light = { _ in (0, 0) }
        bench.allow(Self.withHeart)
        bench.run(for: .hours(2))
        #expect(row(bench).isEmpty && bench.figure(.restingHeartRate) == nil)
        #expect(try oximeter(bench).isOff)
    }

    @Test func aLifeHasARateAtRestAndARangeOfRates() throws {
        let life = WearerLife(firstDay: UTCDay(daysSinceEpoch: 20_101), days: 3, seed: 3)
        let clock = VirtualClock(bootingAt: life.start)
        let devices = SimulatedDevices(life: life, clock: clock, hasOximeter: true)
        let store = MemoryStore()
        let service = SensingService(
            rules: SensingRules(), devices: devices, store: store, note: { _ in }, signal: {})
        let run = ServiceRun(service: service, devices: devices, seed: life.seed)
        service.allow(CollectionOrder(domains: DomainSet([.motion, .steps, .sleep, .heart])), at: clock.now)
        run.run(until: life.end)
        service.stop(at: clock.now)
        let figures = store.figures(of: life.firstDay + 1, with: service.session)
        let resting = try #require(figures.first { $0.figure == .restingHeartRate }).value.number
        #expect((65...77).contains(resting), "nobody rests awake at the \(resting) of a sleeper")
        let row = try #require(figures.first { $0.figure == .heartRate }).value.numbers
        #expect(row.count == 3 && abs(row[0] - 54) <= 2 && row[2] <= 100, "\(row)")
    }
}
