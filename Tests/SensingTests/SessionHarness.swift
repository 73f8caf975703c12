import Domains
import Store
import Devices
import Core
import Sensing
import Signal

@testable import Simulation

/// Drives a `SensingSession` in virtual time with scripted answers, and writes down what it asked for.
struct SessionHarness {
    var session: SensingSession
    var now: Instant
    /// The fault that answers `openSensor`; nil when it works.
    var sensorFault: (Instant) -> DeviceFault? = { _ in nil }
    /// The fault that answers `openLine`; nil when it works.
    var lineFault: (Instant) -> DeviceFault? = { _ in nil }
    /// The fault that answers `drainPulses`; nil when it works.
    var drainFault: DeviceFault?
    var canStartWindows = true
    var hasInterrupt = true
    var sampling = Sampling.wholeWindow
    /// The reading of the step counter inside the chip; nil for a chip without one.
    var stepCount: ((Instant) -> UInt16?)?
    /// The sensor's answer to `askForMotion`.
    var hasMoved: (Instant) -> Bool = { _ in false }
    /// The answer to `readWindow`.
    var window: (Instant) -> SensingEvent = { _ in .window(Self.still) }
    /// The answer to `readSamples`.
    var samples: (Instant) -> SensingEvent = { _ in .samples([Acceleration](repeating: .upright, count: 150)) }
    /// Pulses that will come, sorted.
    var pulses: [BootTime] = []
    var kernelBuffer = 1024
    /// Reports in the folder.
    var reports: [CompanionReport] = []
    var isCrowded = false
    /// The fault that answers `openInbox`; nil when it works.
    var inboxFault: (Instant) -> DeviceFault? = { _ in nil }
    /// The fault that answers `openPositions`; nil when it works.
    var positionsFault: (Instant) -> DeviceFault? = { _ in nil }
    /// The fault that answers everything asked of a gauge; nil when it works.
    var gaugeFault: (Instant) -> DeviceFault? = { _ in nil }
    /// The answer to `readGauge`.
    var reading: (Instant) -> GaugeReading? = { _ in GaugeReading(20) }
    /// What it had stored.
    let store = MemoryStore(rule: Self.anyWear)
    let boot: BootID
    private(set) var asked: [(at: Instant, action: SensingAction)] = []
    private(set) var wakeUps = 0
    /// Commits while reports that were read were not taken yet: the owner deletes their files.
    private(set) var commitsBeforeReports = 0

    /// Most tests wear the device for a few minutes.
    private static var anyWear: DayRule {
        var rule = DayRule()
        rule.leastWear = .zero
        return rule
    }

    init(
        from start: WallTime, rules: SensingRules = SensingRules(), stepSource: Source = .pulses,
        isSynchronised: Bool = true
    ) {
        // A boot of its own, five minutes ago: clocks of two harnesses do not contradict each other.
        boot = BootID(high: .random(in: 1 ... .max), low: 0)
        now = Instant(
            boot: BootTime(nanoseconds: Interval.minutes(5).nanoseconds), wall: start, isSynchronised: isSynchronised)
        session = SensingSession(rules: rules, stepSource: stepSource, boot: boot)
        session.begin(nil, at: now)
    }

    /// A session for other domains in its place.
    mutating func collect(_ domains: [Domain]) {
        session = SensingSession(boot: boot, domains: domains)
        session.begin(nil, at: now)
    }

    mutating func allow(_ domains: Domain...) {
        var toggles = DomainSet()
        for domain in domains { toggles.set(domain, to: true) }
        order(toggles)
    }

    mutating func order(
        _ domains: DomainSet, suspended: DomainSet = [], dropped: DomainSet = [], consentRevision: Int64 = 0
    ) {
        let order = CollectionOrder(
            domains: domains, suspended: suspended, dropped: dropped, consentRevision: consentRevision)
        deliver(.ordered(order))
    }

    mutating func run(for length: Interval) { run(until: now.wall + length) }

