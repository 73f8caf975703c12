import Core
import Domains
import Sensing
import SimulatedBus

/// Days with stairs on the daemon's own session, through the registers of an accelerometer and a barometer.
public struct FloorsTrial: Sendable {
    public private(set) var days = 0
    /// Days whose count is right, or wrong by one.
    public private(set) var rightDays = 0
    public private(set) var climbed = 0
    public private(set) var counted = 0
    /// By the part of the day, flights counted in parts without any.
    public private(set) var wrong: [FloorsDay.Part: Int] = [:]
    /// Wake-ups of all days.
    public private(set) var wakeUps = 0

    public init() {}

    /// The part of the device's hardware that makes a difference.
    public struct Conditions: Sendable {
        public var barometer = "bmp280"
        public var imu = SimulatedIMU.all[0]
        public var hasStepSensor = false
        public var hasMotionLine = true
        /// Whether floors are on.
        public var isOn = true
        public init() {}
    }

    /// Lives one day more.
    public mutating func live(_ day: FloorsDay, _ conditions: Conditions, seed: UInt64) {
        let clock = VirtualClock(bootingAt: day.life.start)
        var air = day.air
        let gauge = SimulatedGauge.barometer(
            conditions.barometer,
            in: { time in
                Air(pressure: air.pressure(at: Double(time.nanoseconds) / 1e9), temperature: 28)
            }, seed: seed)
        let booted = day.life.start
        let truth = Instant(boot: BootTime(nanoseconds: 0), wall: booted)
        let devices = SimulatedDevices(
            source: SimulatedWearer(life: day.life, bootedAt: booted),
            pulses: StepSensor.pulses(of: day.life).map { truth.boot(at: $0) }, clock: clock,
            hasMotionLine: conditions.hasMotionLine, hasPulseLine: conditions.hasStepSensor,
            imu: conditions.imu, gauges: gauge.map { [$0] } ?? [], seed: seed)
        let store = MemoryStore()
        let service = SensingService(rules: SensingRules(), devices: devices, store: store, note: { _ in }, signal: {})
        let run = ServiceRun(service: service, devices: devices, seed: seed)
        let domains: DomainSet = conditions.isOn ? [.motion, .steps, .floors] : [.motion, .steps]
        service.allow(CollectionOrder(domains: domains), at: clock.now)
        var total: Int64 = 0
        for (part, end, flights) in day.parts {
            run.run(until: end)
            let before = total
            total = store.total(of: .flightsClimbed, with: service.session) ?? 0
            if flights == 0, total > before { wrong[part, default: 0] += Int(total - before) }
        }
        service.stop(at: clock.now)
        wakeUps += run.costs.reduce(0) { $0 + $1.wakeUps }
        days += 1
        climbed += day.flights
        counted += Int(total)
        if (Int(total) - day.flights).magnitude <= 1 { rightDays += 1 }
    }
}
