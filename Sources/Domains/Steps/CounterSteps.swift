import Core
import Signal

/// The steps that the step counter inside the chip counted while no samples were taken.
///
/// The counter is read at the start and at the end of each window. Its steps between the two are left out, because they
/// are counted in the samples. A reading without a predecessor counts nothing, and neither does one with more steps than
/// a wearer can have made since: the chip lost its power, or a window failed.
///
/// The chip takes typing and other movement of the hands for steps, and a wearer at rest contradicts no pulse of a step
/// sensor. So its steps need more evidence than pulses: a window that shows walking; or, once after each such window, an
/// interrupt and a counter that stands still in windows without walking.
struct CounterSteps: Sendable {
    private struct Reading {
        let count: UInt16
        let time: BootTime
    }

    private struct Span {
        let steps: Int
        let from: BootTime
        let to: BootTime
    }

    /// More steps than a chip counts at once for the time before, when a rhythm has become long enough.
    private static let debounce: Int64 = 16
    /// The time of ten steps.
    private static let blindTime = Interval.seconds(5)

    private let fastestPerMinute: Int64
    private var latest: Reading?
    /// The time before the current window, if the counter covered it.
    private var gap: Span?
    /// Steps counted during the window that ends now; nil if they are unknown.
    private var inWindow: Int?
    /// Spans that no window has confirmed or contradicted yet.
    private var waiting: [Span] = []
    /// Whether the counter has counted in a window that showed no walking, or has been believed without one, since
    /// walking was last recognised.
    private var isDoubted = false

    init(_ rule: RhythmRule) { fastestPerMinute = rule.fastestPerMinute }

    /// The longest time of steps before the current window that the chip may not have counted, because its rhythm was
    /// not long enough; nil if the counter did not cover that time.
    var uncounted: Interval? { gap.map { $0.steps > 0 ? .zero : Self.blindTime } }
    /// Whether the counter works, and whether it counted during the window that ends now.
    var isRead: Bool { inWindow != nil }
    var sawSteps: Bool { inWindow ?? 0 > 0 }

    mutating func take(_ count: UInt16, endsWindow: Bool, at now: BootTime) {
        defer { latest = Reading(count: count, time: now) }
        guard let latest else { return }
        let steps = Int(count &- latest.count)
        let length = now - latest.time
        let most = length.inMilliseconds * fastestPerMinute / 60_000 + Self.debounce
        guard Int64(steps) <= most else { return }
        if !endsWindow {
            gap = Span(steps: steps, from: latest.time, to: now)
        } else if length < Window.duration * 2 {
            inWindow = steps
        }
    }

    /// Decides about the waiting steps by the window that ends now. Call it once for each window.
    ///
    /// - Returns: the times of the credited steps, evenly over the time in which they were counted.
    mutating func decide(_ ruling: GaitEvidence.Ruling, isWalking: Bool, hasMoved: Bool) -> [BootTime] {
        if let gap, gap.steps > 0 { waiting.append(gap) }
        let counted = inWindow
        (gap, inWindow) = (nil, nil)
        // Without a reading at its end, the next one would count the steps of this window too.
        if counted == nil { latest = nil }
        if isWalking {
            isDoubted = false
        } else if counted ?? 0 > 0 {
            isDoubted = true
            if ruling == .wait { return [] }
        }
        defer { waiting = [] }
        guard isWalking || ruling == .credit && hasMoved && !isDoubted else { return [] }
        // Slow typing is too short for the counter's rhythm in a window.
        if !waiting.isEmpty { isDoubted = !isWalking }
        return waiting.flatMap(Self.times)
    }

    private static func times(_ span: Span) -> [BootTime] {
        let length = span.to - span.from
        return (0..<Int64(span.steps)).map { span.from + length * (2 * $0 + 1) / (2 * Int64(span.steps)) }
    }
}
