import Core
import Signal

/// Measures walks: the cadence of each minute, distance and energy of the steps that were credited, and workouts.
///
/// It asks for no window of its own. Steps are told before the window that credits them, so that its cadence is that of
/// the steps.
struct WalksCollector: Collector {
    /// The cadence of steps whose own is unknown: an ordinary one (Tudor-Locke et al., IJBNPA 2019).
    private static let usualCadence: Float = 100
    /// A cadence is that of steps and of a speed for as long as the longest time between two windows of a walk.
    private static let cadenceLasts = Interval.seconds(90)

    private var profile = WearerProfile()
    private var year: Int?
    private var asksForYearAt: BootTime?
    private var workouts: WorkoutDetector
    /// Whether the present bout is held as a workout, so that it counts if the power fails.
    private var holdsWorkout = false
    private var calibration = StepLengthCalibration()
    /// Cadences of the present minute of walking.
    private var minute: (began: BootTime, sum: Float, count: Float)?
    private var latest: (cadence: Float, at: BootTime)?
    /// Steps since the latest window.
    private var steps = 0
    /// Parts of a metre and of a kilocalorie that are not counted yet.
    private var metres: Float = 0
    private var energy: Float = 0

    init(_ settings: DomainValues) { workouts = WorkoutDetector(settings[WalksSettings.self]) }

    mutating func handle(_ input: CollectorInput, at now: BootTime) -> [CollectorEffect] {
        switch input {
        case .row(let row):
            guard let profile = row as? WearerProfile else { return [] }
            self.profile = profile
            asksForYearAt = profile.born != nil && year == nil ? now : nil
        case .woke(let clock):
            year = clock.map { Int(CivilDate($0.time(at: now).day).year) }
            asksForYearAt = year == nil ? now + .hours(1) : nil
        case .opened: return observed
        case .walked(let steps, _): self.steps += steps
        case .travelled(let speed): calibrate(speed, at: now)
        case .window(let window): return observed + take(window, at: now)
        case .interrupted, .finished: return settle(at: now) + end() + endMinute()
        // A workout belongs to the day on which it ends.
        case .concluding(let end, _): return holdsWorkout ? [.discard(.workouts, before: end)] : []
        case .dropped(let domain): if domain == .location { calibration = StepLengthCalibration() }
        default: break
        }
        return []
    }

    func agenda(at now: BootTime) -> BootTime? { asksForYearAt }

    private var observed: [CollectorEffect] {
        var figures: [Figure] = [.walkingCadence, .workouts]
        if profile.height != nil { figures.append(.distance) }
        if profile.weight != nil { figures.append(.activeEnergy) }
        return figures.map { .observe($0) }
    }

    private mutating func take(_ window: JudgedWindow, at now: BootTime) -> [CollectorEffect] {
        var effects: [CollectorEffect] = window.beforePause == nil ? [] : end() + endMinute()
        effects += spend(window.before.activity, window.start, window.change, window.wearBefore)
        effects += spend(window.after.activity, window.change, now, window.wear)
        let gait = window.wear.isFurniture ? .unknown : window.after.activity
        if gait == .walking || gait == .running, let cadence = window.window.cadence {
            latest = (cadence, now)
            if gait == .walking { effects += add(cadence, at: now) }
        } else if gait != .walking {
            effects += endMinute()
        }
        return effects + settle(run: gait == .running ? window.window : nil, at: now) + hold()
    }

    private mutating func spend(
        _ activity: Activity, _ start: BootTime, _ end: BootTime, _ wear: Wear
    ) -> [CollectorEffect] {
        guard start < end else { return [] }
        guard !wear.isFurniture else { return self.end() }
        switch activity {
        case .walking, .running:
            return ended(workouts.move(from: start, to: end, isRunning: activity == .running))
        case .stationary, .unknown: return ended(workouts.rest(until: end))
        case .automotive: return self.end()
        }
    }

