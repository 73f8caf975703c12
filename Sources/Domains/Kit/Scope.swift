/// The part of a permission that the wearer agreed to: a set of parts declared by domains.
public struct Scope: OptionSet, Hashable, Sendable {
    /// Bit n stands for the part with id n. The highest bit is `Answer`'s.
    public let rawValue: UInt64
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// One part.
    ///
    /// - Parameter id: from 0 to 62; stored, never reused for another part.
    public init(id: UInt8) {
        precondition(id < 63)
        rawValue = 1 << UInt64(id)
    }

    /// How long each domain of the permission was observed may be sent beside its figures.
    public static let coverage = Scope(id: 61)
    /// The sums of each quarter of an hour, with a name of the device, may be sent beside its figures.
    public static let quarters = Scope(id: 62)
    /// What may be sent of any domain besides its figures and events.
    public static let extras: Scope = [.coverage, .quarters]

    /// The whole scope of these domains.
    public init(of domains: [Domain]) {
        self = domains.reduce(into: Scope()) { $0.formUnion($1.wholeScope) }
    }
}

/// A part that can be agreed to separately, and its name.
public struct ScopePart: Sendable {
    public let scope: Scope
    /// For people: `place events`.
    public let name: String

    public init(_ scope: Scope, _ name: String) {
        self.scope = scope
        self.name = name
    }
}

extension Scope: CustomStringConvertible {
    /// Such as `steps, sleep and walks`; `nothing` when it is empty.
    public var description: String {
        let extras = [ScopePart(.coverage, "coverage"), ScopePart(.quarters, "quarters")]
        let names = (Domain.all.flatMap(\.scopes) + extras).filter { contains($0.scope) }.map(\.name)
        guard let last = names.last else { return "nothing" }
        let others = names.dropLast().joined(separator: ", ")
        return others.isEmpty ? last : "\(others) and \(last)"
    }
}
