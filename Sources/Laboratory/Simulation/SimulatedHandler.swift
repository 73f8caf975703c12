import Domains
import Sensing
import Devices
import SimulatedBus

/// The handler of a domain whose device is simulated or missing.
public final class SimulatedHandler: HardwareHints {
    public let domain: Domain
    public let device = "simulation"
    private let node: String?
    private let watched: String?
    private let access: () -> BusError?

    /// - Parameters:
    ///   - node: A file whose mode represents that of the device's node; nil for none.
    ///   - watched: The watched name, if different.
    ///   - access: The error of opening the device; nil for none.
    public init(
        _ domain: Domain, node: String? = nil, watched: String? = nil, access: @escaping () -> BusError? = { nil }
    ) {
        self.domain = domain
        self.node = node
        self.watched = watched ?? node
        self.access = access
    }

    public var nodes: [String] { watched.map { [$0] } ?? [] }

    public var currentStatus: DeviceStatus {
        guard let error = access() else { return .ready }
        return DeviceStatus(error, at: node ?? "simulated \(domain)", unsuitable: "not simulated")
    }

    public func requestAccess() -> DeviceStatus { currentStatus }

    public var hintWhenAbsent: String { "the device is simulated: see how the simulation was started" }
    public var hintWhenRefused: String { node.map { "run: chmod u+rw \($0)" } ?? hintWhenAbsent }
}

extension Domain {
    /// Whether the domain's device can be simulated: an IMU, a step line or a motor.
    public var isSimulated: Bool {
        switch hardware {
        case .accelerometer, .stepSensor, .outputLine, .nothing: true
        case .companionInbox, .gpsd, .gauge, .pulseOximeter: false
        }
    }
}

extension SimulatedDevices {
    /// One handler for each domain. A domain that is not simulated has the one in `surroundings`, or one without a
    /// device.
    public var handlers: [any PermissionHandler] {
        Domain.all.map { domain in
            if domain.hardware == .gpsd, receiver != nil { return SimulatedHandler(domain) }
            if case .gauge(let id) = domain.hardware, let gauge = gauges.first(where: { $0.kind.id == id }) {
                return SimulatedHandler(domain, node: sensorNode, watched: watchedNode) { [weak self] in
                    self.flatMap { $0.sensorAccess ?? $0.access(to: gauge) }
                }
            }
            if domain.hardware == .pulseOximeter, oximeter != nil {
                return SimulatedHandler(domain, node: sensorNode, watched: watchedNode) { [weak self] in
                    self?.sensorAccess
                }
            }
            guard domain.isSimulated else {
                return surroundings.first { $0.domain == domain } ?? SimulatedHandler(domain) { .absent }
            }
            if domain.hardware == .stepSensor, hasPulseLine {
                return SimulatedHandler(domain) { [weak self] in self?.lineAccess }
            }
            if domain.hardware == .outputLine {
                return SimulatedHandler(domain) { [weak self] in self?.outputAccess }
            }
            return SimulatedHandler(domain, node: sensorNode, watched: watchedNode) { [weak self] in self?.sensorAccess
            }
        }
    }

    /// The error of the search for the gauge; nil if it is found.
    private func access(to gauge: SimulatedGauge) -> BusError? {
        do throws(SensorError) {
            _ = try gauge.kind.search.find(on: bus)
            return nil
        } catch {
            guard case .unreachable(let fault, _, _) = error else { return .absent }
            return fault
        }
    }
}
