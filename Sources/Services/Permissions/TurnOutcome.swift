import Consent

/// What came of turning a toggle.
public enum TurnOutcome: Equatable, Sendable {
    /// It was turned. The note, one line, says that the hardware cannot be used at the moment and will be tried again.
    case changed(note: String?)
    /// It already was as wanted.
    case already
    /// The wearer was asked and said no; it stays off.
    case declined
    /// The wearer was asked and left the question open; it stays off, and the next turn asks again.
    case leftOpen
    /// The wearer has to be asked about this, and nobody can be; it stays off.
    case cannotAsk(Permission)
    /// The status does not allow it, and nobody was asked; it stays off. What stands in the way, and what to do about it.
    case refused(PermissionStatus, reason: String, advice: String)
}
