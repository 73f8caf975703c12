import Devices
import Config
import Domains
import Core
import Sensing
import SimulatedBus

/// The typical day with the devices of a configuration, and its energy by `EnergyModel`.
public struct EnergyTrial: Sendable {
    public let imu: SimulatedIMU
    public let hasMotionLine: Bool
    public let hasPulseLine: Bool
    public let day: EnergyModel.Day
    public let parts: [EnergyModel.Part]

    public var total: Estimate { EnergyModel.total(of: parts) }

    /// Runs a day with `motion` and `steps` on, by the rules of the configuration. A sensor to be detected is an
    /// MPU-6050.
    public static func live(_ settings: Settings) -> EnergyTrial {
        live(
            Self.imu(of: settings), hasMotionLine: settings.imu.interruptLine != nil,
            hasPulseLine: settings.pulseLine.isWired, rules: SensingRules(settings))
    }

    /// The same with these devices.
    public static func live(
        _ imu: SimulatedIMU, hasMotionLine: Bool, hasPulseLine: Bool, rules: SensingRules = SensingRules()
    ) -> EnergyTrial {
        let life = WearerLife.typicalDay(UTCDay(daysSinceEpoch: 20_101))
        let devices = SimulatedDevices(
            life: life, clock: VirtualClock(bootingAt: life.start), hasMotionLine: hasMotionLine,
            hasPulseLine: hasPulseLine, imu: imu)
        let store = MemoryStore()
        let service = SensingService(rules: rules, devices: devices, store: store, note: { _ in }, signal: {})
        let run = ServiceRun(service: service, devices: devices, seed: life.seed)
        service.allow(CollectionOrder(domains: [.motion, .steps]), at: devices.clock.now)
        run.run(until: life.end)
        let traffic = devices.bus.statistics
        let day = EnergyModel.Day(
            use: run.costs.reduce(SensorUse()) { $0 + $1.sensor }, wakeUps: run.costs.reduce(0) { $0 + $1.wakeUps },
            windows: run.costs.reduce(0) { $0 + $1.windows }, transfers: traffic.transfers, busBytes: traffic.bytes,
            busBits: traffic.bits, commits: store.commits, countsSteps: !hasPulseLine)
        service.stop(at: devices.clock.now)
        return EnergyTrial(
            imu: imu, hasMotionLine: hasMotionLine, hasPulseLine: hasPulseLine, day: day,
            parts: EnergyModel.parts(of: day, through: imu))
    }

    /// The simulated chip for the sensor of a configuration.
    static func imu(of settings: Settings) -> SimulatedIMU {
        let chip = Chip.all.first { $0.id == settings.imu.sensor || $0.aliases.contains(settings.imu.sensor ?? "") }
        return chip.flatMap { SimulatedIMU($0.id) } ?? SimulatedIMU.all[0]
    }
}