    private mutating func end() -> [CollectorEffect] { ended(workouts.finish()) }

    private mutating func ended(_ workout: Workout?) -> [CollectorEffect] {
        if let workout {
            holdsWorkout = false
            return [.discard(.workouts), .add(workout.amount, to: .workouts), .storeSoon]
        }
        guard holdsWorkout, workouts.present == nil else { return [] }
        holdsWorkout = false
        return [.discard(.workouts)]
    }

    private mutating func hold() -> [CollectorEffect] {
        guard let workout = workouts.present else { return [] }
        holdsWorkout = true
        return [.discard(.workouts), .hold(workout.amount, of: .workouts)]
    }

    // MARK: Cadence

    private mutating func add(_ cadence: Float, at now: BootTime) -> [CollectorEffect] {
        var effects: [CollectorEffect] = []
        if let minute, now - minute.began >= .minutes(1) { effects = endMinute() }
        let before = minute ?? (now, 0, 0)
        minute = (before.began, before.sum + cadence, before.count + 1)
        return effects
    }

    private mutating func endMinute() -> [CollectorEffect] {
        guard let minute else { return [] }
        self.minute = nil
        let cadence = Int64((minute.sum / minute.count).rounded())
        return [.add(.one(cadence, at: minute.began), to: .walkingCadence)]
    }

    private func cadence(at now: BootTime) -> Float? {
        latest.flatMap { now - $0.at <= Self.cadenceLasts ? $0.cadence : nil }
    }

    private mutating func calibrate(_ speed: Float, at now: BootTime) {
        guard minute != nil, let cadence = cadence(at: now), let height = profile.walkingHeight else { return }
        calibration.add(speed: speed, cadence: cadence, height: height)
    }

    // MARK: Distance and energy

    /// Adds the distance and the energy of the steps since the latest window. `run` is that window if it shows running.
    private mutating func settle(run: Window? = nil, at now: BootTime) -> [CollectorEffect] {
        guard steps > 0 else { return [] }
        defer { steps = 0 }
        let cadence = cadence(at: now) ?? Self.usualCadence
        var effects: [CollectorEffect] = []
        var distance: Float = 0
        if let height = profile.walkingHeight {
            distance = Float(steps) * calibration.factor * StepLength.metres(height: height, cadence: cadence)
            effects += Self.count(&metres, distance, .distance, at: now)
        }
        if let weight = profile.weight, let rest = profile.restingEnergy(in: year) {
            let intensity = run.map { GaitEnergy.running(enmo: $0.enmo) } ?? GaitEnergy.walking(cadence: cadence)
            let perMinute = max(intensity * Float(weight) / 60 - rest, 0)
            effects += Self.count(&energy, perMinute * Float(steps) / cadence, .activeEnergy, at: now)
        }
        workouts.add(steps: steps, metres: distance)
        return effects
    }

    /// Counts the whole part, and keeps the rest for later.
    private static func count(
        _ held: inout Float, _ more: Float, _ figure: Figure, at now: BootTime
    ) -> [CollectorEffect] {
        held += more
        let whole = held.rounded(.down)
        held -= whole
        return whole < 1 ? [] : [.add(.one(Int64(whole), at: now), to: figure)]
    }

    // MARK: State

    func pack(into packer: inout Packer) {
        workouts.pack(into: &packer)
        calibration.pack(into: &packer)
        packer.put(holdsWorkout)
        packer.put(metres)
        packer.put(energy)
    }

    mutating func unpack(
        from unpacker: inout Unpacker, version: UInt8, times: RestoredTimes
    ) throws(Unpacker.Malformed) {
        try workouts.unpack(from: &unpacker, times)
        calibration = try StepLengthCalibration(from: &unpacker)
        // What a bout of an earlier boot held counts.
        holdsWorkout = try unpacker.takeBool() && workouts.isMoving
        metres = try unpacker.takeFloat()
        energy = try unpacker.takeFloat()
    }
}
