import Core

/// Removes contact bounces: an edge that follows the last accepted one too closely is dropped.
///
/// It keeps the first edge of every contact, however short, with its own time. The kernel's debounce instead drops a
/// contact that closes for less than its period, and delays the others.
struct Debounce: Equatable, Sendable {
    let interval: Interval
    private var lastAccepted: MonotonicTime?

    /// `interval` is the least distance between two accepted edges; zero accepts all.
    init(_ interval: Interval) { self.interval = interval }

    /// Whether the edge counts. Edges must come in order of time.
    mutating func accepts(_ edge: MonotonicTime) -> Bool {
        if let lastAccepted, edge - lastAccepted < interval { return false }
        lastAccepted = edge
        return true
    }
}
