import Bus
import Sensing

/// Devices that an event loop can wait for.
protocol DaemonDevices: SensingDevices {
    /// The IMU's interrupt line while the sensor is open and the line is wired and ours.
    var motionLine: (any PulseLine)? { get }
    /// Called before the descriptor of a line is closed, so that nobody waits for it any more.
    var onClosingLine: () -> Void { get set }
}
