import Core

/// The values of the sections of the config that belong to a domain; a new one holds the defaults.
///
/// The reader, the checks, the default file, the manual and the documentation are made from `section`.
public protocol DomainSettings: Equatable, Sendable {
    init()
    static var section: SettingSection<Self> { get }
    /// The sections that follow it: another one, or a family.
    static var others: [SettingSection<Self>] { get }
}

/// The values of the sections of all domains, found by their types.
public struct DomainValues: Sendable {
    /// At most one of each type.
    private var values: [any DomainSettings] = []

    /// All values are the defaults.
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
    public static var others: [SettingSection<Self>] { [] }

    fileprivate func isIn(_ values: DomainValues) -> Bool { values[Self.self] == self }

    /// Its sections, for an owner of the values of all domains.
    public static func sections<Whole>(
        at place: WritableKeyPath<Whole, DomainValues>
    ) -> [SettingSection<Whole>] {
        ([section] + others).map {
            $0.lifted({ $0[keyPath: place][Self.self] }, { $0[keyPath: place][Self.self] = $1 })
        }
    }
}
