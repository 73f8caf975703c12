import Consent
import Hosting

/// One handler for each domain, in the order of `Domain.allCases`, for the devices and services that the config names.
public func linuxHandlers(_ settings: Settings) -> [any PermissionHandler] {
    [
        IMUHandler(.motion, settings.imu),
        LineHandler(steps: settings.pulseLine),
        IMUHandler(.sleep, settings.imu),
        InboxHandler(settings.companion),
        GPSDHandler(settings.location),
        LineHandler(alarm: settings.alarm),
    ]
}
