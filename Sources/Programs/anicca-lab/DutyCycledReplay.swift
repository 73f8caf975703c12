import Consent
import Domains
import Quantities
import Recordings
import Sensing
import Signal
import Simulation

/// Lets the session of the device live through a recording in virtual time: simulated registers, the real driver, the
/// duty cycle and the folding into days. There is no step line, so steps are counted in acceleration.
struct DutyCycledReplay {
    /// The recording begins at 00:00 UTC, so that it covers as few days as possible.
    private static let firstDay = UTCDay(daysSinceEpoch: 20_101)
    private static let seed: UInt64 = 1

    private let store = MemoryStore()
    private let clock = VirtualClock(bootingAt: firstDay.start)
    private let service: SensingService
    private let run: ServiceRun
    private let end: WallTime
    private let domains: DomainSet
    /// The begin of each part of the recording: in virtual time, and on the recording's own clock.
    private let starts: [(lived: BootTime, recorded: Interval)]
    private var summary = ReplaySummary()
    private var lastWindow: BootTime?
    /// The end of the latest sleep.
    private var lastSleep: BootTime?
    /// The part of the recording in which it began.
    private var lastPart = 0

    static func run(
        _ file: String, _ columns: RecordingColumns? = nil, rules: SensingRules, onWindow: (JudgedWindow) -> Void
    ) throws(RecordingError) -> ReplaySummary {
        let reader = try RecordingReader(path: file, columns: columns, toleratesCut: true)
        let parts = try parts(of: reader)
        var replay = DutyCycledReplay(parts, rules: rules, domains: [.motion, .steps])
        var summary = replay.live(onWindow)
        summary.isCutOff = reader.isCutOff
        // A wearer who has sleep measured is sampled otherwise, and steps without a step sensor would be fewer.
        guard parts.reduce(.zero, { $0 + $1.length }) >= SleepRule.stillFor else { return summary }
        for parts in parts.split(by: SleepRule.nightJoinedOver) {
            var night = DutyCycledReplay(parts, rules: rules, domains: [.motion, .sleep])
            summary.sleeps += night.live { _ in }.sleeps
        }
        return summary
    }

    /// The recording without its gaps: a sensor that lay still in one would be lived through as a wearer at rest.
    private static func parts(of reader: RecordingReader) throws(RecordingError) -> [RecordedWearer.Samples] {
        var parts: [RecordedWearer.Samples] = []
        var last: Interval?
        while let sample = try reader.next() {
            if last.map({ sample.time - $0 > Window.duration }) ?? true { parts.append([]) }
            parts[parts.count - 1].append((sample.time, sample.acceleration))
            last = sample.time
        }
        return parts
    }

    private init(_ parts: [RecordedWearer.Samples], rules: SensingRules, domains: DomainSet) {
        self.domains = domains
        let wearer = RecordedWearer(parts, from: clock.now.boot)
        let devices = SimulatedDevices(
            source: wearer, pulses: [], clock: clock, hasPulseLine: false, seed: Self.seed)
        service = SensingService(rules: rules, devices: devices, store: store, note: { _ in }, signal: {})
        run = ServiceRun(service: service, devices: devices, seed: Self.seed)
        end = clock.now.wall(at: wearer.end)
        starts = zip(wearer.starts, parts).map { ($0, $1[0].time) }
        summary.samples = parts.map(\.count).reduce(0, +)
        for (part, next) in zip(parts, parts.dropFirst()) {
            summary.gaps.add(next[0].time - part[part.count - 1].time)
        }
    }

    private mutating func live(_ onWindow: (JudgedWindow) -> Void) -> ReplaySummary {
        service.allow(CollectionOrder(domains: domains), at: clock.now)
        while clock.now.wall < end {
            // No two windows end within so short a time.
            run.run(until: min(clock.now.wall + .seconds(4), end))
            noteWindow(onWindow)
            note(service.session.sleeps)
        }
        note(service.finishSleeps(at: clock.now))
        service.stop(at: clock.now)
        summary.steps = Int(total(of: .steps))
        summary.session = ReplaySummary.Session(
            sedentaryMinutes: total(of: .sedentaryMinutes), wakeUps: run.costs.reduce(0) { $0 + $1.wakeUps },
            imuOnFraction: imuOnFraction)
        return summary
    }

    /// Reports the window that was judged since the last call, if any. It stands for the time since the one before it.
    private mutating func noteWindow(_ onWindow: (JudgedWindow) -> Void) {
        let session = service.session
        guard let ended = session.lastWindow, ended != lastWindow else { return }
        let start = ended - Window.duration
        let part = starts.lastIndex { $0.lived <= start } ?? 0
        let window = JudgedWindow(
            start: starts[part].recorded + (start - starts[part].lived), judgement: session.verdict,
            isWorn: session.isWorn, followsGap: part != lastPart)
        summary.add(window, standingFor: ended - (lastWindow ?? start))
        lastWindow = ended
        lastPart = part
        onWindow(window)
    }

    /// Adds the sleeps that were not there before.
    private mutating func note(_ sleeps: [Sleep]) {
        for sleep in sleeps where sleep.end > lastSleep ?? clock.now.boot - .days(36_525) {
            lastSleep = sleep.end
            summary.sleeps.append(
                RecordedSleep(start: recorded(sleep.start), end: recorded(sleep.end), asleep: sleep.length))
        }
    }

    private func recorded(_ time: BootTime) -> Interval {
        let part = starts.last { $0.lived <= time } ?? starts[0]
        return part.recorded + (time - part.lived)
    }

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

extension [RecordedWearer.Samples] {
    /// Groups of parts with less than so long between them.
    fileprivate func split(by longest: Interval) -> [[RecordedWearer.Samples]] {
        var groups: [[RecordedWearer.Samples]] = []
        for part in self {
            if let last = groups.last?.last?.last, let first = part.first, first.time - last.time < longest {
                groups[groups.count - 1].append(part)
            } else {
                groups.append([part])
            }
        }
        return groups
    }
}

extension RecordedWearer.Samples {
    /// From the first sample to the last.
    fileprivate var length: Interval {
        guard let first, let last else { return .zero }
        return last.time - first.time
    }
}
