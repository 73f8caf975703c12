/// What exactly the wearer agreed to within a permission.
///
/// Raw values are stored; never reuse a bit. The highest bit is `Answer`'s.
public struct Scope: OptionSet, Sendable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    public static let motion = Scope(rawValue: 1)
    public static let steps = Scope(rawValue: 2)
    public static let sleep = Scope(rawValue: 4)
    public static let screenTime = Scope(rawValue: 8)
    /// That a place was entered, left or visited.
    public static let placeEvents = Scope(rawValue: 16)
    /// Where it was.
    public static let coordinates = Scope(rawValue: 32)
    public static let alarm = Scope(rawValue: 64)

    /// All that a permission can mean.
    public static func whole(_ permission: Permission) -> Scope {
        switch permission {
        case .motion: .motion
        case .health: [.steps, .sleep]
        case .screenTime: .screenTime
        case .location: [.placeEvents, .coordinates]
        case .alarm: .alarm
        }
    }

    /// The least that the domain needs to be collected.
    public static func least(for domain: Domain) -> Scope {
        switch domain {
        case .motion: .motion
        case .steps: .steps
        case .sleep: .sleep
        case .screenTime: .screenTime
        case .location: .placeEvents
        case .alarm: .alarm
        }
    }
}

#if !hasFeature(Embedded)
extension Scope: CustomStringConvertible {
    /// Such as `steps and sleep`; `nothing` when it is empty.
    public var description: String {
        let names: [(Scope, String)] = [
            (.motion, "motion"), (.steps, "steps"), (.sleep, "sleep"), (.screenTime, "screen time"),
            (.placeEvents, "place events"), (.coordinates, "coordinates"), (.alarm, "alarm"),
        ]
        var text = ""
        for (part, name) in names where contains(part) { text += text.isEmpty ? name : " and \(name)" }
        return text.isEmpty ? "nothing" : text
    }
}
#endif
