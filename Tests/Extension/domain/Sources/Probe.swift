import Core

/// A made-up kind of data: how many windows of acceleration a day has, how fast they follow one another, at what times
/// some were taken, and how warm it was. It shows all that a domain can declare.
extension Domain {
    public static let probe = Domain(
        id: 60, name: "probe", permission: .probe,
        scopes: [ScopePart(.probe, "window counts"), ScopePart(.probeTimes, "window times")], least: .probe,
        hardware: .gauge(.probe), figures: [.probeWindows, .probePauses, .probeDegrees], events: [.probeReached],
        books: [.probe],
        settings: ProbeSettings.self, collector: ProbeCollector.self,
        words: DomainWords(
            purpose: "how many windows of acceleration a day has",
            collected: "a number that counts windows, the pauses between them, and the temperature",
            whenOn: "is listened to, and probeWindows joins the daily record",
            whenOff: "windows are not counted any more",
            policy: "Whether windows may be counted.",
            choices: [DomainWords.Choice(words: ["counts only"], meaning: "no times", scope: .probe)]))
}

extension GaugeID {
    public static let probe = GaugeID(rawValue: 200)
}

extension Permission {
    public static let probe = Permission(id: 60, order: 60, name: "probe", title: "Probe")
}

extension Scope {
    public static let probe = Scope(id: 40)
    /// When windows were taken.
    public static let probeTimes = Scope(id: 41)
}

extension Figure {
    public static let probeWindows = Figure(
        id: 100, name: "probeWindows", meaning: "the number of windows", fold: .sum(most: 10_000), source: .imu)

    /// In seconds from one window to the next.
    public static let probePauses = Figure(
        id: 101, name: "probePauses", meaning: "the pauses between windows",
        fold: .table(spread), source: .imu)

    /// In tenths of a degree Celsius.
    public static let probeDegrees = Figure(
        id: 102, name: "probeDegrees", meaning: "the temperature", fold: .table(spread), source: .session)

    private static let spread = FigureTable(
        [.init("least"), .init("median"), .init("most")], hasOneRow: true
    ) { amounts in
        let sorted = amounts.map(\.amount).sorted()
        guard let least = sorted.first, let most = sorted.last else { return [] }
        return [least, sorted[sorted.count / 2], most]
    }
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

    public static var section: SettingSection<ProbeSettings> {
        SettingSection(
            "probe", "When the probe raises its event.",
            [SettingKey("threshold", .number(1...1000), \.threshold, "Windows that raise probe_reached.")])
    }
}

/// Counts windows; raises the event once. With the scope for it, the time is kept every hour.
struct ProbeCollector: Collector {
    private let threshold: Int32
    private var windows: Int64 = 0
    private var latest: BootTime?
    private var notesAt: BootTime?

    init(_ settings: DomainValues) { threshold = settings[ProbeSettings.self].threshold }

    mutating func handle(_ input: CollectorInput, at now: BootTime) -> [CollectorEffect] {
        switch input {
        case .began(let scope, _):
            notesAt = scope.contains(.probeTimes) ? now : nil
            return [.observe(.probeWindows), .observe(.probePauses)]
        case .window:
            windows += 1
            var effects = [CollectorEffect.add(.one(1, at: now), to: .probeWindows)]
            if let latest { effects.append(.add(.one(max((now - latest).inSeconds, 1), at: now), to: .probePauses)) }
            latest = now
            return windows == Int64(threshold) ? effects + [.raise(.probeReached, value: threshold)] : effects
        case .gauge(let reading, let time):
            return [.add(.one(Int64((reading.value * 10).rounded()), at: time), to: .probeDegrees)]
        case .woke(let clock):
            notesAt = now + .hours(1)
            return clock.map { [.enter(BookNote(ProbeNote(at: $0.time(at: now).wall)))] } ?? []
        case .interrupted:
            latest = nil
            return []
        default: return []
        }
    }

    func agenda(at now: BootTime) -> BootTime? { notesAt }

    func pack(into packer: inout Packer) { packer.put(windows) }

    mutating func unpack(
        from unpacker: inout Unpacker, version: UInt8, times: RestoredTimes
    ) throws(Unpacker.Malformed) {
        windows = try unpacker.takeAmount()
    }
}
