import Consent
import Domains
import Quantities

/// The state of one domain, for a report.
public struct PermissionReport: Equatable, Sendable {
    /// The reason why a domain is `unsupported` whatever its hardware is.
    public static let notCollected = "this version does not collect it yet"

    public let domain: Domain
    /// The device, in a word or two for people: `step sensor`.
    public let device: String
    /// The position of its toggle.
    public let isOn: Bool
    /// The time at which the toggle was last turned, by any actor; nil if never.
    public let toggledAt: WallTime?
    /// The status that turning it on would meet now, with the present hardware.
    public let status: PermissionStatus
    /// The time since which the status holds, by the trail; nil if it never changed, or follows from the version.
    public let since: WallTime?
    /// The reason for the status; nil if there is nothing to explain.
    public let reason: String?
    /// The advice; nil if nothing needs to be done.
    public let advice: String?
}
