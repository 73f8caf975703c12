import Glibc
import Core
import SimulatedBus

/// The acceleration at the wrist of the wearer of a `NightPlan`, from noon to noon: an afternoon and an evening, the
/// night in bed, and the morning.
///
/// The wrist stirs: it shakes for seconds, and changes its posture. In bed it stirs as the plan says, and a large stir
/// is a turn. An awake wearer stirs every few seconds, but may sit still for up to half an hour before bed. Between
/// stirs there is breath, of 2 mg. Reading in order of time is fast.
public final class SimulatedNight: AccelerationSource {
    private let stirs: [Stir]
    private let walks: [Range<Double>]
    private let first: Posture
    private let breath: Double
    private let noon: BootTime
    private var index = 0

    /// - Parameter noon: the start of the day.
    public init(_ plan: NightPlan, noon: BootTime) {
        var script = NightScript(plan)
        script.live()
        first = script.first
        stirs = script.stirs
        walks = script.walks
        breath = script.breath
        self.noon = noon
    }

    public func acceleration(at time: BootTime) -> Acceleration {
        let seconds = Double((time - noon).nanoseconds) * 1e-9
        while index > 0, stirs[index].start > seconds { index -= 1 }
        while index + 1 < stirs.count, stirs[index + 1].start <= seconds { index += 1 }
        guard !stirs.isEmpty, stirs[index].start <= seconds else { return felt(first, at: seconds) }
        let stir = stirs[index]
        guard seconds < stir.end else { return felt(stir.to, at: seconds) }
        let progress = Float((seconds - stir.start) / stir.length)
        let weight = progress * progress * (3 - 2 * progress)
        let between = stir.from.up + (stir.to.up - stir.from.up) * weight
        let up = between.magnitude > 0.1 ? between * (1 / between.magnitude) : stir.to.up
        return up + shaking(stir.lane, at: seconds * 3) * (stir.size * sinf(.pi * progress) * 1.6)
    }

    private func felt(_ posture: Posture, at seconds: Double) -> Acceleration {
        let still = posture.up + posture.ahead * (0.002 * Float(sin(2 * .pi * breath * seconds)))
        guard walks.contains(where: { $0.contains(seconds) }) else { return still }
        let stride = 1.85 * seconds
        func wave(_ turns: Double) -> Float { Float(cos(2 * .pi * turns)) }
        return still + posture.up * (0.28 * wave(stride) + 0.11 * wave(2 * stride + 0.1))
            + posture.ahead * (0.13 * wave(stride + 0.3)) + posture.side * (0.12 * wave(stride / 2))
    }

    private func shaking(_ lane: UInt64, at position: Double) -> Acceleration {
        Acceleration(
            x: ValueNoise.value(lane, at: position), y: ValueNoise.value(lane &+ 1, at: position),
            z: ValueNoise.value(lane &+ 2, at: position))
    }
}

private struct Stir {
    /// In seconds since noon.
    let start, length: Double
    /// In g.
    let size: Float
    let from, to: Posture
    let lane: UInt64

    var end: Double { start + length }
}

/// Converts a plan to stirs and walks.
private struct NightScript {
    let first: Posture
    private(set) var stirs: [Stir] = []
    private(set) var walks: [Range<Double>] = []
    /// In hertz: 12 to 18 a minute.
    let breath: Double
    private let plan: NightPlan
    private var generator: SplitGenerator
    private var posture: Posture
    private var now = 0.0

    init(_ plan: NightPlan) {
        self.plan = plan
        generator = SplitGenerator(seed: plan.seed, stream: 0x5749_5354)
        posture = Posture.random(using: &generator)
        first = posture
        breath = Double.random(in: 0.2...0.3, using: &generator)
    }

    mutating func live() {
        let (bed, up) = (plan.bed.inWholeSeconds, plan.up.inWholeSeconds)
        let stillness = Double.random(in: -1800...1800, using: &generator)
        stayAwake(until: bed - max(stillness, 0) - 240)
        sitStill(until: bed - 240)
        walk(until: bed - 60)
        stayAwake(until: bed)
        for (epoch, movement) in plan.movement.enumerated() { stir(by: movement, from: bed + 30 * Double(epoch)) }
        now = up
        walk(until: up + 90)
        stayAwake(until: NightPlan.day.inWholeSeconds)
    }

    /// Busy hands that stir every few seconds, and occasional walks.
    private mutating func stayAwake(until end: Double) {
        while now < end {
            if Double.random(in: 0..<1, using: &generator) < 0.004 {
                walk(until: min(now + .random(in: 40...300, using: &generator), end))
            }
            add(
                length: .random(in: 1...3, using: &generator), size: .random(in: 0.02...0.25, using: &generator),
                lean: 2...40, until: end)
            now += .random(in: 0.5...7, using: &generator)
        }
        now = end
    }

    /// In front of a screen: a stir about every half minute.
    private mutating func sitStill(until end: Double) {
        while now < end {
            add(
                length: .random(in: 1...2, using: &generator), size: .random(in: 0.02...0.1, using: &generator),
                lean: 1...15, until: end)
            now += .random(in: 10...60, using: &generator)
        }
        now = end
    }

    private mutating func walk(until end: Double) {
        if end > now { walks.append(now..<end) }
        now = max(now, end)
    }

    /// Stirs in bed, with the given movement on average: recorded counts are smoothed over minutes, but people move
    /// intermittently.
    private mutating func stir(by movement: Float, from start: Double) {
        var chance = movement / Self.perStir
        now = max(now, start)
        while chance > 0, Float.random(in: 0..<1, using: &generator) < chance {
            chance -= 1
            now = max(now, start + .random(in: 0...20, using: &generator))
            let share = Self.perStir * .random(in: 0.3...1.7, using: &generator)
            let length = Double.random(in: 1...4, using: &generator)
            // The inverse of the sum of changes over quarters of a second, in tenths of g, for shaking of this size.
            let size = share / (Float(length) * 25) + 0.02
            let turns = Float.random(in: 0..<24, using: &generator) < share
            add(length: length, size: size, lean: turns ? 15...110 : 0.2...3, until: start + 40)
        }
    }

    /// The mean movement of a stir.
    private static let perStir: Float = 4

    private mutating func add(length: Double, size: Float, lean: ClosedRange<Float>, until end: Double) {
        guard now + length < end else { return }
        let next = posture.leaning(lean, using: &generator)
        stirs.append(
            Stir(start: now, length: length, size: size, from: posture, to: next, lane: generator.next()))
        posture = next
        now += length
    }
}

extension Interval {
    fileprivate var inWholeSeconds: Double { Double(nanoseconds) * 1e-9 }
}
