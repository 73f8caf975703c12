/// How the sensor is worn, as far as windows have shown it.
public struct Wear: Equatable, Sendable {
    /// The state of stationary time from now on; `awake` is provisional until it is decided.
    public var state = WearState.awake
    /// Whether the state is in doubt: it may turn into sleep or an empty table, or either may end.
    public var isDoubtful = false
    /// Whether undecided time likely belongs to a sensor that is not worn.
    public var mayBeOff = false

    /// Worn by somebody who is awake.
    public init() {}

    /// Whether stationary time may be that of a sitting wearer.
    public var mayBeSitting: Bool { state == .awake || isDoubtful }
    /// Whether the sensor is certainly not worn.
    public var isFurniture: Bool { state == .notWorn && !isDoubtful }
}
