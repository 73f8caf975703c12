import Core
import Signal

/// A window of acceleration, judged together with the earlier ones.
public struct JudgedWindow: Sendable {
    public let window: Window
    /// The wearer's activity from `start` to `change`, and from then to the end of the window.
    public let before, after: Judgement
    public let start, change: BootTime
    /// The first time since `start` at which the interrupt reported movement, if it did.
    public let moved: BootTime?
    /// The probabilities behind `after`.
    public let belief: ActivityProbabilities
    /// The probabilities, given this window alone.
    public let alone: ActivityProbabilities
    /// How the sensor was worn until this window, and from it on.
    public let wearBefore, wear: Wear
    /// Whether the sensor lay unworn before the window and at its end.
    public let isFurniture: Bool
    /// The state now decided for the stationary time before; nil while undecided.
    public let decision: WearState?
    /// Set after a pause in sampling, which ends every spell and stretch: the state of the stationary time before the
    /// pause. `start` is then that of this window.
    public let beforePause: WearState?

    public init(
        _ window: Window, before: Judgement, after: Judgement, start: BootTime, change: BootTime,
        moved: BootTime? = nil,
        belief: ActivityProbabilities = .even, alone: ActivityProbabilities = .even, wearBefore: Wear = Wear(),
        wear: Wear = Wear(),
        isFurniture: Bool = false, decision: WearState? = nil, beforePause: WearState? = nil
    ) {
        self.window = window
        self.before = before
        self.after = after
        self.start = start
        self.change = change
        self.moved = moved
        self.belief = belief
        self.alone = alone
        self.wearBefore = wearBefore
        self.wear = wear
        self.isFurniture = isFurniture
        self.decision = decision
        self.beforePause = beforePause
    }
}
