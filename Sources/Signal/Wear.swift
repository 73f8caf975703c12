/// How the sensor is worn, as far as windows have shown it.
public struct Wear: Equatable, Sendable {
    /// The state that stationary time counts as from now on; `awake` is provisional until it is decided.
    public var state = WearState.awake
    /// Whether the state is in doubt: it may turn out to be sleep or an empty table, or the end of either.
    public var isDoubtful = false
    /// Whether time that waits for a decision is likely that of a sensor that is not worn.
    public var mayBeOff = false

    /// Worn by somebody who is awake.
    public init() {}

    /// Whether stationary time may be that of a sitting wearer.
    public var mayBeSitting: Bool { state == .awake || isDoubtful }
    /// Whether it lies somewhere, beyond doubt.
    public var isFurniture: Bool { state == .notWorn && !isDoubtful }
}
