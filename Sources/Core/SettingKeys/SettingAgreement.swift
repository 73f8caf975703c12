/// A condition that two keys must satisfy together.
public struct SettingAgreement<Root> {
    /// Both in the form `section.key`.
    public let first: String
    public let second: String
    /// The end of the sentence "`first` must …", before `second`.
    public let demand: String
    public let holds: (Root) -> Bool

    public init(_ first: String, _ demand: String, _ second: String, holds: @escaping (Root) -> Bool) {
        self.first = first
        self.second = second
        self.demand = demand
        self.holds = holds
    }

    func lifted<Whole>(_ part: @escaping (Whole) -> Root) -> SettingAgreement<Whole> {
        SettingAgreement<Whole>(first, demand, second) { holds(part($0)) }
    }
}
