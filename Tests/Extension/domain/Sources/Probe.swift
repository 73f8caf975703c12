#if !hasFeature(Embedded)
import Core
#endif

/// A made-up kind of data: how many windows of acceleration a day has. It shows all that a domain can declare.
extension Domain {
    public static let probe = Domain(
        id: 60, name: "probe", permission: .probe, scopes: [ScopePart(.probe, "window counts")], least: .probe,
        hardware: .nothing, figures: [.probeWindows], events: [.probeReached],
        settings: ProbeSettings.self, collector: ProbeCollector.self,
        words: DomainWords(
            purpose: "how many windows of acceleration a day has",
            collected: "a number that counts windows",
            whenOn: "is listened to, and probeWindows joins the daily record",
            whenOff: "windows are not counted any more",
            policy: "Whether windows may be counted."))
}

extension Permission {
    public static let probe = Permission(id: 60, order: 60, name: "probe", title: "Probe")
}

extension Scope {
    public static let probe = Scope(id: 40)
}

extension Figure {
    public static let probeWindows = Figure(
        id: 200, name: "probeWindows", meaning: "the number of windows", fold: .sum(most: 10_000), source: .imu)
}

extension EventKind {
    public static let probeReached = EventKind(
        id: 200, name: "probe_reached", meaning: "that there were many windows", member: .threshold("windows"),
        source: .imu)
}

/// The settings of the probe.
public struct ProbeSettings: DomainSettings {
    /// Windows since the beginning that raise the event.
    public var threshold: Int32 = 100

    public init() {}
}

#if !hasFeature(Embedded)
extension ProbeSettings {
    public static var section: SettingSection<ProbeSettings> {
        SettingSection(
            "probe", "When the probe raises its event.",
            [SettingKey("threshold", .number(1...1000), \.threshold, "Windows that raise probe_reached.")])
    }
}

/// Counts windows; raises the event once.
struct ProbeCollector: Collector {
    private let threshold: Int32
    private var windows: Int64 = 0

    init(_ settings: DomainValues) { threshold = settings[ProbeSettings.self].threshold }

    mutating func handle(_ input: CollectorInput, at now: BootTime) -> [CollectorEffect] {
        switch input {
        case .began: return [.observe(.probeWindows)]
        case .window:
            windows += 1
            let count = CollectorEffect.add(.one(1, at: now), to: .probeWindows)
            return windows == Int64(threshold) ? [count, .raise(.probeReached, value: threshold)] : [count]
        default: return []
        }
    }

    func pack(into packer: inout Packer) { packer.put(windows) }

    mutating func unpack(
        from unpacker: inout Unpacker, version: UInt8, times: RestoredTimes
    ) throws(Unpacker.Malformed) {
        windows = try unpacker.takeAmount()
    }
}
#endif
