import Consent

/// Knows the hardware or service of one domain (SPEC §2).
public protocol PermissionHandler: AnyObject {
    var domain: Domain { get }

    /// What it collects with, in a word or two for people: `step sensor`.
    var device: String { get }

    /// The nodes and directories whose change is worth a fresh look; empty where there is nothing to watch.
    var nodes: [String] { get }

    /// What the nodes alone tell: whether they are there and whether we may use them. Sends nothing to a device and takes
    /// no line.
    var currentStatus: DeviceStatus { get }

    /// Goes as far as collecting first goes: reads the identity register, sees whether the line is free, lets the service
    /// greet. Changes nothing. What this program itself holds counts as ready.
    func requestAccess() -> DeviceStatus

    /// What to do about the status: a command, a config key, a udev rule or a group.
    ///
    /// - Parameter reason: what the hardware said; nil where it is not the hardware that stands in the way.
    func settingsHint(for status: PermissionStatus, reason: String?) -> String
}

/// A handler whose hints depend on the hardware only where the hardware is the obstacle.
public protocol HardwareHints: PermissionHandler {
    /// What helps when the device or service is absent, or is another one.
    var hintWhenAbsent: String { get }
    /// What helps when the kernel refuses it.
    var hintWhenRefused: String { get }
}

extension HardwareHints {
    public func settingsHint(for status: PermissionStatus, reason: String?) -> String {
        let reset = "anicca permissions reset \(domain.permission)"
        switch status {
        case .unknown: return "run: anicca permissions"
        case .notDetermined, .authorized: return "run: anicca toggle \(domain) on"
        case .limited: return "to be asked again about all of it, run: \(reset), then: anicca toggle \(domain) on"
        case .denied where reason == nil: return "run: \(reset), then: anicca toggle \(domain) on"
        case .denied: return hintWhenRefused
        case .restricted: return "set \(domain) = allowed in [policy] of the config, then run: systemctl reload aniccad"
        case .unsupported: return hintWhenAbsent
        }
    }
}
