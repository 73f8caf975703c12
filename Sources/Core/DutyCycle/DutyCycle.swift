import Quantities

/// Decides how often the wearer is looked at: every minute while movement is expected, every five while still.
public struct DutyCycle: Sendable {
    public enum Pace: Equatable, Sendable {
        case attentive
        case relaxed
    }

    private let rule: DutyCycleRule
    public private(set) var pace = Pace.attentive
    private var stillInARow = 0
    /// The latest pulses, at most `wakingPulses` of them.
    private var recentPulses: [BootTime] = []

    public init(rule: DutyCycleRule = DutyCycleRule()) { self.rule = rule }

    /// From the start of one window to the start of the next.
    public var interval: Interval { pace == .attentive ? rule.attentiveInterval : rule.relaxedInterval }

    /// Takes the verdict on a window.
    public mutating func judged(isStill: Bool) {
        stillInARow = isStill ? stillInARow + 1 : 0
        pace = stillInARow >= rule.stillWindows ? .relaxed : .attentive
    }

    /// The IMU's wake-on-motion interrupt fired.
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
