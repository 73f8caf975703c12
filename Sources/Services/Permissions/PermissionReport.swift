import Consent
import Quantities

/// How things stand with one domain.
public struct PermissionReport: Equatable, Sendable {
    public let domain: Domain
    /// What it collects with, in a word or two for people: `step sensor`.
    public let device: String
    /// What its toggle says.
    public let isOn: Bool
    /// When the toggle was last turned, by anybody; nil if never.
    public let toggledAt: WallTime?
    /// What turning it on would meet at this moment, with the hardware as it is now.
    public let status: PermissionStatus
    /// Since when, as far as the trail tells; nil where nothing ever changed.
    public let since: WallTime?
    /// What makes the status what it is; nil where there is nothing to explain.
    public let reason: String?
    /// What to do about it; nil where nothing needs to be done.
    public let advice: String?
}
