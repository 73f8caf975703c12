import Devices
import Core

/// A GPIO line whose edges come from a script, behind a buffer that overflows like the kernel's.
///
/// The pulses count as debounced already. A full buffer loses the same edges as Linux (drivers/gpio/gpiolib-cdev.c):
/// the oldest edges on the interface of libgpiod 2, which numbers them, and the newest on that of libgpiod 1, which
/// does not.
public final class ScriptedPulseLine: PulseLine {
    /// Edges later than the first time and not later than the second, sorted. Called with spans that adjoin, each
    /// once.
    public typealias Generator = (_ after: BootTime, _ through: BootTime) -> [BootTime]

    public let kernelBuffer: Int
    /// Nil where nothing can wait for the line; in virtual time a number that its event loop knows.
    public var fileDescriptor: Int32?
    /// The error that `drain` throws instead of draining, nil for none; edges go on arriving meanwhile.
    public var fault: BusError?
    /// Edges lost to a full buffer so far, whether or not the interface reports them.
    public private(set) var dropped = 0

    private let reportsLoss: Bool
    private let generate: Generator?
    private var edges: [BootTime]
    /// The count of `edges` that were drained.
    private var taken = 0
    private var generatedThrough: BootTime

    /// The time that `nextPulse` lets a generator run ahead.
    private static let horizon = Interval.days(1)
    private static let span = Interval.minutes(10)

    /// A line that is opened now: pulses up to the present time of `clock` are dropped.
    /// - Parameters:
    ///   - pulses: sorted.
    ///   - kernelBuffer: edges that are kept between two drains; at least 1.
    ///   - reportsLoss: true for libgpiod 2, which numbers its edges; false for libgpiod 1.
    public convenience init(
        clock: () -> BootTime, pulses: [BootTime], kernelBuffer: Int = 1024, reportsLoss: Bool = true
    ) {
        let opened = clock()
        self.init(
            opened: opened, edges: pulses.filter { $0 > opened }, generate: nil, kernelBuffer: kernelBuffer,
            reportsLoss: reportsLoss)
    }

    /// A line that is opened now, whose edges are made as they are needed.
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

    /// The first edge later than `time`, which an event loop in virtual time wakes up for.
    ///
    /// Nil when there is none before `limit`, or, without a limit, when a generator makes none within a day.
    /// Edges that were drained are gone.
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
