import Domains
import Core

extension Domain {
    /// The domain as a later version has it, which collects it.
    public var later: Domain { version(with: collector ?? LaterCollector.self) }

    /// The domain as an earlier version has it, which lists it and does not collect it.
    public var earlier: Domain { version(with: nil) }

    /// The domain as a version has it in which it needs these.
    public func needing(_ needs: [Domain]) -> Domain { version(with: collector, needs: needs) }

    private func version(with collector: (any Collector.Type)?, needs: [Domain]? = nil) -> Domain {
        Domain(
            id: id, name: description, permission: permission, scopes: scopes, least: leastScope, hardware: hardware,
            needs: needs ?? self.needs, figures: figures, reach: reach, events: events, books: books,
            settings: settings, collector: collector, words: words)
    }
}

/// Makes nothing.
private struct LaterCollector: Collector {
    init(_ settings: DomainValues) {}
    mutating func handle(_ input: CollectorInput, at now: BootTime) -> [CollectorEffect] { [] }
}

extension Domain {
    /// Those that the version of `withSleep` lists and does not collect. A name of its own: a closure in `@Test` ends Swift 6.0.3.
    public static var afterSleep: [Domain] { all.filter { ![motion, steps, sleep].contains($0) }.map(\.earlier) }

    /// All, as the first version has them, which collects motion, and of `health` steps alone.
    public static var beforeSleep: [Domain] { withSleep.map { $0 == .sleep ? $0.earlier : $0 } }

    /// All, as the version has them that collects what the body shows, and nothing else.
    public static var withSleep: [Domain] { all.map { afterSleep.contains($0) ? $0.earlier : $0 } }
}
