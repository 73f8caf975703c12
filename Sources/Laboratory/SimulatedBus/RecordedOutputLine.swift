import Devices
import Core

/// A simulated line with a motor: it records its switching.
public final class RecordedOutputLine: OutputLine {
    /// A change of the level, with its time.
    public struct Edge: Equatable, Sendable {
        public let at: BootTime
        public let isOn: Bool
    }

    /// Oldest first; setting the present level is not an edge.
    public private(set) var edges: [Edge] = []
    public private(set) var isOn = false
    public private(set) var isOpen = true
    /// The error that `set` throws, nil for none; with an error, the level does not change.
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
