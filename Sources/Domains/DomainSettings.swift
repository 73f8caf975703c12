#if !hasFeature(Embedded)
import SettingKeys
#endif

/// The values of the sections of the config that belong to a domain; a new one holds the defaults.
///
/// Reading and checking, the default file, the manual and the documentation follow from `section`.
public protocol DomainSettings: Equatable, Sendable {
    init()
    #if !hasFeature(Embedded)
    static var section: SettingSection<Self> { get }
    /// Sections after it that stand for many of a kind.
    static var families: [SettingSection<Self>] { get }
    #endif
}

#if !hasFeature(Embedded)
/// The values of the sections of all domains, found by their types.
public struct DomainValues: Sendable {
    /// One of each type at most.
    private var values: [any DomainSettings] = []

    /// Everything has its default.
    public init() {}

    /// The values of one domain.
    public subscript<Values: DomainSettings>(_: Values.Type) -> Values {
        get {
            for case let found as Values in values { return found }
            return Values()
        }
        set {
            values.removeAll { $0 is Values }
            if newValue != Values() { values.append(newValue) }
        }
    }
}

extension DomainValues: Equatable {
    public static func == (left: DomainValues, right: DomainValues) -> Bool {
        left.values.allSatisfy { $0.isIn(right) } && right.values.allSatisfy { $0.isIn(left) }
    }
}

extension DomainSettings {
    public static var families: [SettingSection<Self>] { [] }

    fileprivate func isIn(_ values: DomainValues) -> Bool { values[Self.self] == self }

    fileprivate static func sections<Whole>(
        at place: WritableKeyPath<Whole, DomainValues>
    ) -> [SettingSection<Whole>] {
        ([section] + families).map {
            $0.lifted({ $0[keyPath: place][Self.self] }, { $0[keyPath: place][Self.self] = $1 })
        }
    }
}
#endif

/// The type of a domain's settings. Empty in an Embedded build, which reads no config.
public struct DomainSettingsType: Sendable {
    #if hasFeature(Embedded)
    public init<Values: DomainSettings>(_: Values.Type) {}
    #else
    private let type: any DomainSettings.Type

    public init<Values: DomainSettings>(_ type: Values.Type) { self.type = type }

    /// Its sections, as those of something that holds the values of all domains.
    public func sections<Whole>(at place: WritableKeyPath<Whole, DomainValues>) -> [SettingSection<Whole>] {
        type.sections(at: place)
    }
    #endif
}
