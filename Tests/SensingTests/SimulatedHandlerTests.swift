import Domains
import Sensing
import Devices
import Core
import Simulation
import Testing

/// The status of each domain by the nodes of simulated devices.
@Suite struct SimulatedHandlerTests {
    private func devices(hasPulseLine: Bool) -> SimulatedDevices {
        let clock = VirtualClock(bootingAt: WallTime(secondsSinceEpoch: 1_736_942_400))
        return SimulatedDevices(
            source: RecordedWearer([], from: clock.now.boot), pulses: [], clock: clock, hasPulseLine: hasPulseLine,
            seed: 1)
    }

    private func blocked(_ devices: SimulatedDevices) -> [Domain] {
        devices.handlers.filter { $0.domain.isSimulated && $0.currentStatus != .ready }.map(\.domain)
    }

    @Test func aStepSensorAndTheIMUAreLostApart() {
        let devices = devices(hasPulseLine: true)
        #expect(blocked(devices).isEmpty)
        devices.sensorFault = .denied
        #expect(blocked(devices) == [.motion, .sleep, .walks])
        devices.sensorFault = nil
        devices.lineFault = .absent
        #expect(blocked(devices) == [.steps])
    }

    @Test func withoutAStepSensorStepsAreLostWithTheIMU() {
        let devices = devices(hasPulseLine: false)
        devices.lineFault = .absent
        #expect(blocked(devices).isEmpty)
        devices.sensorFault = .denied
        #expect(blocked(devices) == [.motion, .steps, .sleep, .walks])
    }

    @Test(arguments: [true, false])
    func stepsAreWatchedAtTheSensorsNodeOnlyWithoutAStepSensor(hasPulseLine: Bool) {
        let devices = devices(hasPulseLine: hasPulseLine)
        devices.sensorNode = "/dev/null"
        let watching = devices.handlers.filter { $0.nodes == ["/dev/null"] }.map(\.domain)
        #expect(watching == (hasPulseLine ? [.motion, .sleep, .walks] : [.motion, .steps, .sleep, .walks]))
    }

    @Test func withoutAStepSensorThereIsNoLineToOpen() {
        #expect(throws: BusError.absent) { try devices(hasPulseLine: false).openPulseLine() }
    }
}
