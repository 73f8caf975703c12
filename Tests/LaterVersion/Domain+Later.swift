import Domains
import Quantities

extension Domain {
    /// The domain as a later version has it, which collects it.
    public var later: Domain { version(with: collector ?? CollectorType(LaterCollector.self)) }

    /// The domain as an earlier version has it, which lists it and does not collect it.
    public var earlier: Domain { version(with: nil) }

    private func version(with collector: CollectorType?) -> Domain {
        Domain(
            id: id, name: description, permission: permission, scopes: scopes, least: leastScope, hardware: hardware,
            figures: figures, events: events, settings: settings, collector: collector, words: words)
    }
}

/// Makes nothing.
private struct LaterCollector: Collector {
    init(_ settings: DomainValues) {}
    mutating func handle(_ input: CollectorInput, at now: BootTime) -> [CollectorEffect] { [] }
}

extension Domain {
    /// Those that this version lists and does not collect. A name of its own: a closure in `@Test` ends Swift 6.0.3.
    public static var notCollected: [Domain] { all.filter { !$0.isCollected } }

    /// All, as the version before this has them: of `health` it collects steps alone.
    public static var beforeSleep: [Domain] { all.map { $0 == .sleep ? $0.earlier : $0 } }
}
