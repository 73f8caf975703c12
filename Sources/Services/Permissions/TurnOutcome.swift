import Consent
import Domains

/// The outcome of turning a toggle.
public enum TurnOutcome: Equatable, Sendable {
    /// It was turned. The note, one line, says that the hardware cannot be used at the moment and will be tried again.
    case changed(note: String?)
    /// It already had the position.
    case already
    /// The wearer was asked and said no; it stays off.
    case declined
    /// The wearer was asked and left the question open; it stays off, and the next turn asks again.
    case leftOpen
    /// The wearer has to be asked for this permission, and no question can be asked here; it stays off.
    case cannotAsk(Permission)
    /// The status does not allow it, and no question was asked; it stays off. With the reason and the advice.
    case refused(PermissionStatus, reason: String, advice: String)
}
