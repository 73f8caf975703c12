import Ports

/// A fault of a simulated bus.
public enum BusFault: Hashable, Sendable {
    /// `next` transfers are not acknowledged, after `after` ones that still are; then the fault is gone.
    case nak(next: Int, after: Int = 0)
    /// A chip holds the data line low: every transfer times out until `recover()` is called, or for ever.
    case stuck(recoverable: Bool = true)
    /// The adapter is unplugged; `recover()` fails as well.
    case absent
    /// Every transfer fails with this error, and `recover()` changes nothing, until the fault is set to nil.
    case lasting(BusError)
}
