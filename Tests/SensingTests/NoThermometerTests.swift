import Domains
import Core
import Sensing
import SimulatedBus
import Testing

@testable import Simulation

/// A chip without a thermometer, in a world that has temperatures: signs of life alone tell the wearer from a table.
@Suite struct NoThermometerTests {
    /// An hour of walking, and four hours of either.
    @Test(arguments: [true, false]) func aTableIsNotWornAndASitterIs(isTable: Bool) {
        let clock = VirtualClock(bootingAt: SimulatedLifeTests.firstDay.start + .hours(8))
        let source = WornOrLaidDown(from: clock.now.boot + .hours(1), isTable: isTable)
        let devices = SimulatedDevices(
            source: source, pulses: [], clock: clock, hasPulseLine: false, imu: .adxl345, seed: 1)
        #expect(devices.hasThermometer, "the world has, the chip has not")
        let service = SensingService(
            rules: SensingRules(), devices: devices, store: MemoryStore(), note: { _ in }, signal: {})
        service.allow(CollectionOrder(domains: [.motion]), at: clock.now)
        let run = ServiceRun(service: service, devices: devices, seed: 1)
        run.run(until: clock.now.wall + .minutes(70))
        #expect(service.session.isWorn)
        run.run(until: clock.now.wall + .hours(4))
        #expect(service.session.isWorn == !isTable)
    }
}

/// Walks, then lies flat on a cold table, or sits and breathes.
private final class WornOrLaidDown: AccelerationSource {
    private let walker: Walker
    private let end: BootTime
    private let isTable: Bool

    init(from end: BootTime, isTable: Bool) {
        walker = Walker(from: BootTime(nanoseconds: 0), to: end)
        self.end = end
        self.isTable = isTable
    }

    func acceleration(at time: BootTime) -> Acceleration {
        guard isTable, time >= end else { return walker.acceleration(at: time) }
        return Acceleration(x: 0, y: 0, z: 1)
    }

    func temperature(at time: BootTime) -> Double? { isTable && time >= end ? 18 : 32 }
}
