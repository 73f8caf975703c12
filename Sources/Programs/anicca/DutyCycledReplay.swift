import Consent
import Daybook
import Motion
import Quantities
import Recordings
import Sensing
import Simulation

/// Lets the session of the device live through a recording in virtual time: simulated registers, the real driver, the
/// duty cycle and the folding into days. There is no step line, so steps are counted in acceleration.
struct DutyCycledReplay {
    /// The recording begins at 00:00 UTC, so that what it comes to lies in as few days as possible.
    private static let firstDay = UTCDay(daysSinceEpoch: 20_101)
    private static let seed: UInt64 = 1

    private let store = MemoryStore()
    private let clock = VirtualClock(bootingAt: firstDay.start)
    private let service: SensingService
    private let run: VirtualRun
    private let end: WallTime
    /// What is added to a time since the start to get a time of the recording.
    private let offset: Interval
    private var summary = ReplaySummary()
    private var lastWindow: BootTime?

    static func run(
        _ file: String, rules: SensingRules, onWindow: (JudgedWindow) -> Void
    ) throws(RecordingError) -> ReplaySummary {
        var replay = DutyCycledReplay(try samples(of: file), rules: rules)
        return replay.live(onWindow)
    }

    private static func samples(of file: String) throws(RecordingError) -> RecordedWearer.Samples {
        let reader = try RecordingReader(path: file)
        var samples: RecordedWearer.Samples = []
        while let sample = try reader.next() { samples.append((sample.time, sample.acceleration)) }
        return samples
    }

    private init(_ samples: RecordedWearer.Samples, rules: SensingRules) {
        let wearer = RecordedWearer([samples], from: clock.now.boot)
        let devices = SimulatedDevices(
            source: wearer, pulses: [], clock: clock, hasPulseLine: false, seed: Self.seed)
        service = SensingService(rules: rules, devices: devices, store: store, note: { _ in }, ring: {})
        run = VirtualRun(service: service, devices: devices, seed: Self.seed)
        end = clock.now.wall(at: wearer.end)
        offset = samples.first?.time ?? .zero
        summary.samples = samples.count
    }

    private mutating func live(_ onWindow: (JudgedWindow) -> Void) -> ReplaySummary {
        service.allow(CollectionOrder(domains: [Toggles(.motion), Toggles(.steps)]), at: clock.now)
        while clock.now.wall < end {
            // No two windows end within so short a time.
            run.run(until: min(clock.now.wall + .seconds(4), end))
            noteWindow(onWindow)
        }
        service.stop(at: clock.now)
        summary.steps = Int(total(of: .steps))
        summary.session = ReplaySummary.Session(
            sedentaryMinutes: total(of: .sedentaryMinutes), wakeUps: run.costs.reduce(0) { $0 + $1.wakeUps },
            imuOnFraction: imuOnFraction)
        return summary
    }

    /// Hands out the window that was judged since the last call, if there is one. It stands for the time since the one
    /// before it.
    private mutating func noteWindow(_ onWindow: (JudgedWindow) -> Void) {
        let session = service.session
        guard let ended = session.lastWindow, ended != lastWindow else { return }
        let start = ended - Window.duration
        let window = JudgedWindow(
            start: start - BootTime(nanoseconds: 0) + offset, judgement: session.verdict, isWorn: session.isWorn)
        summary.add(window, standingFor: ended - (lastWindow ?? start))
        lastWindow = ended
        onWindow(window)
    }

    private func total(of type: SampleType) -> Int64 {
        (store.days + [service.session.today(at: clock.now)]).flatMap(\.figures)
            .filter { $0.type == type }.reduce(0) { $0 + $1.value }
    }

    private var imuOnFraction: Double {
        let uses = run.costs.flatMap { [$0.attentive, $0.relaxed] }
        let time = uses.reduce(Interval.zero) { $0 + $1.time }
        let on = uses.reduce(Interval.zero) { $0 + $1.on }
        guard time > .zero else { return 0 }
        return (Double(on.nanoseconds) / Double(time.nanoseconds) * 10_000).rounded() / 10_000
    }
}