    mutating func run(until end: WallTime) {
        while true {
            let agenda = session.agenda(at: now)
            var next = agenda.wakeAt ?? now.boot(at: end)
            var cause = SensingEvent.woke
            if agenda.watchesPulses, let pulse = pulses.first, pulse < next {
                next = pulse
                cause = .waiting(.pulses)
            }
            guard next < now.boot(at: end) else { break }
            now = now + max(.zero, next - now.boot)
            wakeUps += 1
            deliver(cause)
        }
        now = now + (end - now.wall)
    }

    mutating func deliver(_ event: SensingEvent) {
        var events = [event]
        while !events.isEmpty {
            for action in session.handle(events.removeFirst(), at: now) {
                asked.append((now, action))
                if action == .commit, events.contains(where: \.isReports) { commitsBeforeReports += 1 }
                if case .store(let collected) = action { keep(collected) }
                if let answer = answer(action) { events.append(answer) }
            }
        }
    }

    private func keep(_ collected: Collected) {
        do {
            _ = try store.commit(Batch(checkpoint: [], collected: collected))
        } catch {
            preconditionFailure("a store in memory takes everything")
        }
    }

    private mutating func answer(_ action: SensingAction) -> SensingEvent? {
        switch action {
        case .open(.imu):
            sensorFault(now).map { .failed(.imu, $0) }
                ?? .sensorOpened(hasInterrupt: hasInterrupt, sampling: sampling, countsSteps: stepCount != nil)
        case .startWindow: canStartWindows ? .windowStarted : .windowLost(.nak)
        case .readWindow: window(now)
        case .readSamples: samples(now)
        case .countSteps: stepCount?(now).map { .stepsCounted($0) }
        case .abandonWindow(let reason): .windowLost(DeviceFault(.passing, reason: reason))
        case .open(.pulses): lineFault(now).map { .failed(.pulses, $0) } ?? .lineOpened(kernelBuffer: kernelBuffer)
        case .drainPulses: drainFault.map { .failed(.pulses, $0) } ?? .pulses(takePulses())
        case .askForMotion: hasMoved(now) ? .moved : nil
        case .open(.reports): inboxFault(now).map { .failed(.reports, $0) } ?? .opened(.reports)
        case .readReports: .reports(takeReports())
        case .open(.positions): positionsFault(now).map { .failed(.positions, $0) } ?? .opened(.positions)
        case .readPositions: .fixes([])
        case .open(.oximeter): .opened(.oximeter)
        case .light: nil
        case .readLight: .lit(PulseDrain(continues: false, light: .searching))
        case .open(.gauge(let id)): gaugeFault(now).map { .failed(.gauge(id), $0) } ?? .opened(.gauge(id))
        case .measure(let id): gaugeFault(now).map { .failed(.gauge(id), $0) }
        case .readGauge(let id): gaugeFault(now).map { .failed(.gauge(id), $0) } ?? .measured(id, reading(now))
        case .restSensor, .sampleSlowly, .close, .store, .raise, .keep,
            .commit, .lose, .note:
            nil
        }
    }

    private mutating func takeReports() -> ReportBatch {
        defer { reports = [] }
        var batch = ReportBatch(reports: reports)
        batch.isCrowded = isCrowded
        return batch
    }

    /// Takes the pulses in the kernel's buffer.
    mutating func takePulses() -> PulseBatch {
        let waiting = pulses.prefix { $0 <= now.boot }
        pulses.removeFirst(waiting.count)
        let kept = waiting.prefix(kernelBuffer)
        return PulseBatch(pulses: Array(kept), lost: waiting.count - kept.count)
    }
}

extension SensingEvent {
    fileprivate var isReports: Bool { if case .reports = self { true } else { false } }
}

extension SessionHarness {
    func times(of action: SensingAction) -> [Instant] { asked.filter { $0.action == action }.map(\.at) }

    /// Of the devices, the consent and the log.
    var commands: [SensingAction] {
        asked.map(\.action).filter { action in
            switch action {
            case .store, .commit: false
            default: true
            }
        }
    }

    /// The time from a pulse to its commit.
    func wait(of pulse: BootTime) -> Interval {
        guard let drained = asked.firstIndex(where: { $0.action == .drainPulses && $0.at.boot >= pulse }),
            let written = asked[drained...].first(where: { $0.action == .commit })
        else { return .days(1) }
        return written.at.boot - pulse
    }

