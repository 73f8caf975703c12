#if !hasFeature(Embedded)
import SettingKeys
#endif

/// The settings of location: the source of positions.
public struct LocationSettings: DomainSettings {
    /// The TCP port of gpsd on this machine.
    public var gpsdPort: UInt16 = 2947

    public init() {}
}

#if !hasFeature(Embedded)
extension LocationSettings {
    public static var section: SettingSection<LocationSettings> {
        SettingSection(
            "location", "Where positions come from.",
            [SettingKey("gpsd-port", .number(1...65535), \.gpsdPort, "The TCP port of gpsd on this machine.")])
    }
}
#endif
