import Core

/// A walk or run of some length, with its pauses.
struct Workout: Equatable, Sendable {
    enum Kind: Int64, CaseIterable, Sendable {
        case walking, running
    }

    /// The record of a day has the longest ones.
    private static let mostOfADay = 8
    /// A longer one is cut.
    static let longest = Interval.hours(18)

    let kind: Kind
    let start, end: BootTime
    let steps: Int
    /// In metres; nil if unknown.
    let distance: Int?
}

extension Workout {
    static let table = FigureTable([
        .init("kind", .word(Kind.allCases.map { "\($0)" })), .init("start", .time), .init("minutes"), .init("steps"),
        .init("distanceM", .optionalNumber),
    ]) { amounts in
        let rows = amounts.map { amount, began in row(DatedAmount(stored: amount), began) }.filter { !$0.isEmpty }
        let shortest = rows.map { $0[2] }.sorted(by: >).prefix(mostOfADay).last ?? 0
        return rows.filter { $0[2] >= shortest }.prefix(mostOfADay).flatMap(\.self)
    }

    /// At its end. From the highest bit on: one for the kind, 17 for the distance in metres plus one (zero for none), 17
    /// for the steps, and 17 for the seconds from start to end.
    var amount: Amounts {
        let seconds = min((end - start).inSeconds, Self.longest.inSeconds)
        let metres = Int64(min(distance.map { $0 + 1 } ?? 0, Self.most))
        return .dated(
            (kind.rawValue << 17 | metres) << 34 | Int64(min(steps, Self.most)) << 17 | seconds, at: end)
    }

    private static let most = 1 << 17 - 1

    /// Nothing without a date.
    private static func row(_ dated: DatedAmount, _ began: WallTime?) -> [Int64] {
        guard let began else { return [] }
        func part(_ shift: Int64) -> Int64 { dated.amount >> shift & Int64(most) }
        let start = began.secondsSinceEpoch + dated.seconds - part(0)
        return [dated.amount >> 51 & 1, start, (part(0) + 30) / 60, part(17), part(34) - 1]
    }
}

/// Finds workouts in spells of walking and running.
struct WorkoutDetector: Sendable {
    /// A wearer who is busy in a room walks, too, but less than this share of the time, or slower than this.
    private static let leastShare = (moving: Int64(2), of: Int64(3))
    private static let leastCadence: Int64 = 60

    private let settings: WalksSettings
    private var bout: Bout?

    private struct Bout: Equatable, Sendable {
        let start: BootTime
        /// The end of the latest spell.
        var latest: BootTime
        var moving = Interval.zero
        var running = Interval.zero
        var steps = 0
        var metres: Float = 0
    }

    init(_ settings: WalksSettings) { self.settings = settings }

    /// Takes a spell of walking or running, in order of time. Returns the workout that had ended before it.
    mutating func move(from start: BootTime, to end: BootTime, isRunning: Bool) -> Workout? {
        guard start < end else { return nil }
        let ended = rest(until: start)
        var bout = bout ?? Bout(start: start, latest: start)
        bout.latest = end
        bout.moving = bout.moving + (end - start)
        if isRunning { bout.running = bout.running + (end - start) }
        self.bout = bout
        return end - bout.start >= Workout.longest ? ended ?? finish() : ended
    }

    /// Adds steps and metres to the present bout.
    mutating func add(steps: Int, metres: Float) {
        bout?.steps += steps
        bout?.metres += metres
    }

    /// The wearer has not moved since the latest spell.
    mutating func rest(until now: BootTime) -> Workout? {
        guard let bout, now - bout.latest >= settings.longestPause else { return nil }
        return finish()
    }

    /// Nothing that follows belongs to the present bout. Returns it, if it was a workout.
    mutating func finish() -> Workout? {
        defer { bout = nil }
        return present
    }

    /// Whether there is a bout.
    var isMoving: Bool { bout != nil }

    /// The present bout, if it is a workout already.
    var present: Workout? {
        guard let bout else { return nil }
        let length = bout.latest - bout.start
        guard bout.moving >= settings.leastWorkout,
            bout.moving.inSeconds * Self.leastShare.of >= length.inSeconds * Self.leastShare.moving,
            Int64(bout.steps) * 60 >= bout.moving.inSeconds * Self.leastCadence
        else { return nil }
        return Workout(
            kind: bout.running * 2 > bout.moving ? .running : .walking, start: bout.start, end: bout.latest,
            steps: bout.steps, distance: bout.metres > 0 ? Int(bout.metres.rounded()) : nil)
    }

    func pack(into packer: inout Packer) {
        packer.put(bout != nil)
        guard let bout else { return }
        packer.put(bout.start)
        packer.put(bout.latest)
        packer.put(bout.moving.nanoseconds)
        packer.put(bout.running.nanoseconds)
        packer.put(Int64(bout.steps))
        packer.put(bout.metres)
    }

    mutating func unpack(from unpacker: inout Unpacker, _ times: RestoredTimes) throws(Unpacker.Malformed) {
        bout = nil
        guard try unpacker.takeBool() else { return }
        let start = try unpacker.takeTime(times)
        var bout = Bout(start: start, latest: try unpacker.takeTime(times))
        bout.moving = Interval(nanoseconds: try unpacker.takeAmount())
        bout.running = Interval(nanoseconds: try unpacker.takeAmount())
        bout.steps = Int(clamping: try unpacker.takeAmount())
        bout.metres = try unpacker.takeFloat()
        // In the future: the clock that relates the boots was wrong.
        if !times.isBroken, bout.latest <= times.now, bout.start <= bout.latest { self.bout = bout }
    }
}
