import Program
import Quantities

/// The time of one run, and the rest of it.
///
/// The rest is measured on the boot-time clock, so that a step of the wall clock neither ends a run nor lets it go on
/// for ever.
public struct RunClock: Sendable {
    private let began = Instant.now
    private let pretended: WallTime?
    private let limit: Interval

    /// - Parameter time: pretends that the run began at this time; nil takes the wall clock as it is.
    public init(at time: WallTime?, limit: Interval) {
        pretended = time
        self.limit = limit
    }

    public var now: WallTime {
        let instant = Instant.now
        return pretended.map { $0 + (instant.boot - began.boot) } ?? instant.wall
    }

    /// Until the deadline; negative after it.
    public var remaining: Interval { limit - (Instant.now.boot - began.boot) }
}
