import Domains
import Sensing

/// Hardware that is as a test says.
final class ScriptedHandler: PermissionHandler {
    let domain: Domain
    var device = "scripted device"
    let nodes: [String] = []
    var currentStatus = DeviceStatus.ready
    private(set) var requests = 0

    init(_ domain: Domain) { self.domain = domain }

    func requestAccess() -> DeviceStatus {
        requests += 1
        return currentStatus
    }

    func settingsHint(for status: PermissionStatus, reason: String?) -> String { "mend \(domain), which is \(status)" }
}
