/// A kind of data that the wearer can allow or forbid on its own (SPEC §1).
///
/// Raw values are stored; never reuse one.
public enum Domain: UInt8, CaseIterable, Sendable {
    case motion = 1
    case steps = 2
    case sleep = 3
    case screenTime = 4
    case location = 5
    case alarm = 6

    /// The permission that the domain needs. Two domains can share one.
    public var permission: Permission {
        switch self {
        case .motion: .motion
        case .steps, .sleep: .health
        case .screenTime: .screenTime
        case .location: .location
        case .alarm: .alarm
        }
    }

    /// Where the domain stands in a list of one value for each.
    var index: Int { Int(rawValue) - 1 }
}

#if !hasFeature(Embedded)
extension Domain: CustomStringConvertible {
    /// The name in the config, in commands, in the log and in the store.
    public var description: String {
        switch self {
        case .motion: "motion"
        case .steps: "steps"
        case .sleep: "sleep"
        case .screenTime: "screenTime"
        case .location: "location"
        case .alarm: "alarm"
        }
    }

    public init?(_ name: some StringProtocol) {
        guard let domain = Domain.allCases.first(where: { $0.description == name }) else { return nil }
        self = domain
    }
}
#endif
