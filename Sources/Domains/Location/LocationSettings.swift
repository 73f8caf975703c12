import Core

/// The settings of location: the source of positions, the wearer's places, and the thresholds of reports.
public struct LocationSettings: DomainSettings {
    /// The detail of the wearer's track, and so the receiver's working time.
    public enum Mode: String, CaseIterable, Hashable, Sendable {
        /// Fences only: the receiver works as seldom as the nearest border allows.
        case geofence
        /// Visits too: a look each minute or two while the wearer moves.
        case visit
        /// Every fix while the wearer moves.
        case standard
    }

    /// The minimum of `visitAfter`.
    static let leastVisit = Interval.minutes(1)

    /// The socket at which a program without a network reaches gpsd.
    public var gpsdSocket = "/run/anicca-gpsd/sock"
    /// The TCP port of gpsd on this machine; nil to use the socket.
    public var gpsdPort: UInt16?
    public var mode = Mode.visit
    /// Whether a fix with an assumed height counts.
    public var acceptsTwoD = false
    /// A fix with a larger estimated error does not count; metres.
    public var largestError: Int32 = 50
    /// All fixes of a visit lie within this many metres of its middle.
    public var visitRadius: Int32 = 100
    public var visitAfter = Interval.minutes(5)
    /// A visit continues over a pause this long without a fix, if the next one is at the same place.
    public var visitGap = Interval.minutes(15)
    /// A fence is entered or left when fixes have shown the other side beyond doubt for this time.
    public var dwell = Interval.seconds(60)
    /// Metres from one significant change of place to the next.
    public var significantChange: Int32 = 500
    /// In the order of the configuration.
    public var fences: [Fence] = []

    public init() {}
}

extension LocationSettings {
    public static var section: SettingSection<LocationSettings> {
        SettingSection(
            "location", "The source of positions, and the rules of their events.",
            [
                SettingKey(
                    "gpsd-socket", .path, \.gpsdSocket,
                    "The socket at which gpsd is reached; anicca-gpsd.socket makes it."),
                SettingKey(
                    "gpsd-port", optional: .number(1...65535), \.gpsdPort,
                    "A TCP port of gpsd on this machine, in place of the socket; the packaged service has no network."
                ),
                SettingKey(
                    "mode", .choice, \.mode,
                    "How closely the way is followed, and so how long the receiver works."),
                SettingKey(
                    "accept-2d", .yesOrNo, \.acceptsTwoD, "Whether fixes at an assumed height count."),
                SettingKey(
                    "largest-error", .number(5...500), \.largestError,
                    "Fixes with a larger estimated error, in metres, do not count."),
                SettingKey(
                    "visit-radius", .number(20...1000), \.visitRadius,
                    "The radius of a stay that counts as a visit, in metres."),
                SettingKey(
                    "visit-after", .interval(leastVisit...(.hours(12))), \.visitAfter,
                    "The least length of a visit."),
                SettingKey(
                    "visit-gap", .interval(.zero...(.hours(12))), \.visitGap,
                    "A visit continues over a gap in positions up to this long."),
                SettingKey(
                    "dwell", .interval(.seconds(5)...(.hours(1))), \.dwell,
                    "A fence counts as entered or left after this long without doubt."),
                SettingKey(
                    "significant-change", .number(50...100_000), \.significantChange,
                    "With the scope coordinates, one position is stored per this many metres."),
            ])
    }

    public static var others: [SettingSection<LocationSettings>] { [.fence("home")] }
}

extension SettingSection<LocationSettings> {
    /// The section of one fence; in the documentation `home` stands for all.
    fileprivate static func fence(_ name: String) -> SettingSection {
        let title = "fence \"\(name)\""
        return SettingSection(
            title, "A place by the name in quotes; as many such sections as there are places.",
            [
                SettingKey(
                    "latitude", optional: .degrees(upTo: 90), \.fences[draft: name].latitude,
                    "Of its middle, in degrees; south is negative."),
                SettingKey(
                    "longitude", optional: .degrees(upTo: 180), \.fences[draft: name].longitude,
                    "Of its middle, in degrees; west is negative."),
                SettingKey(
                    "radius", .number(100...100_000), \.fences[draft: name].radius, "In metres."),
            ],
            agreements: [
                SettingAgreement("\(title).latitude", "be set together with", "\(title).longitude") { location in
                    location.fences.first { $0.name == name }.map { $0.centre != nil } ?? true
                }
            ],
            family: SettingFamily(name: "fence", most: Fence.most, section: { .fence($0) }))
    }
}

extension ValueFormat<Double> {
    fileprivate static func degrees(upTo most: Double) -> ValueFormat {
        ValueFormat(
            allowed: "degrees from -\(Int(most)) to \(Int(most)) as a decimal number such as 52.5163",
            parse: { text in
                let isNumber = text.utf8.allSatisfy { isDigit($0) || "-.".utf8.contains($0) }
                guard isNumber, let value = Double(text), value.magnitude <= most else { return nil }
                return value
            },
            format: { "\($0)" })
    }
}
