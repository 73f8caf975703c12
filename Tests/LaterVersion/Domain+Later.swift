import Domains
import Quantities

extension Domain {
    /// The domain as a later version has it, which collects it.
    public var later: Domain {
        Domain(
            id: id, name: description, permission: permission, scopes: scopes, least: leastScope, hardware: hardware,
            figures: figures, events: events, settings: settings,
            collector: collector ?? CollectorType(LaterCollector.self), words: words)
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
}
