/// A permission that the wearer is asked for (SPEC §1). One permission can stand for several domains.
///
/// Raw values are stored; never reuse one. The order of the cases is the one in which a first run asks (SPEC §2 rule 9).
public enum Permission: UInt8, CaseIterable, Sendable {
    case screenTime = 3
    case health = 2
    case motion = 1
    case location = 4
    case alarm = 5

    /// The domains that need it.
    public var domains: [Domain] {
        switch self {
        case .motion: [.motion]
        case .health: [.steps, .sleep]
        case .screenTime: [.screenTime]
        case .location: [.location]
        case .alarm: [.alarm]
        }
    }

    /// Where the permission stands in a list of one value for each.
    var index: Int { Int(rawValue) - 1 }
}

#if !hasFeature(Embedded)
extension Permission: CustomStringConvertible {
    /// The name in the config, in commands, in the log and in the store.
    public var description: String {
        switch self {
        case .motion: "motion"
        case .health: "health"
        case .screenTime: "screenTime"
        case .location: "location"
        case .alarm: "alarm"
        }
    }

    public init?(_ name: some StringProtocol) {
        guard let permission = Permission.allCases.first(where: { $0.description == name }) else { return nil }
        self = permission
    }
}
#endif
