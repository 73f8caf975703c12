/// A permission that the wearer is asked for (SPEC §1). One permission can cover several domains.
///
/// Two values with the same id are equal.
public struct Permission: Listed {
    /// From 1 to 63; stored, never reused for another permission.
    public let id: UInt8
    /// A first run asks in rising order (SPEC §2 rule 9). Not stored.
    public let order: UInt8
    /// The name in the config, in commands and in the log.
    private let name: String
    /// The first word of the question.
    public let title: String
    /// The text about all its domains, shown once after the texts of each; may be empty.
    public let collectedOfAll: String

    public init(id: UInt8, order: UInt8, name: String, title: String, collectedOfAll: String = "") {
        self.id = id
        self.order = order
        self.name = name
        self.title = title
        self.collectedOfAll = collectedOfAll
    }
}

extension Permission {
    /// Every permission that a domain needs, in the order in which a first run asks.
    public static let all: [Permission] = {
        var permissions: [Permission] = []
        for domain in Domain.all where !permissions.contains(domain.permission) {
            permissions.append(domain.permission)
        }
        return permissions.sorted { $0.order < $1.order }
    }()

    /// The domains that need it, in the order of `Domain.all`.
    public var domains: [Domain] { Domain.all.filter { $0.permission == self } }

    /// The domains of it that this version collects. Its question is about them alone.
    public var collectedDomains: [Domain] { domains.filter { $0.isCollected } }

    /// All its parts, including those of domains that this version does not collect.
    public var wholeScope: Scope { Scope(of: domains) }

    /// The parts that this version offers: all of the domains that it collects.
    public var offeredScope: Scope { Scope(of: collectedDomains) }
}

extension Permission: CustomStringConvertible {
    /// The name in the config, in commands and in the log.
    public var description: String { name }

    /// The permission with this name; nil if this version has none.
    public init?(_ name: some StringProtocol) {
        guard let permission = Permission.all.first(where: { $0.description == name }) else { return nil }
        self = permission
    }
}
