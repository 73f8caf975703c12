import Domains
import Core
import Sensing
import Signal
import SimulatedBus

/// The same wearer with one kind of chip: judgements, counts and costs.
public struct ChipTrial: Sendable {
    public let imu: SimulatedIMU
    /// The verdict on each window, with the time of its end.
    public let verdicts: [(end: BootTime, activity: Activity)]
    public let steps: Int
    public let wakeUps: Int
    public let busTransfers: Int
    public let busBytes: Int
    public let use: SensorUse

    /// Runs the typical day through the registers of a simulated chip.
    ///
    /// - Parameters:
    ///   - hasPulseLine: Without one, steps are counted in acceleration.
    ///   - correction: Of the chip's samples; nil for an uncalibrated chip.
    public static func live(
        _ imu: SimulatedIMU, hasPulseLine: Bool, correction: Correction? = nil
    ) -> ChipTrial {
        let life = WearerLife.typicalDay(UTCDay(daysSinceEpoch: 20_101))
        let clock = VirtualClock(bootingAt: life.start)
        let devices = SimulatedDevices(life: life, clock: clock, hasPulseLine: hasPulseLine, imu: imu)
        devices.correction = correction
        let store = MemoryStore()
        let service = SensingService(
            rules: SensingRules(), devices: devices, store: store, note: { _ in }, signal: {})
        let run = ServiceRun(service: service, devices: devices, seed: life.seed)
        service.allow(CollectionOrder(domains: [.motion, .steps]), at: clock.now)
        var verdicts: [(end: BootTime, activity: Activity)] = []
        while clock.now.wall < life.end {
            // The shortest time between the ends of two windows.
            run.run(until: min(clock.now.wall + .seconds(4), life.end))
            guard let window = service.session.lastWindow, window != verdicts.last?.end else { continue }
            verdicts.append((window, service.session.verdict.activity))
        }
        let use = run.costs.reduce(SensorUse()) { $0 + $1.sensor }
        service.stop(at: clock.now)
        return ChipTrial(
            imu: imu, verdicts: verdicts, steps: Int(store.total(of: .steps, with: service.session) ?? 0),
            wakeUps: run.costs.reduce(0) { $0 + $1.wakeUps }, busTransfers: devices.bus.statistics.transfers,
            busBytes: devices.bus.statistics.bytes, use: use)
    }

    /// The share of this trial's windows with the same verdict as the nearest window in time of the other: 0 to 1.
    public func agreement(with other: ChipTrial) -> Double {
        guard !verdicts.isEmpty, !other.verdicts.isEmpty else { return 0 }
        var nearest = 0
        var alike = 0
        for verdict in verdicts {
            while nearest + 1 < other.verdicts.count,
                distance(other.verdicts[nearest + 1].end, verdict.end)
                    <= distance(other.verdicts[nearest].end, verdict.end)
            { nearest += 1 }
            if other.verdicts[nearest].activity == verdict.activity { alike += 1 }
        }
        return Double(alike) / Double(verdicts.count)
    }

    private func distance(_ one: BootTime, _ other: BootTime) -> Interval { one < other ? other - one : one - other }

    /// Transfers for each window, including the few of the set-up.
    public var transfersPerWindow: Double {
        verdicts.isEmpty ? 0 : Double(busTransfers) / Double(verdicts.count)
    }

    /// In mAh, from the typical currents of this kind of chip.
    public var charge: Double { imu.charge(of: use) }
}
