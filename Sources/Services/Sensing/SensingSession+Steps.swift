import Domains
import Quantities
import Signal

/// Steps where no pulse line is wired: they are counted in acceleration, and during a walk no sample is left out.
extension SensingSession {
    /// Whether steps are counted in acceleration.
    var countsSteps: Bool { stepSource == .imu && allowed.allows(.steps) }

    /// Counts the steps of a window. True while the wearer may be walking: then the next window is to follow without a
    /// gap. Steps before the first window that showed the walk are not counted.
    mutating func followWalk(in window: Window, at now: Instant) -> Bool {
        guard countsSteps else { return false }
        var walk = self.walk ?? Walk(rule: rules.walk)
        credit(steps: walk.add(window, given: wearer.belief), at: now)
        self.walk = walk.isOver ? nil : walk
        return !walk.isOver
    }

    /// Credits steps. Zero steps make the figure exist.
    mutating func credit(steps: Int, at now: Instant) {
        wearer.credit(steps: steps, at: now, into: &daybook)
        if steps > 0 { unsaved = max(unsaved, .pulses) }
    }
}
