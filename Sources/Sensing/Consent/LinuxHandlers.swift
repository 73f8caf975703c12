import Config
import Devices
import Domains

/// One handler for each domain, in the order of `Domain.all`, for the devices and services in the config.
public func linuxHandlers(_ settings: Settings) -> [any PermissionHandler] {
    Domain.all.map { linuxHandler(for: $0, settings) }
}

/// The handler for the domain's hardware.
private func linuxHandler(for domain: Domain, _ settings: Settings) -> any PermissionHandler {
    switch domain.hardware {
    case .accelerometer: ChipHandler(domain, settings.imu)
    case .stepSensor where settings.pulseLine.isWired: LineHandler(domain, input: settings.pulseLine)
    case .stepSensor: ChipHandler(domain, settings.imu)
    case .companionInbox: InboxHandler(domain, settings.companion)
    case .gpsd: GPSDHandler(domain, settings.location)
    case .outputLine: LineHandler(domain, output: settings.alarm)
    case .gauge(let id): ChipHandler(domain, settings.imu, GaugeKind.of(id).search)
    case .pulseOximeter: ChipHandler(domain, settings.imu, ChipSearch<PulseOximeterChip>())
    case .nothing: ProgramHandler(domain)
    }
}

/// A domain that needs only the program.
private final class ProgramHandler: HardwareHints {
    let domain: Domain
    let device = "program"
    let nodes: [String] = []
    let currentStatus = DeviceStatus.ready

    init(_ domain: Domain) { self.domain = domain }

    func requestAccess() -> DeviceStatus { .ready }

    var hintWhenAbsent: String { "nothing is missing" }
    var hintWhenRefused: String { "nothing is refused" }
}
