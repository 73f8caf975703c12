import Devices
import Core

/// A line with a motor on it that nobody feels: it notes when it was switched.
public final class RecordedOutputLine: OutputLine {
    /// A change of the level, and when it was.
    public struct Edge: Equatable, Sendable {
        public let at: BootTime
        public let isOn: Bool
    }

    /// Oldest first; setting the level that it has is no edge.
    public private(set) var edges: [Edge] = []
    public private(set) var isOn = false
    public private(set) var isOpen = true
    /// The error that `set` throws, nil for none; with one, the level stays as it is.
    public var fault: BusError?

    private let clock: () -> BootTime

    public init(clock: @escaping () -> BootTime) { self.clock = clock }

    public func set(_ isOn: Bool) throws(BusError) {
        if let fault { throw fault }
        guard isOpen else { throw .failed(errno: 9) }
        note(isOn)
    }

    public func close() {
        note(false)
        isOpen = false
    }

    private func note(_ isOn: Bool) {
        guard isOn != self.isOn else { return }
        self.isOn = isOn
        edges.append(Edge(at: clock(), isOn: isOn))
    }
}
