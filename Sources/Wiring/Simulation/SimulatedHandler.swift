import Bus
import Consent
import LinuxBus
import Permissions

/// The handler of a domain whose device is simulated, or not even that.
public final class SimulatedHandler: PermissionHandler {
    public let domain: Domain
    private let node: String?
    private let access: () -> BusError?

    /// - Parameters:
    ///   - node: A file whose mode stands for that of the device's node; nil where there is none.
    ///   - access: What opening the device would fail with; nil where it would not.
    public init(_ domain: Domain, node: String? = nil, access: @escaping () -> BusError? = { nil }) {
        self.domain = domain
        self.node = node
        self.access = access
    }

    public var nodes: [String] { node.map { [$0] } ?? [] }

    public var currentStatus: DeviceStatus {
        if let error = access() { return DeviceStatus(error, at: "simulated \(domain)", unsuitable: "not simulated") }
        guard let node else { return .ready }
        do {
            try DeviceNodes.look(at: node)
            return .ready
        } catch {
            return DeviceStatus(error, at: node, unsuitable: "no file that could be a node")
        }
    }

    public func requestAccess() -> DeviceStatus { currentStatus }

    public func settingsHint(for status: PermissionStatus, reason: String?) -> String {
        switch status {
        case .restricted: "set \(domain) = allowed in [policy] of the config"
        case .denied where reason == nil: "run: anicca permissions reset \(domain.permission)"
        default: "the device is simulated: see how the simulation was started"
        }
    }
}

extension SimulatedDevices {
    /// One handler for each domain: an IMU and a step line are simulated, the rest is not.
    public var handlers: [any PermissionHandler] {
        Domain.allCases.map { domain in
            switch domain {
            case .motion, .sleep: SimulatedHandler(domain, node: sensorNode) { [weak self] in self?.sensorAccess }
            case .steps: SimulatedHandler(domain) { [weak self] in self?.lineAccess }
            case .screenTime, .location, .alarm: SimulatedHandler(domain) { .absent }
            }
        }
    }
}
