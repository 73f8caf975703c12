import Core
import Signal

/// Counts flights of stairs from the readings of a barometer, one at the start of each window.
///
/// Rises count only while windows follow one another and show walking: a lift stands between two walks. A climb that is
/// not finished does not outlive a restart.
struct FloorsCollector: Collector {
    private var ascent: Ascent
    /// Counted since the start of this process, and until the start of the latest window with a reading.
    private var steps = 0
    private var stepsBefore = 0
    /// Whether the latest window showed walking, and the one that began with the latest reading.
    private var isOnFoot = false
    private var wasOnFoot = false
    private var latest: BootTime?
    /// Windows without a gap that are still wanted.
    private var windowsLeft = 0

    /// Windows without walking after which a walk is over: as many as where steps are counted in acceleration.
    private static let patience = 3

    init(_ settings: DomainValues) { ascent = Ascent(settings[FloorsSettings.self].ascent) }

    mutating func handle(_ input: CollectorInput, at now: BootTime) -> [CollectorEffect] {
        switch input {
        case .opened: return [.observe(.flightsClimbed)]
        case .walked(let more, let unseen): steps += more - unseen
        case .window(let window): follow(window, at: now)
        case .gauge(let reading, let time): return take(reading.value, at: time)
        case .began, .interrupted, .dropped: forget()
        default: break
        }
        return []
    }

    var signals: CollectorSignals { windowsLeft > 0 ? [.movement, .everySample] : .movement }

    private mutating func forget() {
        ascent.breakOff()
        (latest, isOnFoot, wasOnFoot, windowsLeft) = (nil, false, false, 0)
    }

    private mutating func follow(_ window: JudgedWindow, at now: BootTime) {
        isOnFoot = window.alone.walking + window.alone.running > 0.5
        windowsLeft = isOnFoot ? Self.patience : max(windowsLeft - 1, 0)
        if window.after.activity == .automotive { ascent.rode(at: now) }
    }

    /// The window that began with this reading has been followed already.
    private mutating func take(_ pressure: Float, at time: BootTime) -> [CollectorEffect] {
        let isContinued = latest.map { time - $0 < Window.duration * 2 } ?? false
        let flights = ascent.add(pressure: pressure, steps: stepsBefore, isOnFoot: wasOnFoot && isContinued, at: time)
        (latest, stepsBefore, wasOnFoot, isOnFoot) = (time, steps, isOnFoot, false)
        let observed = [CollectorEffect.observe(.flightsClimbed)]
        return flights == 0
            ? observed : observed + [.add(.one(Int64(flights), at: time), to: .flightsClimbed), .storeSoon]
    }
}
