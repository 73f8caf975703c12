/// Some of the domains, such as those that the wearer has turned on.
///
/// It stores domains by their ids, 1 to 63. A domain with another id is never in it.
public struct DomainSet: Hashable, Sendable {
    private var bits: UInt64

    private init(bits: UInt64) { self.bits = bits }

    public init() { bits = 0 }

    /// The stored form: a bit for each id.
    public var packed: Int64 { Int64(bitPattern: bits) }
    public init(packed: Int64) { bits = UInt64(bitPattern: packed) }

    public init(_ domain: Domain) { bits = Self.bit(of: domain) }

    /// Every possible id, including domains that this version does not know.
    public static let everything = DomainSet(bits: .max - 1)

    /// Whether the domain is in it.
    public func allows(_ domain: Domain) -> Bool { bits & Self.bit(of: domain) != 0 }

    /// Whether it has all that the domain needs, and all that those need.
    public func allowsNeeds(of domain: Domain) -> Bool {
        domain.needs.allSatisfy { allows($0) && allowsNeeds(of: $0) }
    }

    /// Whether the set contains a domain of this hardware.
    public func allowsAny(on hardware: Hardware) -> Bool { Domain.on(hardware).contains(where: allows) }

    public mutating func set(_ domain: Domain, to isOn: Bool) {
        if isOn { insert(domain) } else { remove(domain) }
    }

    /// Zero for an id out of range.
    private static func bit(of domain: Domain) -> UInt64 {
        (1...63).contains(domain.id) ? 1 << UInt64(domain.id) : 0
    }
}

extension DomainSet: SetAlgebra {
    public func contains(_ domain: Domain) -> Bool { allows(domain) }
    public var isEmpty: Bool { bits == 0 }

    public func union(_ other: DomainSet) -> DomainSet { DomainSet(bits: bits | other.bits) }
    public func intersection(_ other: DomainSet) -> DomainSet { DomainSet(bits: bits & other.bits) }
    public func symmetricDifference(_ other: DomainSet) -> DomainSet { DomainSet(bits: bits ^ other.bits) }
    public mutating func formUnion(_ other: DomainSet) { bits |= other.bits }
    public mutating func formIntersection(_ other: DomainSet) { bits &= other.bits }
    public mutating func formSymmetricDifference(_ other: DomainSet) { bits ^= other.bits }

    @discardableResult
    public mutating func insert(_ domain: Domain) -> (inserted: Bool, memberAfterInsert: Domain) {
        let isNew = !allows(domain)
        bits |= Self.bit(of: domain)
        return (isNew, domain)
    }

    @discardableResult
    public mutating func remove(_ domain: Domain) -> Domain? {
        let wasThere = allows(domain)
        bits &= ~Self.bit(of: domain)
        return wasThere ? domain : nil
    }

    @discardableResult
    public mutating func update(with domain: Domain) -> Domain? {
        insert(domain).inserted ? nil : domain
    }
}

extension DomainSet: CustomStringConvertible {
    /// The names in the order of `Domain.all`, in brackets.
    public var description: String { "\(Domain.all.filter(allows))" }
}
