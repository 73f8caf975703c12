import Core
import Store
import Sensing
import SimulatedBus

/// The cost of a UTC day of sensing.
public struct DayCost: Equatable, Sendable {
    public let day: UTCDay
    /// The wake-ups of the process.
    public fileprivate(set) var wakeUps = 0
    /// The windows that were judged.
    public fileprivate(set) var windows = 0
    /// Transfers on the I²C bus: on a Raspberry Pi the daemon sleeps and wakes in each of them.
    public fileprivate(set) var busTransfers = 0
    /// Bytes on the I²C bus, with addresses, and their time at 400 kHz.
    public fileprivate(set) var busBytes = 0
    public fileprivate(set) var busTime = Interval.zero
    public fileprivate(set) var storeBytes = 0
    /// The time that the receiver worked.
    public fileprivate(set) var receiverOn = Interval.zero
    /// The time that the LEDs of a pulse oximeter were lit, and their charge in µAh.
    public fileprivate(set) var lit = Interval.zero
    public fileprivate(set) var ledCharge = 0.0
    public fileprivate(set) var attentive = SensorUse()
    public fileprivate(set) var relaxed = SensorUse()

    /// Transfers for each window, including those for other purposes; zero without windows.
    public var transfersPerWindow: Double { windows > 0 ? Double(busTransfers) / Double(windows) : 0 }

    /// At both paces.
    public var sensor: SensorUse { attentive + relaxed }

    /// The time that the accelerometer filled its FIFO slowly.
    public var slow: Interval { sensor.slow }

    /// The share of the day that the accelerometer ran at full rate.
    public var sensorShare: Double {
        sensor.share
    }
}

/// The times that the accelerometer ran at full rate, filled its FIFO slowly, and watched for movement, within a total.
/// It was asleep otherwise.
public struct SensorUse: Equatable, Sendable {
    public fileprivate(set) var time = Interval.zero
    public fileprivate(set) var on = Interval.zero
    public fileprivate(set) var slow = Interval.zero
    public fileprivate(set) var watching = Interval.zero

    public init(
        time: Interval = .zero, on: Interval = .zero, slow: Interval = .zero, watching: Interval = .zero
    ) {
        self.time = time
        self.on = on
        self.slow = slow
        self.watching = watching
    }

    public var asleep: Interval { time - on - slow - watching }

    public static func + (left: SensorUse, right: SensorUse) -> SensorUse {
        SensorUse(
            time: left.time + right.time, on: left.on + right.on, slow: left.slow + right.slow,
            watching: left.watching + right.watching)
    }

    /// The share, 0 to 1; zero for a total of zero.
    public var share: Double {
        time > .zero ? Double(on.nanoseconds) / Double(time.nanoseconds) : 0
    }
}

/// Measures the cost of a service on simulated devices and a `VirtualLoop`.
public final class CostMeter: VirtualLoopObserver {
    /// The cost of each day, in order; the last day is not over.
    public private(set) var costs: [DayCost] = []
    /// Called with the cost of each day when it has ended.
    public var onDay: (DayCost) -> Void = { _ in }

    private let devices: SimulatedDevices
    private let service: () -> SensingService
    private let storeBytes: () -> Int
    private var seen: Meters
    private var lastWindow: BootTime?
    /// The sensor's use until the current wake-up, and the pace in that time.
    private var beforeWakeUp: (use: SensorUse, pace: DutyCycle.Pace)?

    /// The counters of the devices and the store at the last reading.
    private struct Meters {
        var time: Instant
        var bus: BusStatistics
        var sensorOn: Interval
        var sensorSlow: Interval
        var sensorWatching: Interval
        var storeBytes: Int
        var receiverOn: Interval
        var lit: Interval
        var ledCharge: Double
    }

    /// - Parameters:
    ///   - storeBytes: The bytes written to the store so far.
    ///   - service: The present service on `devices`.
    public init(
        _ devices: SimulatedDevices, storeBytes: @escaping () -> Int = { 0 },
        service: @escaping () -> SensingService
    ) {
        self.devices = devices
        self.service = service
        self.storeBytes = storeBytes
        seen = Self.meters(of: devices, storeBytes)
    }

    public func wakes(at now: Instant) {
        beforeWakeUp = (readMeters(), service().session.pace)
        costs[costs.count - 1].wakeUps += 1
    }

    public func slept(at now: Instant) {
        if let window = service().session.lastWindow, window != lastWindow {
            lastWindow = window
            costs[costs.count - 1].windows += 1
        }
        guard let (use, pace) = beforeWakeUp else { return }
        // A window counts for the interval that it begins, which is known after it was judged.
        charge(use, to: use.on > .zero ? service().session.pace : pace)
    }

    public func halted(at now: Instant) {
        let use = readMeters()
        charge(use, to: service().session.pace)
        if now.wall == costs[costs.count - 1].day.end { onDay(costs[costs.count - 1]) }
    }

    /// Adds the traffic of the bus and the store since the last reading to the day of that reading, and returns the
    /// sensor's use.
    private func readMeters() -> SensorUse {
        let before = seen
        seen = Self.meters(of: devices, storeBytes)
        let today = UTCDay(containing: before.time.wall)
        if costs.last?.day != today { costs.append(DayCost(day: today)) }
        let last = costs.count - 1
        costs[last].busTransfers += seen.bus.transfers - before.bus.transfers
        costs[last].busBytes += seen.bus.bytes - before.bus.bytes
        costs[last].busTime += seen.bus.busTime(atHertz: 400_000) - before.bus.busTime(atHertz: 400_000)
        costs[last].receiverOn += seen.receiverOn - before.receiverOn
        costs[last].lit += seen.lit - before.lit
        costs[last].ledCharge += seen.ledCharge - before.ledCharge
        costs[last].storeBytes += seen.storeBytes - before.storeBytes
        return SensorUse(
            time: seen.time.boot - before.time.boot, on: seen.sensorOn - before.sensorOn,
            slow: seen.sensorSlow - before.sensorSlow, watching: seen.sensorWatching - before.sensorWatching)
    }

    private static func meters(of devices: SimulatedDevices, _ storeBytes: () -> Int) -> Meters {
        Meters(
            time: devices.clock.now, bus: devices.bus.statistics, sensorOn: devices.chip.awakeTime,
            sensorSlow: devices.chip.slowTime, sensorWatching: devices.chip.lowPowerTime, storeBytes: storeBytes(),
            receiverOn: devices.receiver?.onTime ?? .zero, lit: devices.oximeter?.litTime ?? .zero,
            ledCharge: devices.oximeter?.ledCharge ?? 0)
    }

    private func charge(_ use: SensorUse, to pace: DutyCycle.Pace) {
        switch pace {
        case .attentive: costs[costs.count - 1].attentive = costs[costs.count - 1].attentive + use
        case .relaxed: costs[costs.count - 1].relaxed = costs[costs.count - 1].relaxed + use
        }
    }
}

/// The bytes written by the process since the meter was made: in a simulation the store and the log.
public struct StoreMeter {
    private let before = ProcessWrites.total() ?? 0

    public init() {}

    public func bytes() -> Int { Int((ProcessWrites.total() ?? 0) - before) }
}
