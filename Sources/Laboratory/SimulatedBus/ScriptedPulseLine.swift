import Devices
import Core

/// A GPIO line whose edges come from a script, behind a buffer that overflows like the kernel's.
///
/// The pulses are already debounced. A full buffer loses the same edges as Linux (drivers/gpio/gpiolib-cdev.c): the
/// oldest ones with libgpiod 2, which numbers them, and the newest ones with libgpiod 1, which does not.
public final class ScriptedPulseLine: PulseLine {
    /// Edges after the first time, up to and including the second, sorted. Called with adjoining spans, each once.
    public typealias Generator = (_ after: BootTime, _ through: BootTime) -> [BootTime]

    public let kernelBuffer: Int
    /// Nil if the line cannot be waited for; in virtual time a number known to its event loop.
    public var fileDescriptor: Int32?
    /// The error that `drain` throws instead of draining, nil for none; edges still arrive meanwhile.
    public var fault: BusError?
    /// Edges lost to a full buffer so far, whether or not the interface reports them.
    public private(set) var dropped = 0

    private let reportsLoss: Bool
    private let generate: Generator?
    private var edges: [BootTime]
    /// The number of drained `edges`.
    private var taken = 0
    private var generatedThrough: BootTime

    /// The time by which `nextPulse` lets a generator run ahead.
    private static let horizon = Interval.days(1)
    private static let span = Interval.minutes(10)

    /// A line that is opened now: pulses up to the present time of `clock` are lost.
    /// - Parameters:
    ///   - pulses: sorted.
    ///   - kernelBuffer: the edges kept between two drains; at least 1.
    ///   - reportsLoss: true for libgpiod 2, which numbers its edges; false for libgpiod 1.
    public convenience init(
        clock: () -> BootTime, pulses: [BootTime], kernelBuffer: Int = 1024, reportsLoss: Bool = true
    ) {
        let opened = clock()
        self.init(
            opened: opened, edges: pulses.filter { $0 > opened }, generate: nil, kernelBuffer: kernelBuffer,
            reportsLoss: reportsLoss)
    }

    /// A line that is opened now, with edges generated on demand.
    public convenience init(
        clock: () -> BootTime, kernelBuffer: Int = 1024, reportsLoss: Bool = true, pulses: @escaping Generator
    ) {
        self.init(
            opened: clock(), edges: [], generate: pulses, kernelBuffer: kernelBuffer, reportsLoss: reportsLoss)
    }

    private init(opened: BootTime, edges: [BootTime], generate: Generator?, kernelBuffer: Int, reportsLoss: Bool) {
        self.edges = edges
        self.generate = generate
        self.kernelBuffer = max(kernelBuffer, 1)
        self.reportsLoss = reportsLoss
        generatedThrough = opened
    }

    public func drain(at now: BootTime) throws(BusError) -> PulseBatch {
        if let fault { throw fault }
        generate(through: now)
        let end = edges[taken...].firstIndex { $0 > now } ?? edges.count
        let arrived = edges[taken..<end]
        let lost = max(arrived.count - kernelBuffer, 0)
        let kept = reportsLoss ? arrived.dropFirst(lost) : arrived.dropLast(lost)
        dropped += lost
        discard(through: end)
        return PulseBatch(pulses: Array(kept), lost: reportsLoss ? lost : arrived.count < kernelBuffer ? 0 : nil)
    }

    /// The first edge later than `time`, at which an event loop in virtual time wakes up.
    ///
    /// Nil if there is none before `limit` or, without a limit, none within a day from a generator. Drained edges do
    /// not count.
    public func nextPulse(after time: BootTime, before limit: BootTime? = nil) -> BootTime? {
        let end = limit ?? time + Self.horizon
        while true {
            if let next = edges[taken...].first(where: { $0 > time }) {
                if let limit, next >= limit { return nil }
                return next
            }
            guard generate != nil, generatedThrough < end else { return nil }
            generate(through: min(generatedThrough + Self.span, end))
        }
    }

    private func generate(through time: BootTime) {
        guard let generate, time > generatedThrough else { return }
        edges += generate(generatedThrough, time)
        generatedThrough = time
    }

    private func discard(through end: Int) {
        taken = end
        guard taken > 4096 else { return }
        edges.removeFirst(taken)
        taken = 0
    }
}
