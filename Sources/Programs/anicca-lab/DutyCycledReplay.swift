import Domains
import Core
import Recordings
import Sensing
import Signal
import Simulation

/// Runs the device's session over a recording in virtual time: simulated registers, the real driver, the duty cycle and
/// the folding into days. There is no step line, so steps are counted in acceleration. The recording is read only up to
/// the session's time.
struct DutyCycledReplay {
    /// The recording begins at 00:00 UTC, so that it covers as few days as possible.
    private static let firstDay = UTCDay(daysSinceEpoch: 20_101)
    private static let seed: UInt64 = 1
    /// The shortest time between the ends of two windows.
    private static let stride = Interval.seconds(4)

    private let store = MemoryStore()
    private let clock = VirtualClock(bootingAt: firstDay.start)
    private let service: SensingService
    private let run: ServiceRun
    private let wearer: StreamedWearer
    private let parts: RecordedParts
    private var summary = ReplaySummary()
    private var lastWindow: BootTime?
    /// The end of the latest sleep.
    private var lastSleep: BootTime?
    /// The number of the part of the recording in which the latest window began.
    private var lastPart = 0

    /// - Throws: the fault of the file; `onWindow` was called for windows before it.
    static func run(
        _ file: String, _ columns: RecordingColumns? = nil, rules: SensingRules, onWindow: (JudgedWindow) -> Void
    ) throws(RecordingError) -> ReplaySummary {
        let recording = SharedRecording(try RecordingReader(path: file, columns: columns, toleratesCut: true))
        var days = DutyCycledReplay(rules: rules, domains: [.motion, .steps]) { recording.take(for: .days) }
        var nights = ReplayedNights(recording, rules: rules)
        while days.goOn(onWindow) { nights.follow() }
        if let fault = recording.fault { throw fault }
        var summary = days.finish()
        summary.sleeps += nights.finish()
        summary.samples = recording.samples
        summary.gaps = ReplaySummary.Gaps(count: recording.gaps.count, time: recording.gaps.time)
        summary.isCutOff = recording.isCutOff
        return summary
    }

    /// - Parameter next: The next samples of the recording; none at the end.
    init(rules: SensingRules, domains: DomainSet, next: @escaping () -> [SharedRecording.Sample]) {
        let parts = RecordedParts(from: clock.now.boot)
        self.parts = parts
        wearer = StreamedWearer { parts.add(next()) }
        let devices = SimulatedDevices(
            source: wearer, pulses: [], clock: clock, hasPulseLine: false, seed: Self.seed)
        service = SensingService(rules: rules, devices: devices, store: store, note: { _ in }, signal: {})
        run = ServiceRun(service: service, devices: devices, seed: Self.seed)
        service.allow(CollectionOrder(domains: domains), at: clock.now)
    }

    /// Whether the samples read are enough to continue.
    var isBehind: Bool { wearer.latest.map { $0 >= clock.now.boot + Self.stride } ?? false }

    /// Runs some seconds; false at the end of the recording.
    mutating func goOn(_ onWindow: (JudgedWindow) -> Void = { _ in }) -> Bool {
        let now = clock.now
        let halt = now.boot + Self.stride
        guard let latest = wearer.read(until: halt), latest > now.boot else { return false }
        run.run(until: now.wall(at: min(halt, latest)))
        noteWindow(onWindow)
        note(service.session.sleeps)
        return true
    }

    /// The results. Call it once, at the end.
    mutating func finish() -> ReplaySummary {
        note(service.finishSleeps(at: clock.now))
        service.stop(at: clock.now)
        summary.steps = Int(total(of: .steps))
        summary.session = ReplaySummary.Session(
            sedentaryMinutes: total(of: .sedentaryMinutes), wakeUps: run.costs.reduce(0) { $0 + $1.wakeUps },
            imuOnFraction: imuOnFraction)
        return summary
    }

    /// Reports the window judged since the last call, if any. It stands for the time since the previous window.
    private mutating func noteWindow(_ onWindow: (JudgedWindow) -> Void) {
        let session = service.session
        guard let ended = session.lastWindow, ended != lastWindow else { return }
        let start = ended - Window.duration
        let part = parts.part(at: start)
        let window = JudgedWindow(
            start: part.recorded(start), judgement: session.verdict, isWorn: session.isWorn,
            followsGap: part.number != lastPart)
        summary.add(window, standingFor: ended - (lastWindow ?? start))
        lastWindow = ended
        lastPart = part.number
        onWindow(window)
    }

    /// Adds new sleeps.
    private mutating func note(_ sleeps: [Sleep]) {
        for sleep in sleeps where sleep.end > lastSleep ?? clock.now.boot - .days(36_525) {
            lastSleep = sleep.end
            summary.sleeps.append(
                RecordedSleep(start: recorded(sleep.start), end: recorded(sleep.end), asleep: sleep.length))
        }
    }

    private func recorded(_ time: BootTime) -> Interval { parts.part(at: time).recorded(time) }

    private func total(of type: Figure) -> Int64 {
        store.total(of: type, with: service.session) ?? 0
    }

    private var imuOnFraction: Double {
        let uses = run.costs.flatMap { [$0.attentive, $0.relaxed] }
        let time = uses.reduce(Interval.zero) { $0 + $1.time }
        let on = uses.reduce(Interval.zero) { $0 + $1.on }
        guard time > .zero else { return 0 }
        return (Double(on.nanoseconds) / Double(time.nanoseconds) * 10_000).rounded() / 10_000
    }
}
