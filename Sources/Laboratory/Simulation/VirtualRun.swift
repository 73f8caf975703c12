import DutyCycle
import Quantities
import Sensing
import SimulatedBus

/// Lets a `SensingService` live with simulated devices as fast as the processor can, and keeps account of it.
///
/// It is what an event loop is to the daemon: it wakes the service when the agenda says so, a little late as a kernel
/// does that merges timers.
public final class VirtualRun {
    /// What each day cost, in order; the last one is still going on.
    public private(set) var costs: [DayCost] = []

    private let service: SensingService
    private let devices: SimulatedDevices
    private let storeBytes: () -> Int
    private let seed: UInt64
    private var seen: Meters

    /// The counters of the devices and the store as they stood when they were last looked at.
    private struct Meters {
        var time: BootTime
        var bus: BusStatistics
        var sensorOn: Interval
        var storeBytes: Int
    }

    private struct WakeUp {
        let time: BootTime
        let cause: SensingService.WakeCause
    }

    /// - Parameters:
    ///   - service: Runs on `devices`.
    ///   - storeBytes: How much has been written to the store so far.
    ///   - seed: Of how late wake-ups come.
    public init(
        service: SensingService, devices: SimulatedDevices, seed: UInt64, storeBytes: @escaping () -> Int = { 0 }
    ) {
        self.service = service
        self.devices = devices
        self.storeBytes = storeBytes
        self.seed = seed
        seen = Meters(
            time: devices.clock.now.boot, bus: devices.bus.statistics, sensorOn: devices.chip.awakeTime,
            storeBytes: storeBytes())
    }

    /// Goes on until the clock shows `end`. `onDay` is told of each day that has ended.
    public func run(until end: WallTime, onDay: (DayCost) -> Void = { _ in }) {
        let clock = devices.clock
        while clock.now.wall < end {
            let today = UTCDay(containing: clock.now.wall)
            let stop = clock.now.boot(at: min(today.end, end))
            if costs.last?.day != today { costs.append(DayCost(day: today)) }
            if let wakeUp = nextWakeUp(before: stop) {
                clock.advance(to: wakeUp.time)
                let paceBefore = service.session.pace
                let use = readMeters()
                costs[costs.count - 1].wakeUps += 1
                service.handle(wakeUp.cause, at: clock.now)
                // A window counts with the interval that it begins, which is known when it has been judged.
                charge(use, to: use.on > .zero ? service.session.pace : paceBefore)
            } else {
                clock.advance(to: stop)
                charge(readMeters(), to: service.session.pace)
                if clock.now.wall == today.end { onDay(costs[costs.count - 1]) }
            }
        }
    }

    /// What wakes the service first; nil when nothing does before `stop`.
    private func nextWakeUp(before stop: BootTime) -> WakeUp? {
        let now = devices.clock.now
        let agenda = service.agenda(at: now)
        var first: WakeUp?
        var limit = stop
        func offer(_ time: BootTime?, _ cause: SensingService.WakeCause) {
            guard let time = time.map({ max($0, now.boot) }), time < limit else { return }
            first = WakeUp(time: time, cause: cause)
            limit = time
        }
        offer(agenda.wakeAt.map { $0 + lateness(at: $0, within: agenda.slack) }, .timer)
        if agenda.watchesPulses {
            // An edge that waits already wakes at once; those that were drained are gone.
            offer(devices.line?.nextPulse(after: BootTime(nanoseconds: .min), before: limit), .pulses)
        }
        if agenda.watchesMotion, devices.hasMotionLine {
            offer(nextMotion(after: now.boot, before: limit), .motion)
        }
        return first
    }

    /// Edges of the INT line that came before it was watched say nothing about the rest that is watched now.
    private func nextMotion(after start: BootTime, before limit: BootTime) -> BootTime? {
        while let time = devices.chip.nextInterrupt(before: limit) {
            if time > start { return time }
        }
        return nil
    }

    /// How much later than asked a timer fires: the same however the run is divided into parts.
    private func lateness(at time: BootTime, within slack: Interval) -> Interval {
        var generator = SplitGenerator(seed: seed, stream: UInt64(bitPattern: time.nanoseconds))
        return Interval(nanoseconds: .random(in: 0...slack.nanoseconds, using: &generator))
    }

    /// Adds what the bus and the store did since the last look to the present day, and returns what the sensor did.
    private func readMeters() -> SensorUse {
        let now = Meters(
            time: devices.clock.now.boot, bus: devices.bus.statistics, sensorOn: devices.chip.awakeTime,
            storeBytes: storeBytes())
        defer { seen = now }
        let today = costs.count - 1
        costs[today].busBytes += now.bus.bytes - seen.bus.bytes
        costs[today].busTime += now.bus.busTime(atHertz: 400_000) - seen.bus.busTime(atHertz: 400_000)
        costs[today].storeBytes += now.storeBytes - seen.storeBytes
        return SensorUse(time: now.time - seen.time, on: now.sensorOn - seen.sensorOn)
    }

    private func charge(_ use: SensorUse, to pace: DutyCycle.Pace) {
        switch pace {
        case .attentive: costs[costs.count - 1].attentive.add(use)
        case .relaxed: costs[costs.count - 1].relaxed.add(use)
        }
    }
}

extension SensorUse {
    fileprivate mutating func add(_ other: SensorUse) {
        time += other.time
        on += other.on
    }
}
