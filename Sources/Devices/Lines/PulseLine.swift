import Core

/// The pulses of a line since it was last drained.
public struct PulseBatch: Equatable, Sendable {
    /// The times of the edges by the kernel's own clock, oldest first, debounced.
    public var pulses: [BootTime]
    /// Edges that the kernel dropped because its buffer was full, by gaps in its sequence numbers. Nil if the buffer
    /// was full and the interface has no such numbers (libgpiod 1.x): edges may have been dropped.
    public var lost: Int?

    public init(pulses: [BootTime] = [], lost: Int? = 0) {
        self.pulses = pulses
        self.lost = lost
    }
}

/// A GPIO line on which every edge is one pulse of a sensor.
public protocol PulseLine: AnyObject {
    /// The number of edges that the kernel queues before it drops any.
    var kernelBuffer: Int { get }

    /// Becomes readable when an edge waits. Owned by the line; closed with it. Nil if there is nothing to poll, as on a
    /// scripted line.
    var fileDescriptor: Int32? { get }

    /// Takes the waiting edges without blocking. `now` relates the kernel's clock to boot time.
    func drain(at now: BootTime) throws(BusError) -> PulseBatch
}
