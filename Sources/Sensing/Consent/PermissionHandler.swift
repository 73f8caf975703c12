import Domains

/// The hardware or service of one domain (SPEC §2).
public protocol PermissionHandler: AnyObject {
    var domain: Domain { get }

    /// The device, in a word or two for people: `step sensor`.
    var device: String { get }

    /// The nodes and directories to watch for changes; empty if there are none.
    var nodes: [String] { get }

    /// The status by the nodes alone: whether they exist and may be used. Sends nothing to a device and requests no
    /// line.
    var currentStatus: DeviceStatus { get }

    /// The status by the first step of collecting: reads the identity register, checks that the line is free, or
    /// connects to the service. Changes nothing. A device that this program already holds counts as ready.
    func requestAccess() -> DeviceStatus

    /// The advice for the status: a command, a config key, a udev rule or a group. `reason` is the reason given by the
    /// hardware; nil if the hardware is not the obstacle.
    func settingsHint(for status: PermissionStatus, reason: String?) -> String
}

/// A handler whose hints depend on the hardware only if the hardware is the obstacle.
public protocol HardwareHints: PermissionHandler {
    /// The advice if the device or service is missing, or a different one.
    var hintWhenAbsent: String { get }
    /// The advice if the kernel refuses it.
    var hintWhenRefused: String { get }
}

extension HardwareHints {
    public func settingsHint(for status: PermissionStatus, reason: String?) -> String {
        let reset = "anicca permissions reset \(domain.permission)"
        switch status {
        case .unknown: return "run: anicca permissions"
        case .notDetermined, .authorized: return "run: anicca toggle \(domain) on"
        case .limited: return "to agree to more, run: anicca permissions expand \(domain)"
        case .denied where reason == nil: return "run: \(reset), then: anicca toggle \(domain) on"
        case .denied: return hintWhenRefused
        case .restricted: return "set \(domain) = allowed in [policy] of the config, then run: systemctl reload aniccad"
        case .unsupported where !domain.isCollected:
            return "no action is needed: a version that collects it will ask"
        case .unsupported: return hintWhenAbsent
        }
    }
}
