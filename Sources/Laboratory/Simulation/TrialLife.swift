import Delivery
import Domains
import System
import Glibc
import Store
import Core

/// A life with wrong clocks.
final class TrialLife {
    /// An event of the device, its clock or its processes.
    enum Event: CaseIterable {
        case kill, stop, handOver, powerCut, suspend, upload, toggle, vouch
        case synchronise, loseSynchronisation, correct, setWildly, lie, repent
    }

    let machine: TrialMachine
    let model: TrialModel
    let devices: TrialDevices
    let sink: TrialSink
    /// For events, and for wake-up delays.
    var chance, lateness: TrialChance
    /// Nil while none runs.
    var process: TrialProcess?
    var tally = ClockTrial.Tally()
    /// The next time of each event, in true time.
    var coming: [Event: WallTime] = [:]
    /// The latest trusted time at which the uploader dropped old data.
    var dropped: WallTime?
    /// Whether the wearer turns toggles in this life, and whether a trusted clock is wrong.
    let togglesTurn, clockLies: Bool
    private let tell: ((String) -> Void)?
    private let start: WallTime
    private let end: WallTime
    private let directory: String
    private let seed: UInt64

    init(seed: UInt64, days: Int, tell: ((String) -> Void)?) throws {
        self.seed = seed
        self.tell = tell
        chance = TrialChance(seed: seed, stream: 1)
        lateness = TrialChance(seed: seed, stream: 2)
        // A leap day, the end of a year, a month without either.
        let first = [20_101, 21_174, 21_231, 20_454, 20_250][Int(chance.number(0...4))] + chance.number(0...9)
        start = UTCDay(daysSinceEpoch: Int32(first)).start + chance.interval(.zero, .days(1))
        end = start + .days(Int64(days))
        togglesTurn = chance.isTrue(percent: 40)
        clockLies = chance.isTrue(percent: 15)
        machine = TrialMachine(at: start)
        model = TrialModel(machine, TrialPhone(from: start, to: end, seed: seed), clockLies: clockLies)
        devices = TrialDevices(machine, model, pulses: Self.walks(from: start, to: end, seed: seed))
        sink = TrialSink(model, seed: seed)
        directory = try Self.makeDirectory()
        tally.days = days
        tally.lyingClocks = clockLies ? 1 : 0
    }

    deinit {
        process = nil
        for suffix in ["", "-wal", "-shm", ".state"] { unlink("\(storePath)\(suffix)") }
        rmdir(directory)
        // The store's anchor, beside its directory.
        for name in readableFileNames(in: "\(directory)-anchor") { unlink("\(directory)-anchor/\(name)") }
        rmdir("\(directory)-anchor")
    }

    private var storePath: String { "\(directory)/store.sqlite" }

    private static func makeDirectory() throws -> String {
        let parent = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(parent)/anicca-trial-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw ClockTrial.Failure(day: UTCDay(daysSinceEpoch: 0), what: "no directory in \(parent)")
        }
        return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Walks of 40 to 900 steps at two a second, a few a day, some of them across midnight.
    private static func walks(from start: WallTime, to end: WallTime, seed: UInt64) -> [WallTime] {
        var chance = TrialChance(seed: seed, stream: 4)
        var pulses: [WallTime] = []
        var time = start + chance.interval(.zero, .hours(3))
        while time < end {
            let steps = chance.number(40...900)
            let midnight = UTCDay(containing: time).end
            // Some lead across midnight.
            if midnight - time < .hours(3), chance.isTrue(percent: 60) {
                time = max(
                    time, midnight - .milliseconds(steps * 500) + chance.interval(.zero, .milliseconds(steps * 500)))
            }
            for step in 0..<steps { pulses.append(time + .milliseconds(step * 500)) }
            time = time + .milliseconds(steps * 500) + chance.interval(.minutes(1), .hours(9))
        }
        return pulses
    }

    /// Reports an event, if there is a listener.
    func say(_ text: @autoclosure () -> String) {
        guard let tell else { return }
        tell("\(machine.time) \(text())")
    }

    // MARK: The life

    /// Runs the life to its end, or to the first failure.
    func run() throws -> ClockTrial.Outcome {
        boot(after: .zero)
        try startProcess { try $0.agree() }
        schedule(.kill, every: 120)
        schedule(.stop, every: 30)
        schedule(.handOver, every: 30)
        schedule(.powerCut, every: 50)
        schedule(.suspend, every: 40)
        schedule(.upload, every: 400)
        schedule(.setWildly, every: 30)
        schedule(.loseSynchronisation, every: 30)
        if togglesTurn { schedule(.toggle, every: 40) }
        if clockLies { schedule(.lie, every: 15) }
        while model.failure == nil {
            guard let (event, time) = coming.min(by: { ($0.value, "\($0.key)") < ($1.value, "\($1.key)") }), time < end
            else { break }
            coming[event] = nil
            live(until: time)
            say("\(event)")
            try happen(event)
        }
        try conclude()
        tally.boots = machine.boots
        tally.records = model.handed.count
        tally.steps = model.writtenSteps.count
        tally.minutes = Int(model.writtenSittings.reduce(Interval.zero) { $0 + ($1.to - $1.from) }.inMinutes)
        tally.pulsesLost = model.pulsesLost
        tally.reports = model.writtenReports.count
        return ClockTrial.Outcome(tally: tally, failure: model.failure)
    }

