/// Decides how often a window is taken: every minute while movement is expected, every five while the wearer is still.
public struct DutyCycle: Sendable {
    public enum Pace: Equatable, Sendable {
        case attentive
        case relaxed
    }

    private let rule: DutyCycleRule
    public private(set) var pace = Pace.attentive
    private var stillInARow = 0
    private var doubtsInARow = 0
    /// From the end of a window to the earliest start of one that the interrupt requests while attentive.
    public private(set) var pause: Interval
    private var wasAskedToLook = false
    /// The latest pulses, at most `wakingPulses` of them.
    private var recentPulses: [BootTime] = []

    public init(rule: DutyCycleRule = DutyCycleRule()) {
        self.rule = rule
        pause = rule.shortestPause
    }

    /// The time from the start of one window to the start of the next while the verdict is not in doubt.
    public var interval: Interval { pace == .attentive ? rule.attentiveInterval : rule.relaxedInterval }

    /// The time from the start of the latest window to the start of the next, in doubt or not.
    public var nextInterval: Interval { doubtsInARow > 0 ? min(rule.doubtfulInterval, interval) : interval }

    /// The interval at which the chip is asked whether it was moved.
    public var asking: Interval { pace == .attentive ? rule.attentiveAsking : rule.relaxedAsking }

    /// Takes the verdict on a window, and whether it is in doubt.
    public mutating func judged(isStill: Bool, isInDoubt: Bool = false) {
        doubtsInARow = isInDoubt && doubtsInARow < rule.mostDoubts ? doubtsInARow + 1 : 0
        stillInARow = isStill ? stillInARow + 1 : 0
        pace = stillInARow >= rule.stillWindows ? .relaxed : .attentive
    }

    /// Notes that the IMU's wake-on-motion interrupt requested the next window.
    public mutating func askedToLook() { wasAskedToLook = true }

    /// Notes that a window was taken, requested or not, and sets `pause`: after a still window to zero, because
    /// movement may begin, or to `shortestPause` if it was requested; after others to `shortestPause`, or to twice the
    /// last pause if it was requested and showed no walk or rest.
    public mutating func looked(foundWalk: Bool) {
        let wasInVain = wasAskedToLook && !foundWalk
        wasAskedToLook = false
        if stillInARow > 0 {
            pause = wasInVain ? rule.shortestPause : .zero
        } else {
            pause = wasInVain ? min(max(pause, rule.shortestPause) * 2, rule.longestPause) : rule.shortestPause
        }
    }

    /// Returns to attentive, because the IMU's interrupt while relaxed, or pulses, showed that the wearer moved.
    public mutating func moved() {
        stillInARow = 0
        pace = .attentive
    }

    /// Drops the times of the latest pulses; the pace stays.
    public mutating func forgetPulses() { recentPulses = [] }

    /// Takes the next pulse; enough of them in a short time mean movement.
    public mutating func add(pulse: BootTime) {
        recentPulses.append(pulse)
        if recentPulses.count > rule.wakingPulses { recentPulses.removeFirst() }
        guard recentPulses.count == rule.wakingPulses, let oldest = recentPulses.first else { return }
        if pulse - oldest <= rule.pulseSpan { moved() }
    }
}
