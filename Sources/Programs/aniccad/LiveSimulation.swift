import Agent
import Config
import Permissions
import Ports
import Quantities
import Sensing
import Simulation

/// A simulated wearer on simulated devices in real time, for trying the daemon without hardware.
///
/// The simulated lines have no descriptor to wait for: pulses are taken with the windows.
final class LiveSimulation: DaemonDevices {
    private let devices: SimulatedDevices
    private let settings: Settings
    var sensorPlace: String { devices.sensorPlace }
    var pulseLinePlace: String { devices.pulseLinePlace }
    let motionLine: (any PulseLine)? = nil
    let hasMotionLine = false
    var hasPulseLine: Bool { devices.hasPulseLine }
    var onClosingLine: () -> Void = {}
    /// What is not simulated is looked for on this machine.
    var handlers: [any PermissionHandler] {
        zip(devices.handlers, linuxHandlers(settings)).map { $0.domain.isSimulated ? $0 : $1 }
    }

    init(of wearer: Arguments.Wearer, _ arguments: Arguments, settings: Settings) {
        self.settings = settings
        let clock = VirtualClock(following: { .now })
        devices = wearer.devices(
            from: UTCDay(containing: clock.now.wall), days: 8, clock: clock, hasMotionLine: false,
            hasPulseLine: arguments.hasPulseLine)
        devices.sensorNode = arguments.sensorNode
    }

    func openSensor() throws(SensorError) -> any Accelerometer { try devices.openSensor() }
    func closeSensor() { devices.closeSensor() }
    func openPulseLine() throws(BusError) -> any PulseLine { try devices.openPulseLine() }
    func closePulseLine() { devices.closePulseLine() }
}
