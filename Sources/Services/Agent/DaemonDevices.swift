import Permissions
import Ports
import Sensing

/// Devices that an event loop can wait for.
public protocol DaemonDevices: SensingDevices {
    /// The handlers that check the domains' devices: one for each domain.
    var handlers: [any PermissionHandler] { get }
    /// The IMU's interrupt line while the sensor is open and the line is wired and held.
    var motionLine: (any PulseLine)? { get }
    /// Called before the descriptor of a line is closed, so that watches on it end first.
    var onClosingLine: () -> Void { get set }
}