    /// Without minutes of wear and of activity.
    var closedDays: [ClosedDay] {
        store.days.map { ClosedDay(day: $0.day, figures: $0.figures.filter(Self.isOfRecord)) }
    }

    private static func isOfRecord(_ entry: ClosedDay.Entry) -> Bool {
        entry.figure.isSent || entry.figure == .rawPulses
    }

    /// The figures of the present day so far.
    var today: [ClosedDay.Entry] {
        store.figures(of: UTCDay(containing: now.wall), with: session).filter(Self.isOfRecord)
    }

    var events: [RaisedEvent] {
        asked.compactMap { if case .raise(let event) = $0.action { event } else { nil } }
    }

    var notes: [SensingNote] {
        asked.compactMap { if case .note(let note) = $0.action { note } else { nil } }
    }

    var losses: [DeviceLoss] {
        asked.compactMap { if case .lose(let loss) = $0.action { loss } else { nil } }
    }

    func figure(_ type: Figure) -> Int64? {
        store.figures(of: UTCDay(containing: now.wall), with: session).first { $0.figure == type }?.value.number
    }

    /// Answers `readWindow` with a wearer who walks now and then, at two steps a second, sample for sample. From the
    /// start of a window on, the FIFO fills without a gap.
    mutating func feel(walking: @escaping (WallTime) -> Bool) {
        var sample: Int64 = 0
        window = { now in
            guard walking(now.wall) else { return .window(Self.still) }
            let window = Self.synthetic { index in
                Walker.step(at: Float((sample + Int64(index)) * 40 % 500) / 500)
            }
            sample += Int64(Window.length)
            return .window(window)
        }
    }

    /// Steps at two a second from `start`.
    mutating func walk(from start: Interval, steps: Int) {
        pulses += (0..<Int64(steps)).map { now.boot + start + .milliseconds($0 * 500) }
    }
}

extension Acceleration {
    static let upright = Acceleration(x: 0, y: 0, z: 1)
}

extension DeviceFault {
    static let gone = DeviceFault(.passing, reason: "gone")
    static let nak = DeviceFault(.silent, reason: "nak")
    static let refused = DeviceFault(.lasting(.refused), reason: "refused")
}

// MARK: - Windows

extension SessionHarness {
    /// A sitting wearer: upright, swaying a little.
    static let still = synthetic { index in Acceleration(x: sway(index), y: 0, z: 1) }

    /// The same in another posture.
    static let leaning = synthetic { index in Acceleration(x: 0.6, y: sway(index), z: 0.8) }

    /// Two steps a second with a sharp heel strike at each.
    static let walking = synthetic { index in
        let phase = Float(index % 12) / 12
        return Acceleration(x: 0.1 * (phase - 0.5), y: 0, z: 0.85 + (phase < 0.25 ? 0.6 : 0))
    }

    /// A car: the road shakes it up and down, by 60 mg.
    static let driving = shaking(x: 0, y: 0, z: 0.104)

    /// Neither a gait nor a vehicle nor rest: hands that do something, by 0.3 g in any direction.
    static let fidgeting = shaking(x: 0.52, y: 0.52, z: 0.52)

    /// White noise of up to so many g along each axis.
    static func shaking(x: Float, y: Float, z: Float) -> Window {
        var generator = SplitGenerator(seed: 1, stream: 0)
        func noise(_ limit: Float) -> Float { limit > 0 ? .random(in: -limit...limit, using: &generator) : 0 }
        return synthetic { _ in Acceleration(x: noise(x), y: noise(y), z: 1 + noise(z)) }
    }

    /// Once in and out in the window, by 8 mg.
    private static func sway(_ index: Int) -> Float {
        let progress = Float(index) / Float(Window.length)
        return 0.032 * progress * (1 - progress)
    }

    static func synthetic(_ sample: (Int) -> Acceleration) -> Window {
        // A window of the right length always is one.
        Window((0..<Window.length).map(sample)).unsafelyUnwrapped
    }
}
