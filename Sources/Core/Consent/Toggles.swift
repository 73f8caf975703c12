/// Which domains the wearer has turned on. All are off at first (SPEC §1).
public struct Toggles: OptionSet, Sendable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    public init(_ domain: Domain) { rawValue = 1 << domain.rawValue }

    public func allows(_ domain: Domain) -> Bool { contains(Toggles(domain)) }

    public mutating func set(_ domain: Domain, to isOn: Bool) {
        if isOn { insert(Toggles(domain)) } else { remove(Toggles(domain)) }
    }
}

/// Who changed what is allowed. Raw values are stored; never reuse one.
public enum ConsentActor: UInt8, CaseIterable, Sendable {
    case wearer = 1
    case administrator = 2
    case kernel = 3
}

#if !hasFeature(Embedded)
extension ConsentActor: CustomStringConvertible {
    public var description: String {
        switch self {
        case .wearer: "wearer"
        case .administrator: "administrator"
        case .kernel: "kernel"
        }
    }
}
#endif