    /// Continues, with or without a process.
    func live(until time: WallTime) {
        guard let process else { return machine.advance(to: time) }
        process.live(until: time) { lateness.interval(.zero, .milliseconds(250)) }
    }

    /// Schedules the event after a random time.
    func schedule(_ event: Event, every perHundredDays: Int64) {
        coming[event] = machine.time + chance.wait(perHundredDays: perHundredDays)
    }

    /// Schedules the event after this time.
    func schedule(_ event: Event, in wait: Interval) { coming[event] = machine.time + wait }

    /// Starts a process with the stored data.
    func startProcess(_ prepare: (TrialProcess) throws -> Void = { _ in }) throws {
        let process = try TrialProcess(path: storePath, devices, machine, model)
        self.process = process
        try prepare(process)
        try process.begin()
    }

    /// The process ends, and its unwritten data is lost.
    func die(withPower: Bool) {
        devices.die(withPower: withPower)
        process = nil
        if !withPower { unlink(TrialProcess.runningState(of: storePath)) }
    }

    // MARK: Delivery

    /// A run of the uploader, if the time is known.
    func upload() throws {
        guard let process else { return }
        let known = try process.ledger.clock(of: machine.boot)
        guard let clock = TrustedClock.judge(machine.now, TimeRule(), known: known) else { return }
        let now = clock.time(at: machine.now.boot)
        let uploader = Uploader(
            process.ledger, rule: DeliveryRule(), forbidden: [], deviceHash: seed &* 0x9E37_79B9_7F4A_7C15,
            clock: RunClock(at: now.wall, limit: .seconds(60)), journal: Journal(identifier: "trial") { _ in })
        let kind = SinkKind(id: 1, name: "trial") { _ in .unused }
        let summary = try uploader.run([OpenedSink(kind: kind, state: .ready(sink))])
        dropped = max(dropped ?? now.wall, now.wall)
        say("upload at \(now.wall): \(summary.end), \(summary.deliveredDays) days, \(summary.dropped) dropped")
    }

    // MARK: The end

    /// At the end the clock is right, and the receiver answers.
    private func conclude() throws {
        guard model.failure == nil else { return }
        live(until: end)
        if process == nil { try startProcess() }
        machine.set(machine.time, isSynchronised: true)
        sink.isReliable = true
        live(until: UTCDay(containing: machine.time).end + .hours(4))
        for _ in 0..<3 where model.failure == nil {
            try upload()
            live(until: machine.time + .minutes(70))
        }
        guard model.failure == nil, let process else { return }
        process.stop()
        let last = UTCDay(containing: machine.time) + -1
        model.conclude(UTCDay(containing: start)...last) { day in
            dropped.map { $0 - day.end > .days(7) } ?? false
        }
        try account(process)
    }

    /// All written data is accounted for exactly once.
    private func account(_ process: TrialProcess) throws {
        let counts = try process.ledger.undatedCounts()
        tally.undatedQuarters = counts.undated + counts.waiting
        tally.lateQuarters = counts.late
        if !clockLies, counts.late > 0, !model.hadLateReports { model.fail(nil, "\(counts.late) quarters came late") }
        guard !togglesTurn else { return }
        var steps: Int64 = 0
        var sitting: Int64 = 0
        func add(_ quarters: [Quarter]) {
            for amount in quarters.flatMap(\.amounts) {
                if amount.figure == Figure.steps.id { steps += amount.value }
                if amount.figure == Figure.sedentaryMinutes.id { sitting += amount.value }
            }
        }
        let quarters = try process.ledger.datedQuarters()
        tally.datedQuarters = quarters.count { $0.day != nil }
        add(quarters.map(\.quarter))
        add(process.service.session.quarters)
        if steps != Int64(model.writtenSteps.count) {
            model.fail(nil, "\(model.writtenSteps.count) steps were written, and \(steps) are stored")
        }
        let sat = model.writtenSittings.reduce(Interval.zero) { $0 + ($1.to - $1.from) }
        if (Interval(nanoseconds: sitting) - sat).nanoseconds.magnitude > model.largestDoubt.nanoseconds.magnitude {
            model.fail(
                nil,
                "\(sat.inSeconds) s of sitting were written, and \(Interval(nanoseconds: sitting).inSeconds) are stored"
            )
        }
    }
}
