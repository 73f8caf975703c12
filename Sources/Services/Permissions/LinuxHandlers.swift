import Config
import Consent

/// One handler for each domain, in the order of `Domain.allCases`, for the devices and services that the config names.
public func linuxHandlers(_ settings: Settings) -> [any PermissionHandler] {
    [
        IMUHandler(.motion, settings.imu),
        stepsHandler(settings),
        IMUHandler(.sleep, settings.imu),
        InboxHandler(settings.companion),
        GPSDHandler(settings.location),
        LineHandler(alarm: settings.alarm),
    ]
}

/// The step sensor where one is wired, else the accelerometer, from which steps are counted then.
private func stepsHandler(_ settings: Settings) -> any PermissionHandler {
    guard settings.pulseLine.isWired else { return IMUHandler(.steps, settings.imu) }
    return LineHandler(steps: settings.pulseLine)
}
